"""The clauses of a query, weighed: how surely ``select``, ``from``, ``join`` … are a query's and not English.

All patterns run on the ``flow`` view in lower case."""

from __future__ import annotations

import re

from m4review.lint.pattern import Pattern
from m4review.lint.rule import words
from m4review.lint.sqlwords import CODE, COLUMN, NOT_NAMES, OPERATOR, PREDICATE, QUALIFIED, TABLE, WORD

TOKEN = Pattern(r"'[^'\n]{0,80}'|[a-z_][\w$]*(?:\.[a-z_*][\w$]*)*|\d+(?:\.\d+)?|\S")
INNER_WORDS = frozenset(
    words(
        """as case when then else end and or not is null in between like ilike over partition by order desc asc distinct
    filter where within interval hour hours day days minute minutes year years month current_date on all any cast
    nulls first last rows range preceding following unbounded current row ignore respect exists from using"""
    )
)
STRUCT = Pattern(r"\s+as(?:\s+(?:struct|value))?")
LINE_START = Pattern(r"(?:^|\n)[ \t(,;]*\Z")


def weigh_select(text: str, lower: str, position: int) -> tuple[float, int] | None:
    """``select`` with a list that reads as columns and expressions, not as English."""
    start = position + 6
    depth = words = code = commas = prose = 0
    previous_plain = False
    star = False
    first = ""
    end = start
    so_far = (0, 0, 0, start)
    for match in TOKEN.finditer(lower, start, min(len(lower), start + 3000)):
        token = match.group()
        if not prose and "\n" in lower[end : match.start()] and not lower[end : match.start()].strip(" \t\n"):
            so_far = (code, commas, words, end)
        if not first:
            if STRUCT.fullmatch(lower, start, match.end()) and token in {"as", "struct", "value"}:
                continue
            if token in {"distinct", "all", "top"} or (
                token.isdigit() and words == 0 and lower[start : match.start()].strip() == "top"
            ):
                continue
            first = token
        if token == "from" and depth <= 0:
            if not code and not star and lower[start : match.start()].rstrip().endswith(","):
                return None
            return _select_from(text, lower, position, match.end(), code, commas, prose, words, star)
        if token in {";", "…", ":"} or depth < 0 or prose > 1 or (token == "." and depth == 0):
            break
        if token in "([":
            depth += 1
            code += 1 if previous_plain and lower[match.start() - 1] != " " else 0
            previous_plain = False
        elif token in ")]":
            depth -= 1
            previous_plain = False
        elif token == ",":
            commas += 1
            previous_plain = False
        elif token == "*":
            star = star or words == 0
            previous_plain = False
        elif token.strip("_$") and (token[0].isalpha() or token[0] == "_"):
            words += 1
            if token in INNER_WORDS and token != first:
                previous_plain = False
            elif "." in token or "_" in token:
                code += 1
                prose += 1 if previous_plain and token in NOT_NAMES else 0
                previous_plain = False
            else:
                prose += 1 if token in NOT_NAMES or previous_plain else 0
                previous_plain = True
        elif token[0] in "+-/%|:<>=!" or token[0].isdigit() or token[0] == "'":
            previous_plain = False
        end = match.end()
    if prose:
        code, commas, words, end = so_far
    capitals = text[position:start].isupper()
    if code and commas and "\n" in lower[position:end].strip():
        return 4.5, end
    if code and (commas or (not prose and (code > 1 or (capitals and words < 12)))):
        return (3.0 if commas else 2.0) + (1.0 if capitals else 0.0), start
    return None


RELATION = Pattern(
    rf"\s*(?:(?P<code>{QUALIFIED}|[a-z]\w*_\w*|{TABLE}\b)|(?P<call>[a-z_]\w*\s*\()|"
    rf"(?P<inner>\(\s*(?:select|with|values)?)|(?P<quoted>')|(?P<word>{WORD}))"
)
UPPER_FROM = Pattern(r"\bFROM\s*\Z")


def _select_from(
    text: str, lower: str, position: int, end: int, code: int, commas: int, prose: int, words: int, star: bool
) -> tuple[float, int] | None:
    relation = RELATION.match(lower, end)
    if relation is None:
        return None
    kind = relation.lastgroup
    name = relation.group(kind) if kind else ""
    if kind == "word" and (name in NOT_NAMES or len(name) < 2):
        listed = code > 0 and commas > 0 and not prose
        return (4.0, end) if listed and CLAUSE_NEXT.match(lower, relation.end()) else None
    capitals = text[position : position + 6].isupper() and bool(UPPER_FROM.search(text[max(0, end - 8) : end]))
    if prose:
        return (4.0 if capitals and kind != "word" and prose < 2 else 0.0, end) if capitals else None
    solid = code > 0 or star or words == 0
    weight = {"code": 2.5, "call": 3.0, "inner": 3.0, "quoted": 3.0}.get(kind or "", 0.5)
    weight += 2.5 if solid and (commas or kind != "word" or star) else 1.0 if solid else 0.5 if commas else 0.0
    weight += 2.0 if capitals else 0.0
    return weight, end


