"""A finding can often be put right with one edit; what is offered is tried on every rule's own examples."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from m4review.lint import Example, Finding, LintContext, Rule, lint_text, rules
from m4review.lint.mending import TO_WRITE, mends

FRONT = "---\nname: example\ndescription: How to derive an example.\n---\n"
CONTEXT = LintContext(folder="example")
TEXTS = [
    (rule, example)
    for rule in rules().values()
    for example in rule.refused
    if isinstance(example.text, str) and example.path == "SKILL.md" and rule.family != "structure"
]


def check(text: str) -> list[Finding]:
    return lint_text(text, "skills/example/SKILL.md", CONTEXT)


def written(body: str) -> str:
    return f"{FRONT}# Example\n\nBefore.\n\n{body}\n\nAfter.\n"


def offered(text: str, rule: str) -> dict[str, str]:
    """What is said of each mend of the first finding of that rule → the text afterwards."""
    finding = next(found for found in check(text) if found.rule == rule)
    return {mend.does: mend.applied(text) for mend in mends(text, finding, check, "example")}


@pytest.mark.parametrize(("rule", "example"), TEXTS, ids=lambda value: getattr(value, "id", None))
def test_every_offer_leaves_fewer_findings_and_the_rest_of_the_text(rule: Rule, example: Example) -> None:
    assert isinstance(example.text, str)
    text = f"---\n{example.front}\n---\n{example.text}\n" if example.front else written(example.text)
    found = [finding for finding in check(text) if finding.rule == rule.id]
    for finding in found[:3]:
        for mend in mends(text, finding, check, "example"):
            after = mend.applied(text)
            assert len(check(after)) < len(check(text))
            before, lines = text.split("\n"), after.split("\n")
            assert lines[: mend.first - 1] == before[: mend.first - 1]
            assert lines[len(lines) - len(before[mend.last :]) :] == before[mend.last :]
            assert mend.does[0].isupper()


def test_nearly_every_rule_of_the_text_offers_something() -> None:
    without = set()
    for rule, example in TEXTS:
        assert isinstance(example.text, str)
        text = f"---\n{example.front}\n---\n{example.text}\n" if example.front else written(example.text)
        found = [finding for finding in check(text) if finding.rule == rule.id]
        if found and not mends(text, found[0], check, "example"):
            without.add((rule.id, example.front or example.text))
    assert {rule for rule, _ in without} <= {"front-matter"}, without


def test_a_query_in_a_code_block_becomes_a_reminder_to_write_it_in_words() -> None:
    after = offered(written("```sql\nSELECT stay_id FROM icustays\nWHERE los > 1;\n```"), "query")
    texts = list(after.values())
    assert texts[0] == written(TO_WRITE)
    assert "Delete the code block, lines 9 to 12" in after


def test_a_harmless_block_announced_as_code_loses_only_its_language() -> None:
    after = offered(written("```sql\nthe lowest of the day\n```"), "query-fence")
    assert next(iter(after.values())) == written("```\nthe lowest of the day\n```")


def test_invisible_characters_go_and_every_word_stays() -> None:
    text = written("The sel\u200bect st\u2060ep.\n\nAnother\u200b line.")
    after = offered(text, "zero-width")
    assert next(iter(after.values())) == written("The select step.\n\nAnother line.")


def test_a_word_with_a_letter_of_another_script_is_written_in_one() -> None:
    assert written("The select step.") in offered(written("The s\u0435lect step."), "mixed-script").values()


def test_a_comment_can_be_shown_or_deleted() -> None:
    after = list(offered(written("<!-- Ask the ward about this. -->"), "comment").values())
    assert after[0] == written("Ask the ward about this.")
    assert "Ask the ward" not in after[-1]


def test_the_name_becomes_that_of_the_folder_and_a_misspelt_key_the_one_meant() -> None:
    text = FRONT.replace("name: example", "name: Exemple") + "# T\n"
    assert FRONT + "# T\n" in offered(text, "front-matter-name").values()
    text = FRONT.replace("---\n# T", "").replace("example.\n", "example.\nlicence: MIT\n") + "# T\n"
    after = offered(text, "front-matter-key")
    assert text.replace("licence", "license") in after.values()
    assert FRONT + "# T\n" in after.values()


def test_a_missing_description_and_a_missing_block_are_put_in() -> None:
    text = "---\nname: example\n---\n# T\n"
    assert any("description: To be written" in after for after in offered(text, "front-matter").values())
    after = list(offered("# T\n", "front-matter").values())
    assert after[0].startswith("---\nname: example\n")
    assert after[0].endswith("---\n\n# T\n")


def test_a_row_of_a_patient_is_never_repeated_in_what_is_offered() -> None:
    text = written("| stay_id | sofa |\n|---|---|\n| 30000153 | 4 |\n| 39123450 | 7 |")
    for finding in check(text):
        assert all("30000153" not in mend.does for mend in mends(text, finding, check, "example"))


def test_one_of_very_many_findings_can_be_put_right_too() -> None:
    text = written("\n\n".join(f"A \u200bword {number}.\n\nstay_id 300001{number:02}" for number in range(60)))
    finding = next(found for found in check(text) if found.rule == "patient-id")
    assert any(mend.does.startswith("Delete line") for mend in mends(text, finding, check, "example"))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([one.text for _, one in TEXTS if isinstance(one.text, str)]), min_size=1, max_size=3))
def test_findings_beside_each_other_are_put_right_one_at_a_time(bodies: list[str]) -> None:
    text = written("\n\n".join(bodies))
    for finding in check(text)[:2]:
        for mend in mends(text, finding, check, "example"):
            assert len(check(mend.applied(text))) < len(check(text))
