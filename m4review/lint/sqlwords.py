"""What names, operators and types of a query look like, and which words of English are no names.

Identifiers count as code when they are qualified (``a.b``) or hold an underscore; a plain word counts only where the
construct around it leaves no doubt."""

from __future__ import annotations

from m4review.lint.rule import words

NOT_NAMES = frozenset(
    words(
        """a an the of to in on at by or and is are was were be been if as for per with without from into than then that
    this these those its their his her your our which who whose when where while before after during between
    within until since each every any all some no not only both either neither one two three first last same other
    another it they we you he she such more most less least also again there here but so because unless select
    having group order union limit join using values set case end else nothing anything es de la el las del der
    die das den dem und oder le les des du et ou une un een het van"""
    )
)
"""Words that are no table, column or alias name where a query would have one."""
WORD = r"[a-z_][a-z0-9_$]*"
QUALIFIED = r"(?!e\.g\b|i\.e\b|a\.m\b|p\.m\b)[a-z_][\w$-]*(?:\.[a-z_][\w$]*)+"
CODE = rf"(?:{QUALIFIED}|[a-z]\w*_\w*)"
COLUMN = (
    rf"(?:{CODE}|itemid|valuenum|valueuom|charttime|starttime|endtime|storetime|intime|outtime|"
    rf"admittime|dischtime|icustay|hadm|los|icd\d+)"
)
FUNCTION = r"[a-z_]\w*\("
OPERATOR = r"(?:<>|!=|<=|>=|=|<|>|≤|≥|~\*?)"
PREDICATE = (
    rf"\s*(?:{OPERATOR}|(?:not\s+)?in\s*\(|is\s+(?:not\s+)?null\b|(?:not\s+)?(?:i|r)?like\b|(?:not\s+)?between\b)"
)
TABLE = (
    r"(?:patients|admissions|transfers|icustays|chartevents|labevents|inputevents|outputevents|procedureevents|"
    r"datetimeevents|ingredientevents|microbiologyevents|prescriptions|emar|pharmacy|poe|services|omr|diagnoses_icd|"
    r"procedures_icd|d_items|d_labitems|caregiver|vitalperiodic|vitalaperiodic|nursecharting|respiratorycharting|"
    r"respiratorycare|intakeoutput|infusiondrug|treatment|lab|medication|apachepatientresult|apacheapsvar|"
    r"apachepredvar|physicalexam|microlab|diagnosis|patient)"
)
TYPE = (
    r"(?:tiny|small|big|huge)?int(?:eger|\d+)?|numeric|decimal|float\d*|double(?:\s+precision)?|real|text|string|"
    r"varchar|char|date|datetime|time|timestamp(?:tz)?|boolean|bool|interval|json|signed|unsigned"
)