FROM = Pattern(
    rf"from\s+(?:only\s+|lateral\s+)?(?P<name>{CODE}|{TABLE}\b)(?:\s+(?:as\s+)?(?P<alias>[a-z]\w{{0,3}})\b(?!\s*\())?"
)
FROM_CALL = Pattern(
    r"from\s*(?:\(\s*(?:select|with)\b|(?:read_\w+|parquet_scan|unnest|generate_series|flatten|"
    r"table|range)\s*\(|'[^'\n]{1,120}\.(?:csv|parquet|json)[^'\n]{0,8}')"
)
CLAUSE_NEXT = Pattern(
    r"\s*(?:\n|,|;|\)|\Z|(?:where|left|right|inner|full|cross|join|group|order|on|limit|union|using|qualify|"
    r"window)\b)"
)


def weigh_from(text: str, lower: str, position: int) -> tuple[float, int] | None:
    call = FROM_CALL.match(lower, position)
    if call:
        return 3.5, call.end()
    match = FROM.match(lower, position)
    if match is None:
        return _from_word(text, lower, position)
    weight = 1.0
    end = match.end("name")
    alias = match.group("alias")
    upper = text[position : position + 4] == "FROM"
    if alias and alias not in NOT_NAMES and CLAUSE_NEXT.match(lower, match.end()):
        weight, end = 2.5, match.end()
    elif LINE_START.search(lower[max(0, position - 40) : position]) and CLAUSE_NEXT.match(lower, end):
        weight = 2.25 if "." in match.group("name") and _fills_line(lower, position, end) else 1.5
    return weight + (1.0 if upper else 0.0), end


FROM_WORD = Pattern(
    rf"from\s+(?P<name>{WORD})(?:\s+(?:as\s+)?(?P<alias>[a-z]\w?))?\s*(?:(?P<closed>\)\s*(?:,|\n|as\b|\Z))|"
    r"(?P<next>\n\s*(?:where|left|right|inner|full|cross|join|group|order|union|qualify|limit)\b(?!,)))"
)


def _from_word(text: str, lower: str, position: int) -> tuple[float, int] | None:
    """``from`` and a plain word: only where the layout of the next clause leaves no doubt."""
    match = FROM_WORD.match(lower, position)
    if match is None or match.group("name") in NOT_NAMES:
        return None
    at_start = LINE_START.search(lower[max(0, position - 40) : position]) is not None
    if match.group("closed"):
        return (2.0 if at_start else 1.0), match.end("name")
    return (2.0, match.end("name")) if at_start else None


JOIN_BEFORE = Pattern(
    r"(?:left|right|inner|full|cross|natural|semi|anti|asof|positional|outer)(?:\s+(?:outer|semi|anti|any|all))?\s+\Z"
)
JOIN = Pattern(
    rf"join\s+(?:lateral\s+)?(?:(?P<inner>\(\s*(?:select|with)\b)|(?P<call>unnest|"
    rf"[a-z]+_\w+)\s*\(|(?P<name>{QUALIFIED}|{WORD})"
    rf"(?:\s+(?:as\s+)?(?P<alias>(?!on\b|using\b){WORD}))?\s*(?P<link>\s(?:on|"
    rf"using)\b\s*(?P<after>\(|{QUALIFIED}\s*{OPERATOR}|{WORD}\s*{OPERATOR})?)?)"
)


def weigh_join(text: str, lower: str, position: int) -> tuple[float, int] | None:
    match = JOIN.match(lower, position)
    if match is None:
        return None
    if match.group("inner") or match.group("call"):
        return 4.0, match.end()
    name = match.group("name")
    if name in NOT_NAMES:
        return None
    typed = JOIN_BEFORE.search(lower[max(0, position - 24) : position]) is not None
    code = "." in name or "_" in name or re.fullmatch(TABLE, name) is not None
    alias = match.group("alias")
    aliased = alias is not None and alias not in NOT_NAMES and len(alias) <= 4
    upper = text[position : position + 4] == "JOIN"
    if match.group("after") and (alias is None or aliased or alias not in NOT_NAMES):
        return (5.0 if typed or code else 4.0), match.end()
    weight = (1.5 if typed else 0.5) + (1.0 if code else 0.0) + (1.0 if upper else 0.0)
    if aliased and match.group("link"):
        weight += 1.5
    elif aliased and code and CLAUSE_NEXT.match(lower, match.end("alias")):
        weight += 1.0
    return (weight, match.end("name")) if weight >= 1.0 else None


