"""Task cards read without a TOML library say exactly what TOML says."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from m4review.tasks.plaintoml import read_plain

CARDS = sorted((Path(__file__).parents[3] / "tasks").glob("*/*/task.toml"))

KEY = st.sampled_from(["title", "skills", "output", "a-b", "_x", "1", "a.b", '"q"', "é", ""])
TEXTS = (
    *('""', '"a"', '"a # b"', '"\\\\n"', '"a"b"', "'a'", '"""', '"a', '"é ≥ 3"', '"\t"', '"\x7f"', '"\x85"'),
    *("1", "-1", "+1", "01", "-0", "0.5", "1.", ".5", "1e3", "1_000", "1" * 17, "0.0", "-0.0", "inf", "nan"),
    *("true", "false", "True", "2020-01-01", "[]", "[1]", '["a"]', '["a", "b",]', '["a" "b"]', '[\n  "a",\n\n "b"\n]'),
    *('["a", # b\n"c"]', '["a",,"b"]', "[,]", '[["a"]]', "{}", "{ a = 1 }", "{a=1,b=2.5}", "{ a = 1, }", "{a=1,a=2}"),
    *("{ a = 1,\n b = 2 }", '{ a = "x" }', "", "# none"),
)
LINE = st.one_of(
    st.builds("{} = {}".format, KEY, st.sampled_from(TEXTS)),
    st.builds(
        "{}{}={}{}".format, st.sampled_from(["", " ", "\t"]), KEY, st.sampled_from(TEXTS), st.sampled_from("# \t")
    ),
    st.builds("[{}]".format, KEY),
    st.builds("[{}.{}]".format, KEY, KEY),
    st.sampled_from(
        ["", "# comment", "#\x00", "[[output]]", "[ output ]", "[output] # x", "[output] x", "text", "a\r"]
    ),
    st.text(max_size=8),
)


@given(st.lists(LINE, max_size=5).map("\n".join))
@example("[output]\na = 1\n[output]")
@example("output = 1\n[output]")
@example("[a.b]\nc = 1\n[a]\nb = 2")
@example("[a]\nb = 1\n[a.b]")
@example("[a.b]\n[a.c]")
@example("a = 1\na = 2")
@example("a = {b=1,b=2}")
@example("a = 1 b = 2")
def test_what_is_read_without_a_toml_library_is_what_toml_says(text: str) -> None:
    plain = read_plain(text)
    if plain is not None:
        assert repr(plain) == repr(tomllib.loads(text))


def test_no_shipped_card_needs_a_toml_library() -> None:
    assert CARDS
    for card in CARDS:
        text = card.read_text(encoding="utf-8")
        assert repr(read_plain(text)) == repr(tomllib.loads(text)), card


def test_the_context_of_a_plain_card_loads_no_toml_library() -> None:
    program = (
        "import sys; from m4review.lint.context import TaskIndex; "
        "index = TaskIndex.from_bytes({'sofa/a': b'skills = [\"sofa\"]\\nremoved = [\"d.sofa\"]'}); "
        "print(sorted(index.context('sofa').answers), 'tomllib' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown == "['sofa'] False\n"
