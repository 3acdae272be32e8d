"""Phrases by which specifications declare their elements: the wordings of the field, as patterns.

Each is tried on one sentence at a time. They want the declaration itself: a window with both ends, a range with its
numbers, a tie with what decides it.
"""

from __future__ import annotations

import re

ASIDE = re.compile(
    r"limitation|caveat|literature|references?$|bibliograph|citations?|further reading|changelog|"
    r"\bintermediate|\bconcepts? (?:is|are) available|\bready-made",
    re.I,
)
NUMBER = (
    r"(?:[-+−]?\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty-four|forty-eight|"
    r"seventy-two)"
)
UNIT = r"(?:\s*|-)(?:h|hrs?|hours?|min|minutes?|d|days?|calendar days?|weeks?|years?)\b"
SPAN = rf"{NUMBER}{UNIT}"
EVENT = (
    r"(?:(?:the|its|icu|hospital|unit|intensive care)\s+)*(?:admission|discharge|death|arrival|onset|icu entry|"
    r"suspicion|infection|culture|surgery|intubation|`?\w*(?:time|offset)`?|start|end)\b"
)
END = rf"(?:{SPAN}\s+(?:before|prior to|preceding|after|following|post|from)|[-+−]\s*\d+(?:\.\d+)?{UNIT}|{EVENT})"
TO = r"\s*,?\s*(?:\bto\b|\buntil\b|\btill\b|\bthrough\b|\bup to\b|–|—|\band\b)\s*(?:and including\s+)?"
WINDOW = re.compile(
    rf"\bfrom\b[^.;]{{0,20}}?{END}[^.;]{{0,30}}?{TO}(?:the\s+)?(?:{END}|{SPAN})|"
    rf"\bfrom\s+{SPAN}{TO}{END}|"
    rf"\bbetween\b\s+(?:the\s+)?{END}[^.;]{{0,30}}?\band\s+(?:the\s+)?(?:{END}|{SPAN})|"
    rf"\[\s*[-+−]?\d+[^\]]{{0,12}},\s*[-+−]?\d+[^\]]{{0,12}}[\])]|"
    rf"[-+−]\s*\d+{UNIT}\s*(?:to|–|…|\.\.)\s*[-+−]?\s*\d+{UNIT}|"
    rf"\bhours?\s+[-−]?\d+\s*(?:to|–|-|through)\s*[+]?\d+\b|"
    rf"(?<![\d.])[-−]?\d+\s*(?:–|-|to)\s*\+?\d+{UNIT}\s+(?:after|from|of|following|around|relative to)\b|"
    rf"(?:{SPAN}|\b\d+{UNIT})\s+(?:before|prior to)(?:\s+(?:the\s+)?{EVENT})?{TO}{SPAN}\s+(?:after|following)\b|"
    rf"\bfirst\s+{SPAN}\s+(?:after|of|from|following)\s+{EVENT}",
    re.I,
)
ENDS = re.compile(
    r"\b(?:both|either|all|the|upper|lower|left|right)\s+(?:ends?|limits?|bounds?|boundar(?:y|ies)|borders?|"
    r"endpoints?)\b"
    r"[^.;]{0,40}\b(?:included?|inclusive|excluded?|exclusive|belongs?|counts?|open|closed)\b|"
    r"\binclusive(?:ly)?\b|\bexclusive\b|\b(?:half-)?(?:open|closed)\s+interval|\bnot including\b|\band including\b|"
    r"\bincluding both\b|\bboth (?:are )?included\b|"
    r"\bends?\s+(?:is|are)\s+(?:not\s+)?(?:included|excluded)|[≤<]=?\s*[\w`.+ ]{1,30}[≤<]",
    re.I,
)
ANCHOR = re.compile(
    r"\b(?:admission|discharge|onset|arrival|start|time zero|t0|anchor|index time|reference time|entry)\b[^.;]{0,50}"
    r"(?:\b(?:is|are|means|equals|comes from|given by|defined (?:as|by)|taken (?:as|from))\b|=|:)[^.;]{0,40}"
    r"`\w*(?:time|offset|date)\w*`|"
    r"`\w*(?:time|offset|date)\w*`[^.;]{0,30}\b(?:is|marks|gives|defines)\b[^.;]{0,25}\b(?:admission|anchor|onset|"
    r"time "
    r"zero|start|discharge)\b|"
    r"\b(?:anchor|time zero|t0|index time|reference time)\b\s*(?:\([^)]*\)\s*)?(?:is|=|:|are)\s*\S|"
    r"\b(?:anchored (?:at|to|on)|(?:counted|measured|calculated) (?:from|relative to))\s+(?:the\s+)?\S+",
    re.I,
)
GRAIN = re.compile(
    r"\b(?:one|a single|exactly one|1)\s+(?:row|line|record)\s+(?:per|for\s+(?:each|every)|by)\s+[\w`]|"
    r"\beach\s+(?:row|line|record)\s+(?:is|describes|stands for|represents|holds|corresponds to)\s+(?:one|a|an)\b|"
    r"\bgrain\b\s*(?:is|:|=)\s*\S",
    re.I,
)
KEYS = re.compile(
    r"\bkeys?(?:\s+columns?)?\b\s*(?:is|are|:|=|–|\()\s*[^.;]{0,30}?(?:`\w+`|\b\w+_id\b|\b\w*stayid\b)|"
    r"\bidentified\s+(?:uniquely\s+)?by\s+[^.;]{0,20}`?\w+|`\w+`[^.;]{0,60}\b(?:identif(?:y|ies)\s+(?:a|each|one|"
    r"the)\s+row|"
    r"is (?:the )?(?:unique|primary) key|is unique)\b",
    re.I,
)
PEOPLE = r"(?:stays?|patients?|admissions?|adults?|children|encounters?|readmissions?|hospitali[sz]ations?)"
COHORT = re.compile(
    rf"\b(?:every|all|each|only|include|includes|including|first)\b[^.;]{{0,40}}\b{PEOPLE}\b[^.;]{{0,50}}"
    r"\b(?:recorded|included|eligible|enters?|aged|are scored|is scored|qualif\w+)\b|"
    rf"\b(?:nobody|no one|no {PEOPLE})\b[^.;]{{0,20}}\b(?:excluded|left out)\b|"
    rf"\b{PEOPLE}\b[^.;]{{0,60}}\b(?:is|are|were)\s+(?:excluded|included|left out)\b|"
    rf"\bexclud(?:e|es|ing)\b[^.;]{{0,30}}\b{PEOPLE}\b|\bcohort\b\s*(?:is|:|=|consists of|comprises)\s*\S",
    re.I,
)
SOME_PEOPLE = re.compile(rf"\b{PEOPLE}\b|\bexclu|\binclu|\bnobody\b|\beveryone\b|\baged?\b", re.I)
PEOPLE_TABLES = r"(?:icustays|admissions|patients?|transfers)"
SOURCE = re.compile(rf"\b(?:mimic\w*|eicu\w*)\.(?!{PEOPLE_TABLES}\b)\w+", re.I)
SOURCE_TABLE = re.compile(
    r"`(?:\w+\.)?(?:\w+events|\w*items?|prescriptions|emar\w*|pharmacy|diagnoses_icd|procedures_icd|"
    r"lab|vital\w+|nurse\w+|respiratory\w+|infusiondrug|intakeoutput|medication|diagnosis|treatment|apache\w+)`"
)
ITEM_ID = re.compile(
    r"\b(?:items?(?:\s*ids?)?|itemids?|codes?)\b[^.;]{0,60}?`?\b(?:[25]\d{4,5}|[A-TV-Z]\d\d(?:\.\w+)?)\b|"
    r"\b(?:labname|drugname|celllabel|\w*vallabel|\w+label)`?\b[^.;]{0,30}?[\"“'`‘][A-Za-z]",
    re.I,
)
LABELLED_ID = re.compile(r"\b[25]\d{4,5}\b\s*\([A-Za-z]")
MEASURED = re.compile(
    r"(?:mg/d[lL]|g/d[lL]|[µmu]mol/[lL]|mmol/[lL]|mEq/[lL]|mm ?Hg|kPa|cm ?H2O|°\s?[CF]|[KM]/[µu][lL]|10\S*/[lL]|"
    r"/min\b|bpm|"
    r"beats per minute|breaths per minute|m[lL]/kg|\bm[lL]\b|mcg/kg|µg/kg|units?/(?:h|min)|IU/[lL]|U/[lL]|\bkg\b|"
    r"\bcm\b|%)"
)
LIMIT = (
    r"(?:[<>≤≥]=?\s*-?\d|\b(?:below|above|under|over|between|outside|from|less than|more than|greater than|"
    r"at most|at least)\s+-?\d)"
)
PLAUSIBLE = (
    r"\b(?:valid|plausib\w+|implausib\w+|impossible|physiologic\w*|artefacts?|artifacts?|drop(?:ped)?|"
    r"discard(?:ed)?|ignored?|removed?|reject(?:ed)?|not used)\b"
)
VALID = re.compile(
    rf"{PLAUSIBLE}[^;]{{0,80}}{LIMIT}|{LIMIT}[^;]{{0,80}}{PLAUSIBLE}|\bany value (?:counts|is valid)\b", re.I
)
CONVERTED = re.compile(r"\bconver\w+|\bfahrenheit\b|\bto (?:celsius|°C|µmol|mmol|mg|kPa|mmHg|percent|fraction)", re.I)
ARITHMETIC = re.compile(r"[÷×*/−-]\s*\d|\d\s*[÷×*]|\b(?:multipl\w+|divid\w+)\b[^.;]{0,20}\bby\s+\d")
NO_CONVERSION = re.compile(
    r"\bno (?:unit )?conver\w+|\b(?:units?|values?) (?:are|is) not converted\b|\bneeds? no conversion", re.I
)
MISSING = re.compile(
    r"\b(?:missing|absent|unavailable|not (?:measured|charted|recorded|documented)|without (?:a |any )?(?:value|"
    r"data|measurement)"
    r"\w*|no (?:value|data|measurement)\w*|"
    r"no (?:[\w/]+ ){1,3}?(?:is|was|are|were|exists?)"
    r"(?: (?:available|measured|charted|recorded|found|known|present))?)\b"
    r"[^.;]{0,80}"
    r"\b(?:counts? as|scores?|score 0|(?:is|are|as)\s+(?:treated|taken|set|assumed|left|considered|imputed|null|"
    r"empty|normal)|"
    r"gives?|remains?|stays? (?:missing|empty)|carried forward|get)\b|"
    r"\b(?:carried forward|imputed|imputation)\b|\b(?:treat|count|score|set|"
    r"assume)s?\b[^.;]{0,20}\bmissing\b[^.;]{0,40}\bas\b",
    re.I,
)
PRECEDENCE = re.compile(
    r"\bfirst\s+(?:line|row|match|matching|condition|rule|criterion|case|entry|one)\b[^.;]{0,25}\b(?:applies|"
    r"that (?:is met|"
    r"matches|fits|holds)|decides|wins|counts|applicable)\b|\bfirst match\b|\border of (?:precedence|preference|"
    r"priority)\b|"
    r"\btakes?\s+(?:precedence|priority)\b|\b(?:goes|go|comes|come)\s+(?:before|first)\b|\bprefer(?:red|"
    r"s)?\b[^.;]{0,40}\b(?:over|to)\b|"
    r"\b(?:checked|tested|tried|evaluated|applied|searched)\b[^.;]{0,25}\bin (?:this|the given|that|the following|"
    r"descending)\b"
    r"[^.;]{0,12}\border\b|\boverrides?\b|\b(?:from )?(?:top|highest|worst) (?:to bottom|first)\b",
    re.I,
)
DECIDED = (
    r"\b(?:takes?|taken|use[sd]?|wins?|counts?|stands?|belongs?|kept|keep|highest|lowest|maximum|minimum|mean|"
    r"average[ds]?|"
    r"median|earlier|earliest|later|latest|first|last|worst|sum(?:med)?|decides?|arise|stay|alphabetical\w*)\b"
)
TIED = (
    r"\b(?:ties?|tied(?! (?:to|the))|equally|overlapping|overlap|share[sd]? (?:a|the same) (?:moment|value|rank)|"
    r"(?:same|equal) (?:distance|value|rank)|"
    r"(?:two|both|several|more than one)\s+(?:\w+\s+)?(?:stays|episodes|admissions|candidates))\b"
)
TIE = re.compile(rf"{TIED}[^;]{{0,200}}{DECIDED}|{DECIDED}[^;]{{0,80}}{TIED}", re.I)
REPEATED = (
    r"(?:\btwo\s+(?:values?|results?|readings?|measurements?|entries|records?)\b[^.;]{0,40}\b(?:same|one)\b|"
    r"\b(?:several|multiple|duplicates?|duplicated|repeated|more than one|two or more)\b[^.;]{0,30}"
    r"\b(?:values?|results?|readings?|measurements?|entries|items?|rows?|charted|charting|records?|observations?|"
    r"FiO2|doses?)\b|"
    r"\b(?:charted|measured|recorded|documented|entered|reported)\b[^.;]{0,15}\b(?:twice|repeatedly|"
    r"more than once|at the same (?:time|"
    r"minute|moment))\b|\bshare a (?:charting )?time\b|\bduplicate\w*\b)"
)
REPEAT = re.compile(
    rf"{REPEATED}[^;]{{0,120}}(?:{DECIDED}|\bdropped\b|\bremoved\b|\bcollapsed\b)|"
    rf"{DECIDED}[^;]{{0,60}}{REPEATED}",
    re.I,
)
CITED = re.compile(
    r"\bdoi\b|10\.\d{4,9}/\S|\bPMID\b|\b(?:19|20)\d\d\s*[;:,]\s*\d+|\b(?:19|20)\d\d\b[^.]{0,20}\d+\s*\(\d+\)|"
    r"et al\b[^;]{0,200}\b(?:19|20)\d\d\b|"
    r"[A-Z][a-z]+ [A-Z]{1,3}\b[^;]{0,200}\b(?:19|20)\d\d\b",
)
DATABASE = re.compile(
    r"\b(?:MIMIC[- ]?(?:III|IV)|eICU(?:[- ]CRD)?|AmsterdamUMCdb|"
    r"HiRID)\b[^.;]{0,40}?\b(?:v(?:ersion)?\.?\s?)?\d+\.\d+",
    re.I,
)
