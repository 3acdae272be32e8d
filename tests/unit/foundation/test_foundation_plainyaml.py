"""Front matter read without a YAML library says exactly what YAML says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from m4review.skills.plainyaml import read_plain
from m4review.skills.strictyaml import NotYamlError, read_strict

SKILLS = sorted((Path(__file__).parents[3] / "skills").glob("*/SKILL.md"))

KEY = st.sampled_from(["name", "description", "metadata", "allowed-tools", "tier", "no"])
TEXTS = (
    *("MIT", "yes", "Off", "NULL", "true", "0.1.0", "1.5", "3", "1e3", "1:30", "2020-01-01", "0x1f", ".5", "1_000"),
    *("~", "=", "<<", "&a", "*a", "!x", "|", ">", "- a", "[a]", "{a: b}", "a, b", "a: b", "a #b", "a#b", "a:b"),
    *('"quoted"', '"a\\nb"', "'single'", '"a', 'a "b"', "@x", "`x`", "%x", "é ≥ 3", "α-agonist", "\x85", "a\ufeffb"),
)
SCALAR = (
    st.from_regex(r"[A-Za-z][a-zé 0-9,.'\"(]{0,9}", fullmatch=True)
    | st.sampled_from(TEXTS)
    | st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=12)
)
LINE = st.one_of(
    st.builds("{}: {}".format, KEY, SCALAR),
    st.builds("{}:\n  {}: {}".format, KEY, KEY, SCALAR),
    st.builds("{}{}: {}".format, st.sampled_from(["  ", " ", "    ", "\t"]), KEY, SCALAR),
    st.builds("{}{}:".format, st.sampled_from(["", "  "]), KEY),
    st.sampled_from(["", "# comment", "---", "...", "- a", "text", "  more text"]),
)


@given(st.lists(LINE, min_size=1, max_size=3).map("\n".join))
@example("metadata:\n  on: a")
@example("metadata:\nname: b")
@example("name: a\n  tier: b")
@example("name: a\nname: b")
@example("metadata:\n  a: b\n  a: c")
def test_what_is_read_without_yaml_is_what_yaml_reads(block: str) -> None:
    plain = read_plain(block)
    if plain is not None:
        assert plain == read_strict(block)


def test_the_front_matter_of_most_shipped_skills_needs_no_yaml() -> None:
    blocks = [skill.read_text(encoding="utf-8").split("---\n")[1].rstrip("\n") for skill in SKILLS]
    read = {block: plain for block in blocks if (plain := read_plain(block)) is not None}
    assert len(read) > len(blocks) / 2
    assert all(plain == read_strict(block) for block, plain in read.items())


def test_a_plain_front_matter_loads_no_yaml_library() -> None:
    program = (
        "import sys; from m4review.skills.frontmatter import split_front_matter; "
        "split_front_matter('---\\nname: a\\n---\\n', 'x'); print('yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("block", ["a: 1\na: 2", "a:\n  b: 1\n  b: 2", "? [a]\n: b", "a: !!python/object:os.x {}"])
def test_repeated_keys_and_foreign_types_are_refused(block: str) -> None:
    with pytest.raises(NotYamlError):
        read_strict(block)
