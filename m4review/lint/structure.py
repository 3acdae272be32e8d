"""Family *structure*: what a skill folder may hold, and row-level data files anywhere near."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from m4review.lint.pattern import Pattern
from m4review.lint.rule import Example, Rule, words
from m4review.places import REVIEWS, SKILL_FILE, SKILLS, TASKS

MAX_BYTES = 1_000_000
SCANNED_BYTES = 200_000
"""How much of a file over the limit is still searched, so that the answer comes in time."""

LFS = b"version https://git-lfs.github.com/spec/"
IMAGES = frozenset(words(".png .jpg .jpeg .gif .webp .bmp .tif .tiff .svg .ico .heic .avif"))
DATA_FILE = Pattern(
    r"\.(?:parquet|duckdb|db|sqlite3?|feather|arrow|ipc|orc|avro|dta|sav|sas7bdat|rds|rda|rdata|"
    r"pkl|pickle|npy|npz|h5|hdf5|xlsx?|ods|csv|tsv|jsonl|ndjson)(?:\.(?:gz|zst|bz2|xz|zip))?$",
    re.I,
)
ARCHIVE = Pattern(r"\.(?:gz|zip|tar|tgz|bz2|xz|zst|7z|rar|jar|whl)$", re.I)
PROGRAM = Pattern(
    r"\.(?:py|pyc|ipynb|r|rmd|qmd|jl|do|ado|sas|sql|sh|bash|zsh|ps1|bat|js|ts|mjs|scala|java|rb|"
    r"pl|lua|exe|so|dll|wasm|m|go|rs|c|cpp)$",
    re.I,
)
LICENCE = Pattern(r"(?:licen[cs]e|notice|copying)(?:\.(?:md|txt))?", re.I)

Verdict = tuple[str, str]
"""Rule id and message."""


def check_entry(path: str, inside: str | None, mode: str, data: bytes | None, size: int) -> Iterator[Verdict]:
    """What is wrong with one file as such. ``inside`` is its path within its skill folder, ``None`` for other files."""
    if mode == "120000":
        yield "symlink", "a link to another place"
        return
    if mode == "160000":
        yield "submodule", "another repository inside this one"
        return
    if mode == "100755":
        yield "executable", "marked as executable"
    name = PurePosixPath(path).name
    if DATA_FILE.search(name) and (inside is not None or PurePosixPath(path).parts[0] in {SKILLS, TASKS, REVIEWS}):
        yield "data-file", "a data file"
        return
    if inside is not None:
        yield from _unexpected(inside, name)
    if size > MAX_BYTES:
        yield "oversize", f"{size:,} bytes; at most {MAX_BYTES:,} are read"
    if data is None:
        return
    if data.startswith(LFS):
        yield "lfs-pointer", "a pointer to content kept elsewhere"
    elif is_binary(data):
        yield "binary", "binary content, not text"


def _unexpected(inside: str, name: str) -> Iterator[Verdict]:
    suffix = PurePosixPath(name).suffix.lower()
    if name.lower() == SKILL_FILE.lower():
        if inside != SKILL_FILE:
            yield "nested-skill", "a second skill file" if "/" in inside else f"the file must be called {SKILL_FILE}"
        return
    if suffix in IMAGES:
        yield "image", "an image"
    elif PROGRAM.search(name):
        yield "script", "a program file"
    elif not (suffix in {".md", ".markdown"} or (LICENCE.fullmatch(name) and "/" not in inside)):
        yield "unexpected-file", "a file that does not belong into a skill"


def is_binary(data: bytes) -> bool:
    """Whether the first bytes are no text of any kind (UTF-16 counts as text: its encoding is named instead)."""
    head = data[:8192]
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return False
    return b"\x00" in head or head[:5] == b"%PDF-" or head[:2] == b"\x1f\x8b" or head[:4] == b"PK\x03\x04"


_NOTE = Example("Wording of the guideline.", path="references/wording.md")
_WHY_WHOLE = "Reviewers sign what they can read in this folder; anything else slips past them."

RULES = (
    Rule(
        "symlink",
        "structure",
        "error",
        "A link brings in content from elsewhere, which nobody reviewed here.",
        "Replace the link by the text itself.",
        (Example("../other", path="extra.md", mode="120000"),),
        (_NOTE,),
    ),
    Rule(
        "submodule",
        "structure",
        "error",
        "Another repository can change without a review here.",
        "Remove the submodule; copy the text you need.",
        (Example("", path="vendor", mode="160000"),),
        (_NOTE,),
    ),
    Rule(
        "lfs-pointer",
        "structure",
        "error",
        "The content lies elsewhere, so nobody can review it here.",
        "Commit the text itself.",
        (Example("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", path="big.md"),),
        (_NOTE,),
    ),
    Rule(
        "executable",
        "structure",
        "error",
        "A skill is read, never run.",
        "Clear the executable bit (chmod -x).",
        (Example("Notes.", path="notes.md", mode="100755"),),
        (_NOTE,),
    ),
    Rule(
        "binary",
        "structure",
        "error",
        _WHY_WHOLE,
        "Write the content as text.",
        (Example(b"\x00\x01\x02\x03", path="notes.md"),),
        (_NOTE,),
    ),
    Rule(
        "image",
        "structure",
        "error",
        "A picture can show what a text may not say, and no check can read it.",
        "Describe the figure in words or as a table.",
        (Example('<svg><path d="M0 0 L9 9"/></svg>\n', path="figure.svg"),),
        (_NOTE,),
    ),
    Rule(
        "script",
        "structure",
        "error",
        "A bundled program is the solution itself.",
        "Describe the procedure in words.",
        (Example("print(1)", path="scripts/score.py"), Example("select 1", path="score.sql")),
        (_NOTE,),
    ),
    Rule(
        "data-file",
        "structure",
        "error",
        "Data of patients, or results made from them, never enter the repository.",
        "Delete the file; keep data in the data home outside git.",
        (Example("stay_id,sofa\n", path="rows.csv"), Example(b"PAR1", path="rows.parquet")),
        (_NOTE,),
    ),
    Rule(
        "unexpected-file",
        "structure",
        "error",
        _WHY_WHOLE,
        "Keep SKILL.md, further Markdown files (best under references/) and a LICENSE.",
        (Example("a: 1", path="config.yaml"), Example("text", path="assets/notes.txt")),
        (_NOTE, Example("MIT", path="LICENSE"), Example("Changes.", path="CHANGES.md")),
    ),
    Rule(
        "nested-skill",
        "structure",
        "error",
        "A skill inside a skill is offered to agents without a review of its own.",
        "Make it a skill folder of its own under skills/, or a Markdown file with another name.",
        (Example("# Other", path="inner/SKILL.md"),),
        (_NOTE,),
    ),
    Rule(
        "oversize",
        "structure",
        "error",
        "No person reviews a text of this size; only its beginning was searched.",
        "Shorten the text; bulk material does not belong into a skill.",
        (Example("word " * 250_000, path="long.md"),),
        (_NOTE,),
    ),
    Rule(
        "encoding",
        "structure",
        "error",
        "Text in another encoding reads differently on each machine.",
        "Save the file as UTF-8.",
        (Example("Temp\xe9rature".encode("latin-1"), path="notes.md"),),
        (Example("Température", path="notes.md"),),
    ),
    Rule(
        "byte-order-mark",
        "structure",
        "warning",
        "The invisible mark at the start confuses some programs.",
        "Save the file as UTF-8 without a byte order mark.",
        (Example(b"\xef\xbb\xbfNotes.", path="notes.md"),),
        (_NOTE,),
    ),
    Rule(
        "missing-skill-file",
        "structure",
        "error",
        "Without SKILL.md the folder is not a skill.",
        "Add SKILL.md, or remove the folder.",
        (),
        (),
    ),
)
