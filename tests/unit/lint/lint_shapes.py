"""Hostile shapes of text by name, each to any length: what must not make the lint slow."""

from __future__ import annotations

from collections.abc import Callable

Shape = Callable[[int], str]


def repeated(piece: str) -> Shape:
    """The piece, again and again."""
    return lambda length: (piece * (length // len(piece) + 1))[:length]


def opened(before: str, piece: str, after: str = "") -> Shape:
    """The piece again and again, after something that opens a construct and before what closes it."""
    return lambda length: before + repeated(piece)(length) + after


def growing(mark: str, text: str = "x\n") -> Shape:
    """Lines behind ever more marks: deep quotations, lists in lists."""

    def shape(length: int) -> str:
        lines: list[str] = []
        size = depth = 0
        while size < length:
            depth += 1
            lines.append(mark * depth + text)
            size += len(lines[-1])
        return "".join(lines)

    return shape


SHAPES: dict[str, Shape] = {
    "cells that name a mean on one line": repeated("median  \t "),
    # one long line
    "one word": repeated("a"),
    "one word of capitals": repeated("A"),
    "one number": repeated("7"),
    "one line of words": repeated("word "),
    "one identifier": repeated("a_"),
    "one path": repeated("a/"),
    "one dotted name": repeated("a."),
    "one list of names": repeated("stay_id, "),
    "blanks": repeated(" "),
    "tabs": repeated("\t"),
    "blanks and a word": repeated(" " * 200 + "x"),
    "blanks and a loop": repeated("while" + " " * 60),
    "blanks and a call of a list": repeated("create.([  x, "),
    "line ends": repeated("\n"),
    "blank lines": repeated(" \n"),
    "lone carriage returns": repeated("\r"),
    "apostrophes": repeated("'"),
    "patient's": repeated("the patient's "),
    "open quotes": repeated('"a '),
    # layout
    "open brackets": repeated("("),
    "square brackets": repeated("["),
    "braces": repeated("{"),
    "nested brackets": lambda length: "(" * (length // 2) + ")" * (length // 2),
    "calls in calls": repeated("max("),
    "lists in lists": repeated("[a, "),
    "deep quotations": growing("> "),
    "deep lists": growing("  ", "- x\n"),
    "quotations in one line": repeated("> "),
    "list marks in one line": repeated("- "),
    "numbers of lists": repeated("1. "),
    "headings": repeated("# x\n"),
    "fences": repeated("```\nx\n"),
    "fences of languages": repeated("```python\nx = 1\n```\n"),
    "open fence": opened("```sql\n", "x\n"),
    "open program fence": opened("```python\n", "x\n"),
    "tildes": repeated("~"),
    "backticks": repeated("`"),
    "backticks apart": repeated("` "),
    "code spans": repeated("`a` "),
    "code spans of two": repeated("``a "),
    "stars": repeated("*"),
    "stars and letters": repeated("*a"),
    "underscores": repeated("_"),
    "underscores and letters": repeated("_a "),
    "bars": repeated("|"),
    "bars and blanks": repeated("| "),
    "table rows": repeated("| a | 1 |\n"),
    "table of identifiers": opened("| stay_id | sofa |\n|---|---|\n", "| a | 1 |\n"),
    "headers of identifiers": repeated("| stay_id | x |\n"),
    "headers aligned": repeated("stay_id hadm_id x\n"),
    "ruler": repeated("|---"),
    "rulers": repeated("|" + "-" * 60 + "|\n"),
    "tables of numbers": repeated("a,b,n\n1,2,3\n\n"),
    "rows of numbers": repeated("1,2,3\n"),
    "links": repeated("[a](b) "),
    "open links": repeated("[a]("),
    "link definitions": repeated("[//]: # (a b c d)\n"),
    "images": repeated("![a](b.png) "),
    "front matter": opened("---\n", "a: b\n"),
    "front matter of lists": opened("---\nname: ", "[", "\n---\n"),
    "front matter fences": repeated("---\n"),
    # markup and encodings
    "entities": repeated("&amp;"),
    "open entities": repeated("&#"),
    "number entities": repeated("&#65;"),
    "tags": repeated("<b>"),
    "open tags": repeated("<a "),
    "attributes": opened("<span ", "style='' "),
    "comments": repeated("<!-- a b c d -->"),
    "comment openers": repeated("<!--"),
    "comment words": opened("<!-- ", "word "),
    "less than": repeated("<"),
    "backslashes": repeated("\\"),
    "escapes": repeated("\\x41"),
    "octal escapes": repeated("\\101"),
    "percent signs": repeated("%"),
    "percent encoding": repeated("%41"),
    "percent encoding of percent": repeated("%25"),
    "percent encoding apart": repeated("%41 a"),
    "plus signs": repeated("a+"),
    "plus signs and percent": opened("% ", "a+"),
    "data addresses": repeated("data:a;"),
    "base64": repeated("QUJD"),
    "base64 lines": repeated("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\n"),
    "base64 in base64": lambda length: _encoded_again(length),
    "base32": repeated("MFRGGZDF"),
    "hex": repeated("4a"),
    "hex apart": repeated("4a "),
    "hex of letters": repeated("ab"),
    "octets": repeated("01101100 "),
    "character codes": repeated("115, "),
    "letters apart": repeated("s.e.l.e.c.t "),
    "letters with blanks": repeated("a "),
    "rotated": repeated("fryrpg "),
    "mirrored": repeated("tceles "),
    "zero width": repeated("a\u200b"),
    "soft hyphens": repeated("\u00ad"),
    "direction marks": repeated("\u202e"),
    "tag characters": repeated("\U000e0073"),
    "flags": repeated("\U0001f3f4\U000e0067\U000e0062\U000e007f"),
    "look-alikes": repeated("s\u0435l\u0435"),
    "look-alike word": repeated("a\u0435"),
    "full width": repeated("ｓｅｌｅｃｔ "),
    "ligatures": repeated("\ufdfa"),
    "combining marks": opened("a", "\u0301"),
    "emoji": repeated("\U0001f469\u200d\u2695\ufe0f"),
    "dotted capitals": repeated("\u0130"),
    # queries
    "select": repeated("select "),
    "select lists": repeated("select a_b, "),
    "open select": opened("select ", "a_b, "),
    "select from": repeated("select a from b "),
    "from": repeated("from a "),
    "from calls": repeated("from unnest("),
    "join": repeated("join a "),
    "left": repeated("left "),
    "on": repeated("on a.b = "),
    "where": repeated("where a_b = 1 "),
    "and": repeated("and a_b = 1 "),
    "case": repeated("case "),
    "case when": repeated("case when a > 1 then 2 "),
    "words of a table calculation": repeated("match exclude order" + " " * 60),
    "when": repeated("when a "),
    "open when": opened("when ", "a "),
    "group by": repeated("group by a, "),
    "order by": repeated("order by a desc, "),
    "algebra": repeated("isin_σ"),
    "columns in lines": repeated("a.b,\n"),
    "names in lines": repeated("stay_id,\n"),
    "with": repeated("with a as ("),
    "open with": opened("with a (", "a, "),
    "cast": repeated("cast(a "),
    "over": repeated(") over "),
    "in lists": repeated("a_b in ('a', "),
    "values": opened("values (", "1, "),
    "unions": repeated("union all select 1 "),
    "semicolons": repeated("a;\n"),
    "long statement": opened("select a from b ", "x ", ";"),
    "capital clauses": repeated("SELECT\nFROM\nWHERE\n"),
    "casts": repeated("a::int"),
    "equalities": repeated("a.b = c.d "),
    # programs
    "method chain": repeated(".merge(a)"),
    "method chain in lines": repeated(".filter(a)\n"),
    "pipes": repeated("a |> b() "),
    "r pipes": repeated("%>% a() "),
    "arrows": repeated("a <- b "),
    "assignments": repeated("a = b\n"),
    "one assignment": opened("a = ", "b "),
    "subscripts": repeated('["a"]'),
    "imports": repeated("import pandas\n"),
    "loops": repeated("for a in b:\n    a += 1\n"),
    "conditions": repeated("if a > 1:\n    a = 1\n"),
    "deep indentation": growing(" ", "if a:\n"),
    "comprehensions": repeated("[a for a in "),
    "lambdas": repeated("lambda a: "),
    "unary minus": opened("a = ", "-", "1\nb = 2\n"),
    "attributes of attributes": opened("a = b", ".c", "\nd = 1\n"),
    "definition": opened("def f(", "a, "),
    "dollars": repeated("a$b "),
    "at signs": repeated("@subset "),
    "stata": repeated("bysort a: gen "),
    "stata names": opened("bysort ", "a "),
    "shell": repeated("psql -c "),
    "awk": repeated("awk -f "),
    "calls with braces": repeated("if (a) {\n"),
    # places, patients, figures
    "reference paths": repeated("expected/a/"),
    "reference names": repeated("expected_"),
    "run paths": repeated("runs/a/"),
    "addresses": repeated("https://a.b/c "),
    "open address": opened("https://", "a/"),
    "address names": repeated("http"),
    "concepts": repeated("concepts/a/"),
    "file names": repeated("a.sql "),
    "dashes": repeated("a-b-"),
    "schemas": repeated("mimiciv_derived."),
    "derived": repeated("derived"),
    "derived names": repeated("sofa_"),
    "removed tables": repeated("the sofa table "),
    "tables": repeated("table "),
    "identifiers": repeated("stay_id 30000153 "),
    "identifier rows": repeated("30000153, 4\n"),
    "identifier numbers": repeated("30000153 "),
    "labels": repeated("patient "),
    "label signs": opened("stay_id ", "="),
    "shifted dates": repeated("2150-03-04 "),
    "shifted years": repeated("2150 "),
    "months": repeated("4 March "),
    "figures": repeated("expected output "),
    "figures of rows": repeated("the reference output has 73,181 rows. "),
    "summaries": repeated("std 1\n"),
    "levels": repeated("0: 1203 stays, "),
    "open levels": repeated("1: 12 "),
    "thousands": repeated("1,203,"),
    "names with limits": repeated("heart_rate_max > 90 and "),
    "orders": repeated("ignore all previous "),
    "orders to agents": repeated("assistant: do not tell "),
    "earlier runs": repeated("previous run "),
}


def _encoded_again(length: int) -> str:
    import base64

    text = b"select stay_id from icustays "
    while len(text) < length:
        text = base64.b64encode(text * 2)
    return text.decode("ascii")[:length]
