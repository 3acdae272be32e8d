"""Findings that a waiver allows are called waived in the editor, in words."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import OptionList

from m4review.lint import lint_paths

SKILL = "sofa-score"
WAIVER = """[[waiver]]
rule = "{rule}"
fingerprint = "{fingerprint}"
skill = "{skill}"
reason = "The wording of the guideline."
person = "C1"
expires = 2999-12-31
"""


async def test_a_waived_finding_is_listed_as_waived_and_no_longer_counts(workspace, bench) -> None:
    file = workspace.skill_file(SKILL)
    with file.open("a", encoding="utf-8") as text:
        text.write("\nSELECT stay_id FROM icustays WHERE los > 1;\n")
    (finding,) = lint_paths(workspace.root, [Path(file)]).errors
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.sees("1 error")
    waiver = WAIVER.format(rule=finding.rule, fingerprint=finding.fingerprint, skill=SKILL)
    (workspace.reviews_dir / "lint-waivers.toml").write_text(waiver, encoding="utf-8")
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.sees("no findings, 1 waived")
        listed = person.app.screen.query_one("#finding-list", OptionList).get_option_at_index(0).prompt
        assert "Waived until 2999-12-31 by C1: The wording of the guideline." in str(listed)
