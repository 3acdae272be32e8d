"""SKILL.md: front matter by the Agent Skills specification, sections and tables with the lines of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.errors import SkillError, TextFileError
from m4review.skills import Skill, load_skill, parse_document, skill_from_bytes

HEAD = "---\nname: lactate\ndescription: First lactate.\n---\n"


def parse(text: str | bytes, folder: str = "lactate", profile: str | None = None) -> Skill:
    data = text if isinstance(text, bytes) else text.encode()
    return skill_from_bytes(data, Path(folder) / "SKILL.md", profile=profile)


def test_a_skill_and_its_parts() -> None:
    skill = parse(
        "---\nname: lactate\ndescription: >-\n  First lactate\n  of the stay.\nlicense: CC-BY-4.0\nmetadata:\n"
        "  version: 1.2\n  reviewed: true\n---\nBefore.\n\n# Lactate\n\n## Output\n\nOne row.\n"
    )
    assert (skill.name, skill.description, skill.license) == ("lactate", "First lactate of the stay.", "CC-BY-4.0")
    assert (skill.title, skill.body_line, skill.metadata) == ("Lactate", 11, {"version": "1.2", "reviewed": "True"})
    assert skill.body.startswith("Before.\n")
    assert [(section.path, section.line, section.end_line) for section in skill.document.sections] == [
        (("Lactate",), 13, 14),
        (("Lactate", "Output"), 15, 18),
    ]


def test_tables_carry_their_lines_cells_and_section() -> None:
    skill = parse(HEAD + "# A\n\n| item | meaning |\n|---|---|\n| 50813 | lactate |\n| 50820 | `pH` \\| arterial |\n")
    (table,) = skill.document.tables
    assert (table.header, table.line, table.section) == (("item", "meaning"), 7, ("A",))
    assert [(row.cells, row.line) for row in table.rows] == [
        (("50813", "lactate"), 9),
        (("50820", "`pH` | arterial"), 10),
    ]


def test_sections_end_before_the_next_heading_and_nest_by_level() -> None:
    document = parse_document("# A\n\n### B\ntext\n## C\n\n```\n# no heading\n```\n\nD\n---\n")
    assert [(section.level, section.path, section.line, section.end_line) for section in document.sections] == [
        (1, ("A",), 1, 2),
        (3, ("A", "B"), 3, 4),
        (2, ("A", "C"), 5, 10),
        (2, ("A", "D"), 11, 13),
    ]
    assert [(fence.text, fence.line, fence.end_line) for fence in document.fences] == [("# no heading\n", 7, 9)]
    found = document.section_at(8)
    assert found is not None
    assert found.title == "C"
    assert parse_document("text\n\n# A\n").section_at(1) is None


def test_windows_line_ends_and_a_byte_order_mark_change_nothing_but_a_warning() -> None:
    plain = parse(HEAD + "# A\n\ntext\n")
    crlf = parse((HEAD + "# A\n\ntext\n").replace("\n", "\r\n"))
    assert (crlf.text, crlf.document, crlf.warnings) == (plain.text, plain.document, ())
    marked = parse(b"\xef\xbb\xbf" + HEAD.encode())
    assert marked.warnings == ("starts with a byte order mark; it is dropped on save",)
    mixed = parse(HEAD + "a\r\nb\n")
    assert mixed.warnings == ("mixes line-end styles; they are made equal on save",)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("# Lactate\n", 1, "no front matter"),
        ("", 1, "no front matter"),
        ("\n" + HEAD, 1, "no front matter"),
        ("---\nname: lactate\n", 1, "not closed"),
        ("---\n- a\n---\n", 2, "not a list of keys"),
        ("---\n1: a\n---\n", 2, "not a list of keys"),
        ("---\nname: a\nname: b\n---\n", 3, "duplicate key 'name'"),
        ("---\nname: lactate\ndescription: a: b\n---\n", 3, "not valid YAML"),
        ("---\nname: lactate\ndescription: !!python/object:os.system x\n---\n", 3, "not valid YAML"),
        ("---\nname: lactate\ndescription: &a [*a]\n---\n", 3, "not a text"),
        ("---\nname: lactate\n---\n", 1, "has no description"),
        ("---\ndescription: a\n---\n", 1, "has no name"),
        ("---\nname: lactate\ndescription: 7\n---\n", 3, "description is not a text"),
        ("---\nname: lactate\ndescription: ''\n---\n", 3, "description is not a text"),
        ("---\nname: Lactate\ndescription: a\n---\n", 2, "not a skill name"),
        ("---\nname: lac--tate\ndescription: a\n---\n", 2, "not a skill name"),
        ("---\nname: -lactate\ndescription: a\n---\n", 2, "not a skill name"),
        ("---\ndescription: a\nname: shock\n---\n", 3, "differs from the folder 'lactate'"),
        (f"---\nname: lactate\ndescription: {'a' * 1025}\n---\n", 3, "1025 characters"),
        ("---\nname: lactate\ndescription: a\ntier: 1\n---\n", 4, "unknown front matter key 'tier'"),
        ("---\nname: lactate\ndescription: a\nmetadata: a\n---\n", 4, "metadata"),
        ("---\nname: lactate\ndescription: a\nmetadata:\n  a: [b]\n---\n", 4, "metadata"),
    ],
)
def test_a_broken_front_matter_is_named_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(SkillError, match=message) as refused:
        parse(text)
    assert refused.value.place == f"lactate/SKILL.md:{line}"


def test_the_published_profile_allows_its_two_keys() -> None:
    text = "---\nname: lactate\ndescription: a\ntier: 1\ncategory: b\n---\n"
    assert parse(text, profile="m4bench").name == "lactate"


def test_a_skill_in_another_encoding_or_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TextFileError, match="Latin-1"):
        parse((HEAD + "38 °C\n").encode("latin-1"))
    with pytest.raises(TextFileError, match="no such file"):
        load_skill(tmp_path / "SKILL.md")