WHERE = Pattern(
    rf"where\s+(?:not\s+)?(?:(?P<exists>exists\s*\()|(?P<always>1\s*=\s*1)|"
    rf"(?P<code>\(?\s*{COLUMN}{PREDICATE})|"
    rf"(?P<call>\(?\s*[a-z_]\w*\([^()\n]{{0,80}}\){PREDICATE})|(?P<word>{WORD}\s*{OPERATOR}))"
)


def weigh_where(text: str, lower: str, position: int) -> tuple[float, int] | None:
    match = WHERE.match(lower, position)
    if match is None:
        return None
    weight = {"exists": 3.0, "always": 3.0, "code": 2.5, "call": 2.5, "word": 1.0}[str(match.lastgroup)]
    if match.lastgroup == "code" and "." in match.group("code"):
        weight = 3.0
    return weight + (0.75 if text[position : position + 5] == "WHERE" else 0.0), match.end()


GROUP = Pattern(
    rf"group\s+by\s+(?:(?P<solid>all\b|\d+\s*(?:,|\n|;|\)|\Z)|rollup\s*\(|cube\s*\(|"
    rf"grouping\s+sets)|(?P<list>{WORD}(?:\.{WORD})?(?:\s*,\s*(?:{WORD}(?:\.{WORD})?|\d+))*))"
)
ORDER = Pattern(
    rf"order\s+by\s+(?:(?P<call>[a-z_]\w*\()|(?P<number>\d+\s*(?:,|\n|;|\)|\Z|desc|asc))|"
    rf"(?P<list>{WORD}(?:\.{WORD})?(?P<way>\s+(?:desc|"
    rf"asc)\b)?(?:\s*,\s*{WORD}(?:\.{WORD})?(?:\s+(?:desc|asc)\b)?)*))"
)
GOES_ON = Pattern(
    r"\s+(?!having\b|order\b|limit\b|where\b|union\b|qualify\b|desc\b|asc\b|nulls\b|rows\b|"
    r"range\b|select\b|then\b)[a-z]{2,}"
)


def weigh_group(text: str, lower: str, position: int) -> tuple[float, int] | None:
    match = GROUP.match(lower, position)
    if match is None:
        return None
    upper = 1.0 if text[position : position + 5] == "GROUP" else 0.0
    if match.group("solid"):
        return 3.0 + upper, match.end()
    names = match.group("list")
    if names.split(",")[0].strip() in NOT_NAMES:
        return None
    code = "." in names or "_" in names
    following = GOES_ON.match(lower, match.end())
    english = following is not None and "\n" not in following.group()
    weight = (1.0 if english else 3.0) if code else 0.5 if english or "," not in names else 1.5
    if code and not english and _fills_line(lower, position, match.end()):
        weight = 4.0
    return weight + upper, match.end()


def _ends_paragraph(blank_and_word: str) -> bool:
    """Whether a blank line parts the word from what stands before it."""
    return blank_and_word.count("\n") > 1


def _fills_line(lower: str, start: int, end: int) -> bool:
    """Whether the construct stands alone on its line."""
    return (
        LINE_START.search(lower[max(0, start - 40) : start]) is not None
        and re.match(r"[ \t]*[;)]*[ \t]*(?:\n|\Z)", lower[end : end + 8]) is not None
    )


def weigh_order(text: str, lower: str, position: int) -> tuple[float, int] | None:
    match = ORDER.match(lower, position)
    if match is None:
        return None
    upper = 0.75 if text[position : position + 5] == "ORDER" else 0.0
    if match.group("call") or match.group("number"):
        return 2.5 + upper, match.end()
    names = match.group("list")
    if names.split(",")[0].split()[0] in NOT_NAMES:
        return None
    code = "." in names or "_" in names or re.match(COLUMN + r"\b", names) is not None
    following = GOES_ON.match(lower, match.end())
    english = following is not None and not _ends_paragraph(following.group())
    weight = (0.75 if english else 2.0) if code else 0.5
    weight += 1.5 if match.group("way") else 0.0
    return weight + upper, match.end()
