"""What a trial on a changed schema gives its agent besides: a note on the schema, and skills with its names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from m4review.ehr.schemas import SchemaName, SchemaWords
from m4review.ehr.schemas.rewriting import DICTIONARY_FILE
from m4review.ehr.taskdatabase import SANDBOX_DICTIONARY
from m4review.errors import M4ReviewError
from m4review.textfile import decode
from m4review.trials.conditions import Arm
from m4review.trials.controls.texts import OfferedText
from m4review.trials.offers import Offer
from m4review.trials.skillfiles import OfferedSkill, digest_of_files

HEADING = "## Schema of this database"
ABOUT: dict[SchemaName, str] = {
    "obfuscated": "obfuscated: its schemas, tables, columns and item identifiers have other names than MIMIC-IV's. The "
    "values are the same, and the data dictionary says what each table and column holds.",
    "restructured": "restructured: tables of MIMIC-IV were merged, split and joined. The values are the same, and the "
    "layout is described in the data dictionary, table by table and column by column.",
}


def schema_note(name: SchemaName) -> str:
    """The paragraph at the end of an instruction that names the changed schema and its dictionary.

    It is the same in and outside a container: the dictionary lies beside the database.
    """
    return (
        f"{HEADING}\n\nThe database's schema is {ABOUT[name]} The dictionary is the file `{DICTIONARY_FILE}` in the "
        f"database's folder (in the sandbox `{SANDBOX_DICTIONARY}`). The columns of the output keep the names given "
        "above.\n"
    )


def mapped_arms(arms: Mapping[Arm, Offer], words: SchemaWords) -> dict[Arm, Offer]:
    """Every arm with the names of the changed schema in what it gives. Digests stay those of what was mapped."""
    return {
        arm: Offer(
            skills=tuple(_mapped_skill(skill, words) for skill in offer.skills),
            texts=tuple(_mapped_text(text, words) for text in offer.texts),
        )
        for arm, offer in arms.items()
    }


def _mapped_skill(skill: OfferedSkill, words: SchemaWords) -> OfferedSkill:
    files = {name: _mapped_file(name, data, words) for name, data in skill.files.items()}
    return replace(skill, files=files, mapped=digest_of_files(files))


def _mapped_text(text: OfferedText, words: SchemaWords) -> OfferedText:
    mapped = words.text(text.text)
    return replace(text, text=mapped, mapped=digest_of_files({text.name: mapped.encode()}))


def _mapped_file(name: str, data: bytes, words: SchemaWords) -> bytes:
    """Texts are mapped; a picture or another file that is no text stays as it is."""
    try:
        return words.text(decode(data, name).text).encode()
    except M4ReviewError:
        return data
