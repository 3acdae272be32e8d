"""What a rule is for, in a clinician's words: what was found, why it matters, how to say it instead, and examples."""

from __future__ import annotations

import difflib
import textwrap
from dataclasses import dataclass
from itertools import groupby

from m4review.errors import LintFailure
from m4review.lint.rule import Example, Rule
from m4review.lint.ruleset import rules
from m4review.lint.scope import WAIVERS_FILE
from m4review.lint.waivers import NEVER_WAIVED, NEVER_WAIVED_FAMILIES

WIDTH = 96


@dataclass(frozen=True, slots=True)
class FamilyText:
    """What the rules of one family have in common."""

    title: str
    finds: str
    matters: str


FAMILIES = {
    "query": FamilyText(
        "Queries",
        "Text that a database could run, or a piece of it: in a code block, a sentence, a table, a comment, a bundled "
        "file, in any SQL dialect.",
        "It is a program. Whoever gets a finished query copies it, and a trial no longer shows whether the procedure "
        "is understood.",
    ),
    "program": FamilyText(
        "Programs",
        "Commands in a programming language that compute with tables, such as Python, R, Stata, Julia or SAS.",
        "It is a program. A finished program is the solution itself; a trial with it would measure copying.",
    ),
    "removed-table": FamilyText(
        "Tables that hold the answer",
        "The name of a ready-made table that the task takes away, in any spelling.",
        "It leaks the answer: the table is what the task asks for.",
    ),
    "answer-path": FamilyText(
        "Places where answers lie",
        "The path or address of an expected output, of a check, of an earlier run or of a published solution.",
        "It leaks the answer: whoever knows the place need not derive anything.",
    ),
    "rows": FamilyText(
        "Patients' data",
        "Something that looks like the record of one patient (an identifier, a row of a table, a shifted date) or that "
        "names a person (a name, the number of a record, a day of birth, a telephone). The report names the place and "
        "never repeats what stands there.",
        "It is a patient's row, or points to a person. The data use agreement forbids it, and rows of the output are "
        "the answer.",
    ),
    "results": FamilyText(
        "Results",
        "Counts, means or distributions of the output that a task asks for.",
        "It leaks the answer: a run can tune its output until the figures fit.",
    ),
    "solution": FamilyText(
        "Reference solutions",
        "A text that follows one of this project's own reference queries step by step, translated or reformatted. "
        "The report names the place and never what it resembles.",
        "It leaks the answer: the reference is what the output is compared with.",
    ),
    "specification": FamilyText(
        "Operational specifications",
        "Item ids, tables and source columns in the control text operational-spec.md, which states the rules of a "
        "derivation without a database.",
        "The control shows what the rules alone are worth; with the database's recipe in it, it would be a second "
        "skill.",
    ),
    "hidden-text": FamilyText(
        "Hidden text",
        "Characters that a reviewer cannot see, letters that only look like others, encoded text, words that the page "
        "hides, and orders to the program that reads the skill.",
        "It hides text from the people who sign the skill, while a program reads it.",
    ),
    "structure": FamilyText(
        "Files of the skill's folder",
        "Anything beside plain Markdown texts: links, programs, data files, images, other repositories.",
        "Reviewers sign what they can read here; anything else slips past them.",
    ),
    "front-matter": FamilyText(
        "Front matter",
        "The lines between the two --- at the top of SKILL.md, where they break the Agent Skills specification.",
        "Agents find and load a skill by these lines; a mistake makes it invisible.",
    ),
}


def explain(rule_id: str) -> str:
    """One rule on one screen.

    Raises:
        LintFailure: no rule has that id.
    """
    rule = rules().get(rule_id)
    if rule is None:
        near = difflib.get_close_matches(rule_id, list(rules()), n=3, cutoff=0.5)
        raise LintFailure(
            f"no rule is called {rule_id!r}",
            expected="one of " + ", ".join(near or rules()),
            fix="'m4review lint --explain' lists all rules",
        )
    family = FAMILIES[rule.family]
    blocks = rule.severity == "error"
    parts = [
        f"{rule.id} ({family.title.lower()}; {'error: blocks a version' if blocks else 'warning: shown, allowed'})",
        _said("What was found", family.finds),
        _said("Why it matters", f"{family.matters} {rule.why}"),
        _said("Say it instead", rule.fix),
        *_examples("Refused", rule.refused),
        *_examples("Accepted", rule.accepted),
        _said("If it must stay", _waiving(rule)),
    ]
    return "\n\n".join(parts)


def rule_list() -> str:
    """All rules by family, one line each."""
    lines = []
    for name, members in groupby(rules().values(), key=lambda rule: rule.family):
        lines.append(f"{FAMILIES[name].title}: {FAMILIES[name].matters}")
        lines += [f"  {rule.id:<22}{rule.severity:<9}{_first_sentence(rule.why)}" for rule in members]
        lines.append("")
    return "\n".join([*lines, "m4review lint --explain RULE tells more about one of them."])


def _said(head: str, text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=f"{head}: ", subsequent_indent="  ")


def _first_sentence(text: str) -> str:
    head, stop, _ = text.partition(". ")
    return head + "." if stop else text


def _examples(head: str, examples: tuple[Example, ...]) -> list[str]:
    return [f"{head}:\n" + "\n".join(_example(example) for example in examples)] if examples else []


def _example(example: Example) -> str:
    """The example, with what is special about its place; content that a terminal cannot show is described."""
    from m4review.lint.output import printable

    notes = {"100755": "marked as executable", "120000": "as a link", "160000": "as another repository"}
    places = [place for place in (example.path if example.path != "SKILL.md" else "", notes.get(example.mode)) if place]
    text = example.text if isinstance(example.text, str) else f"({len(example.text):,} bytes)"
    shown = f"---\n{example.front}\n---\n{text}" if example.front is not None else text
    if len(shown) > 600:
        shown = f"{shown[:200]} … ({len(shown):,} characters)"
    lines = [printable(line) for line in shown.rstrip("\n").split("\n")]
    head = [f"  {', '.join(places)}:"] if places else []
    return "\n".join([*head, f"  | {lines[0]}", *(f"  | {line}" for line in lines[1:])])


def _waiving(rule: Rule) -> str:
    if rule.family in NEVER_WAIVED_FAMILIES:
        return "It may not stay: nobody can waive patients' data."
    if rule.id in NEVER_WAIVED:
        return "It may not stay: there is no content here that a waiver could be bound to."
    if rule.severity == "warning":
        return "A warning blocks nothing. To silence it with a reason, add a waiver as for an error."
    return (
        f"Both reviewers can agree on an exception in {WAIVERS_FILE}, with the fingerprint of the finding "
        "(m4review lint --format json), a reason, a name and a last day. Every report lists it."
    )
