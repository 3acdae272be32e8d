"""Family *rows*, second part: what names a person: numbers of records, names, days of birth, telephones, addresses.

None of it is in the datasets, so it comes from somewhere else: a discharge letter, a chart, a mail. Names of authors,
eponyms and addresses of organisations are literature and stay. Messages name the place only.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from m4review.lint.pattern import Pattern
from m4review.lint.rule import Hit, Rule, texts, words
from m4review.lint.views import View

MONTH = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]{0,7}\.?"
DAY = (
    rf"(?:(?:19|20|21|22)\d\d[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\s?\d\d?[-/.]\s?(?:(?:19|20|21|22)\d\d|\d\d(?!\d))|"
    rf"\d\d?\.?(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH},?\s+(?:19|20|21|22)\d\d|{MONTH}\s+\d\d?(?:st|nd|rd|th)?,?\s+"
    r"(?:19|20|21|22)\d\d)"
)
RECORDS = (
    "mrn", "medical", "hospital", "chart", "case", "nhs", "pat", "fall", "aufnahme", "health", "insurance",
    "versicherten", "n°", "nº", "nhc", "ipp", "bsn", "social", "ssn", "accession",
)  # fmt: skip
RECORD = Pattern(
    r"(?<![a-z0-9])(?:mrn|medical\s+record(?:\s+(?:number|no\.?|nr\.?|id))?|hospital\s+(?:number|no\.?)|"
    r"chart\s+(?:number|no\.?)|case\s+(?:number|no\.)|nhs\s+(?:number|no\.?)|"
    r"pat(?:ient(?:en|s|in)?)?[ .-]{0,3}(?:nr|no|number|nummer|num)\b\.?|fall[- ]?(?:nr|nummer)\b\.?|"
    r"aufnahme[- ]?(?:nr|nummer)\b\.?|(?:health|insurance)\s+(?:card|policy|number|no\.?)(?:\s+(?:number|no\.?))?|"
    r"versicherten[- ]?(?:nr|nummer)\b\.?|n[°º]\s*(?:de\s+)?(?:dossier|patient|historia)|nhc|ipp|bsn|"
    r"social\s+security(?:\s+(?:number|no\.?))?|ssn|accession(?:\s+(?:number|no\.?)))"
    r"[\"'`*\s]{0,4}(?:is|was|lautet|:|=|#|\||,|-|no\.?|\()?[\"'`*\s#:|]{0,5}(?P<number>[a-z]{0,3}-?\d[\d -]{3,14}\d)"
)
SOCIAL = Pattern(r"(?<![\d.-])(?!000|666|9\d\d)\d{3}-\d{2}-\d{4}(?![\d-])")
BIRTHS = ("dob", "d.o", "do.b", "date", "birth", "born", "geb", "né", "ne", "nacid", "fecha", "*")
BORN = Pattern(
    r"(?<![a-z])(?:d\.?o\.?b\.?|date\s+of\s+birth|birth\s?date|born(?:\s+on)?|geb(?:oren|urtsdatum|\.)(?:\s+am)?|n[ée]{1,2}e?\s+le|"
    rf"date\s+de\s+naissance|nacid[oa]\s+el|fecha\s+de\s+nacimiento|geboren\s+op|\*)\s*[:=|]?[\s\"'*]{{0,3}}{DAY}"
)
PHONE = Pattern(
    r"(?<![\d./-])(?:(?:\+|00)\d{1,3}[ ./-]?)?\(?\d{3,5}\)?[ ./-]{1,2}\d{3,4}[ ./-]?\d{3,5}(?:[ -]\d{1,4})?"
    r"(?![\d/-]|\.\d)"
)
CALLED = Pattern(r"\b(?:tel(?:efon|ephone|éfono|éphone)?|phone|mobile|cell|handy|fax|pager|call|ring|whatsapp)\b")
CALLS = ("tel", "phone", "mobile", "cell", "handy", "fax", "pager", "call", "ring", "whatsapp")
CALL_REACH = 30
"""How far before its number a call is spoken of."""
MAIL = Pattern(r"[a-z0-9][\w.+-]{0,60}@[a-z0-9][a-z0-9.-]{0,60}\.[a-z]{2,12}")
PRIVATE_MAIL = Pattern(
    r"@(?:gmail|googlemail|hotmail|outlook|live|yahoo|ymail|aol|gmx|web|t-online|icloud|me|proton(?:mail)?|qq|163|"
    r"libero|orange|free|wanadoo|mail)\.[a-z.]{2,6}\Z"
)
SOMEBODY = Pattern(
    r"\b(?:patient(?:in|en)?|his|her|wife|husband|daughter|son|mother|father|brother|sister|relatives?|"
    r"next\s+of\s+kin|family|emergency\s+contact|mr|mrs|ms|miss|herrn?|frau|mrn|dob|chart|lives|resident|consent|"
    r"year[- ]old)\b"
)
TITLES = ("mr", "ms", "miss", "mister", "herr", "frau", "mme", "monsieur", "madame", "sr", "señor", "dhr", "mev")
TITLE = Pattern(
    r"(?<![\w.])(?:Mr|Mrs|Ms|Miss|Mister|Herrn?|Frau|Mme|Monsieur|Madame|Sra?|Señora?|Dhr|Mevr|Mevrouw)\b\.?[ \t]+"
    r"(?:(?:van|von|de|zu|di|da|van[ \t]+der|von[ \t]+der)[ \t]+)?(?P<name>[A-ZÄÖÜÉ][a-zäöüßéèñç'-]{1,20}|[A-Z]\.)"
    r"(?![\w]*[ \t]+(?:[Ss]ign|[Ss]yndrome|[Dd]isease|[Ss]core))"
)
GIVEN = frozenset(
    words(
        """James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Mark
        Donald Steven Paul Andrew Joshua Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary
        Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Frank Gregory Raymond Alexander
        Patrick Jack Dennis Jerry Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy
        Betty Margaret Sandra Ashley Kimberly Emily Donna Michelle Carol Amanda Dorothy Melissa Deborah Stephanie
        Rebecca Sharon Laura Cynthia Kathleen Amy Angela Shirley Anna Brenda Pamela Emma Nicole Helen Samantha
        Katherine Christine Debra Rachel Carolyn Janet Catherine Maria Heather Diane Ruth Julie Olivia Joyce Virginia
        Jane Alice Eleanor Peter Hans Klaus Wolfgang Jürgen Günter Heinz Stefan Andreas Martin Ursula Monika Petra
        Sabine Renate Helga Karin Brigitte Ingrid Erika Pierre Jean Michel Philippe Marie Nathalie Isabelle Sophie
        José Juan Antonio Manuel Carlos Luis Carmen Isabel Lucia Giovanni Marco Luca Giulia Jan Pieter Johannes Anja
        Mohammed Ahmed Fatima Wei Ming Yuki Hiroshi Ivan Olga Dmitri Erik Lars Astrid"""
    )
)
GIVEN_LOWER = frozenset(name.lower() for name in GIVEN)
BLANKS = (" ", "\t")
GIVEN_FIRST = Pattern(
    r"(?<![\w-])(?P<given>[A-Z]\w{1,15})(?=[ \t]+(?:[A-Z]\.[ \t]+)?[A-ZÄÖÜÉ][a-zäöüßéèñç'-]{2,20}(?![\w-]))"
)
GIVEN_LAST = Pattern(r"(?<![\w-])[A-ZÄÖÜÉ][a-zäöüßéèñç'-]{2,20},[ \t]+(?P<given>[A-Z]\w{1,15})(?![\w-])")
ABOUT_A_PATIENT = Pattern(
    r"\b(?:patient(?:in)?\b(?!s)|pt\.?|mrn|dob|born|geb\.|geboren|year[- ]old|y/o|yo\b|jähriger?|admitted|discharged|"
    r"hospitali[sz]ed|was\s+(?:intubated|ventilated|transferred|treated)|chart\s+of|room\s+\d|bed\s+\d|née?\s+le)"
)
NAMED_FIELD = Pattern(
    r"(?<![\w-])(?:Patient(?:in)?(?:['’]s)?[ \t]+[Nn]ame|Patientenname|Nom[ \t]+du[ \t]+patient|"
    r"Name[ \t]+of[ \t]+(?:the[ \t]+)?patient)"
    r"[ \t\"'*|]{0,4}(?::|=|is\b|\|)[ \t\"'*]{0,4}(?P<name>[A-ZÄÖÜÉ][a-zäöüßéèñç'-]{1,20})"
)
DWELLS = ("lives", "living", "resid", "wohnhaft", "address")
ADDRESS = Pattern(
    r"\b(?:lives|living|resides|residing|wohnhaft|address)\b[^.\n]{0,30}?\b\d{1,5}\s+[a-z][\w']{1,20}(?:\s+[a-z][\w']{1,20})?\s+"
    r"(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|way|court)\b"
)
AUTHORS = Pattern(
    r"\b(?:et\s+al|pmid|doi|authors?|published|derived\s+by|developed\s+by|described\s+by|written\s+by|editors?)\b|\(\d{4}\)"
)
STAYED = ("admitted", "discharged", "died", "intubated", "extubated", "transferred", "operated", "deceased")
STAY_DATE = Pattern(
    rf"\b(?:{'|'.join(STAYED)})\s+"
    rf"(?:to\s+[\w ]{{1,30}}?\s+)?(?:on\s+)?(?P<day>{DAY})"
)


def check_personal(plain: View) -> Iterator[Hit]:
    """Places that name a person who is no author."""
    text, lower = plain.text, plain.lower
    if any(character.isdigit() for character in text):
        yield from _numbers(plain)
    if "@" in lower:
        for match in MAIL.finditer(lower):
            if PRIVATE_MAIL.search(match.group()) or _mentions(plain, SOMEBODY, match):
                yield _hit(plain, match, "the mail address of a person")
    for match in TITLE.matches_at(text, plain.places(TITLES)):
        yield _hit(plain, match, "the name of a person")
    for match in NAMED_FIELD.matches_at(text, plain.places(("patient", "nom", "name"))):
        yield _hit(plain, match, "the name of a person")
    given = sorted(place for name in GIVEN_LOWER & plain.words.keys() for place in plain.words[name])
    after_blank = any(text[max(0, place - 1) : place] in BLANKS for place in given)
    for matches in (GIVEN_FIRST.matches_at(text, given), GIVEN_LAST.finditer(text) if after_blank else ()):
        for match in matches:
            if (
                match.group("given") in GIVEN
                and _mentions(plain, ABOUT_A_PATIENT, match)
                and not _mentions(plain, AUTHORS, match)
            ):
                yield _hit(plain, match, "the name of a person")


def _numbers(plain: View) -> Iterator[Hit]:
    lower = plain.lower
    for match in RECORD.matches_at(lower, plain.places(RECORDS)):
        if len(re.sub(r"\D", "", match.group("number"))) >= 5:
            yield Hit("personal-data", *plain.raw(*match.span("number")), "the number of a person's record")
    for match in SOCIAL.matches_at(lower, plain.numbers):
        yield _hit(plain, match, "a social security number")
    for match in BORN.matches_at(lower, plain.places(BIRTHS)):
        yield _hit(plain, match, "a day of birth")
    called = _places_after_a_call(plain)
    if called or SOMEBODY.search(lower):
        for match in PHONE.matches_at(lower, sorted({*called, *plain.places("+(")})):
            if 9 <= len(re.sub(r"\D", "", match.group())) <= 14 and _is_a_call(plain, match):
                yield _hit(plain, match, "a telephone number")
    for match in ADDRESS.matches_at(lower, plain.places(DWELLS)):
        yield _hit(plain, match, "the address of a person")
    for match in STAY_DATE.matches_at(lower, plain.places(STAYED)):
        yield Hit("personal-data", *plain.raw(*match.span("day")), "a day of somebody's stay", "warning")


def _places_after_a_call(plain: View) -> list[int]:
    """The numbers before which a call is spoken of: another number is that of a telephone only with a sign before."""
    numbers = plain.numbers
    return [
        place
        for call in CALLED.matches_at(plain.lower, plain.places(CALLS))
        for place in numbers[bisect_left(numbers, call.end()) : bisect_right(numbers, call.start() + CALL_REACH)]
    ]


def _is_a_call(plain: View, match: re.Match[str]) -> bool:
    """Whether the digits are said to be a telephone of somebody, or are called right before."""
    before = plain.lower[max(0, match.start() - CALL_REACH) : match.start()]
    if re.search(r"(?:doi|isbn|pmid|nct|loinc|snomed|orcid|grant|items?|ids?|1-8[08][08])[^\n]{0,12}\Z", before):
        return False
    return CALLED.search(before) is not None or (
        match.group().startswith(("+", "(")) and _mentions(plain, SOMEBODY, match)
    )


def _mentions(plain: View, pattern: Pattern, match: re.Match[str]) -> bool:
    """Whether ``pattern`` occurs in the same line, at most a sentence or two away."""
    start = max(plain.lower.rfind("\n", 0, match.start()) + 1, match.start() - 120)
    end = plain.lower.find("\n", match.end(), match.end() + 160)
    return pattern.search(plain.lower[start : end if end >= 0 else match.end() + 160]) is not None


def _hit(plain: View, match: re.Match[str], message: str) -> Hit:
    return Hit("personal-data", *plain.raw(*match.span()), message)


RULES = (
    Rule(
        "personal-data",
        "rows",
        "error",
        "Names, numbers of records, days of birth, telephones and mail addresses point to a person. They never belong "
        "into a shared text.",
        "Delete it. Describe the situation without the person ('a patient of 70 years with two stays').",
        refused=texts(
            "MRN: 7731920, creatinine 3.1 mg/dL.",
            "Mr. Miller was ventilated for two days.",
            "Pat.-Nr. 4481920, geb. 12.03.1948.",
            "The patient, Jane Smith, a 71-year-old woman, died.",
            "Call her daughter: (617) 555-0142.",
            "SSN 078-05-1120",
            "The patient (m.lopez@gmail.com) agreed.",
        ),
        accepted=texts(
            "Vincent JL, Moreno R, Takala J, et al. Intensive Care Med 1996;22:707-710. ISBN 978-3-16-148410-0.",
            "Jean-Louis Vincent described the score in 1996; Mr is no abbreviation of magnetic resonance.",
            "Questions to guidelines@kdigo.org. The medical record number is not in the database.",
            "Items 220045 220050 220179; born before 1950; admitted between 2008 and 2019.",
            "Named after William Knaus and George Apgar; the Glasgow scale of Graham Teasdale (1974).",
        ),
    ),
)
