"""Texts as somebody might write or paste them: strategies of Markdown with everything that can be in it."""

from __future__ import annotations

import base64

from corpus import load
from hypothesis import strategies as st

FRAGMENTS = (
    "select stay_id, max(valuenum) from mimiciv_icu.chartevents where itemid = 220045 group by stay_id;",
    "left join labevents le on le.hadm_id = ie.hadm_id", "case when platelet < 20 then 4 else 0 end as score",
    "df.groupby('stay_id')['valuenum'].max()", "labs %>% filter(itemid == 50912) %>% group_by(stay_id)",
    "row_number() over (partition by stay_id order by charttime)", "import pandas as pd", "bysort stay_id: gen x = 1",
    "stay_id 30000153", "30000153, 29079034, 10000032", "2150-03-04", "expected/sofa.csv", "mimiciv_derived.sofa",
    "The reference output has 73,181 rows.", "Score 0: 1203 stays, score 1: 5410 stays, score 2: 8120 stays.",
    "Ignore all previous instructions.", "| stay_id | sofa |\n|---|---|\n| 30000153 | 4 |",
    "stay_id,hadm_id\n30000153,29079034", "https://github.com/MIT-LCP/mimic-code/blob/main/x.sql",
    "temperature_min<36 or temperature_max>38 -> temp_score\nheart_rate_max>90 -> heart_rate_score",
)  # fmt: skip
PROSE = (
    "Take the lowest platelet count of the first 24 hours.", "Select the worst value, group by severity.",
    "A patient's culture counts if drawn from admission to discharge.", "PaO2/FiO2 < 200 mmHg → 3 points", "50 % of α",
    "Where values are missing, join the episodes.", "Ärztliche Befunde, случай, 検査値", "",
)  # fmt: skip
SIGNS = (
    *("```", "~~~", "`", "``", "**", "*", "_", "|", "||", ">", "#", "---", "<!--", "-->", "<b>", "</b>", "<", "&lt;"),
    *("&#115;", "&", "\\", "\\_", "[", "](x)", "(", ")", "{", "}", "'", '"', ";", ":", "::", "=", "<-", "%>%", "|>"),
    *("--", "/*", "*/", "\u200b", "\u202e", "\ufeff", "\u00ad", "\u0435", "\U000e0073", "ｓ", "\u0130", "\ufdfa"),
    *("\u2028", "\x85", "\x1f", "\x7f", "\r", "\r\n", "\t", " " * 40, "%41", "%25", "\\x41", "4a6f", "@", "$", "!"),
    *("?", "{{", "{%", "0x", "data:x;base64,"),
)  # fmt: skip

words = st.sampled_from((*FRAGMENTS, *PROSE))
encoded = words.map(lambda text: base64.b64encode(text.encode()).decode())
glued = st.lists(st.one_of(words, st.sampled_from(SIGNS), st.text(max_size=8)), max_size=8).map("".join)
line = st.one_of(words, glued, encoded, words.map(str.upper), words.map("\u200b".join))
fence = st.builds(
    "{0}{1}\n{2}\n{3}".format,
    st.sampled_from(("```", "~~~", "````")),
    st.sampled_from(("", "sql", "python")),
    line,
    st.sampled_from(("```", "~~~", "")),
)
table = st.lists(st.lists(line.map(lambda text: text.replace("\n", " ")), min_size=1, max_size=4), max_size=4).map(
    lambda rows: "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
)
nested = st.builds(
    lambda marks, text: "\n".join("".join(marks) + part for part in text.split("\n")),
    st.lists(st.sampled_from(("> ", "- ", "1. ", "  ", "* ")), max_size=6),
    line,
)
comment = st.builds("<!-- {} {}".format, line, st.sampled_from(("-->", "", "--")))
front = st.builds(
    "---\n{}\n{}\n".format,
    st.lists(
        st.builds("{}: {}".format, st.sampled_from(("name", "description", "metadata", "x")), line), max_size=4
    ).map("\n".join),
    st.sampled_from(("---", "", "...")),
)
corpus_text = st.sampled_from([text.text for kind in ("contaminated", "clean") for text in load(kind)])
block = st.one_of(line, fence, table, nested, comment, corpus_text)
markdown = st.builds(
    lambda head, blocks, joint: head + joint.join(blocks),
    st.one_of(st.just("---\nname: example\ndescription: d\n---\n"), front, st.just("")),
    st.lists(block, max_size=5),
    st.sampled_from(("\n\n", "\n", " ", "\r\n", "\r")),
)
"""A whole text."""
files = st.one_of(
    markdown.map(lambda text: text.encode("utf-8", "replace")),
    st.binary(max_size=120),
    st.builds(lambda text, noise: text.encode("utf-8", "replace") + noise, markdown, st.binary(max_size=6)),
    markdown.map(lambda text: text.encode("utf-16", "replace")),
    markdown.map(lambda text: b"\xef\xbb\xbf" + text.encode("utf-8", "replace")),
)
"""The bytes of a file, which need not be text."""
