"""The computed state of a skill in words with a glyph in front; the words alone say everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from m4review.reviews import JudgedVerdict, SkillStatus
    from m4review.reviews.consensus import JudgedConsensus
    from m4review.reviews.kinds import Override, RuleResult, TrialEvidence
    from m4review.workspace import Policy

GLYPHS = {
    "draft": "○",
    "in review": "◐",
    "approved": "●",
    "signed off": "◉",
    "consensus pending": "≈",
    "suspect": "‽",
    "lapsed": "◌",
    "withdrawn": "○",
    "superseded": "»",
    "void": "∅",
    "changes requested": "✎",
    "disputed": "≠",
    "stale": "◌",
    "not recorded": "·",
    "undecided": "?",
}
STYLES = {
    "approved": "green",
    "signed off": "green",
    "changes requested": "yellow",
    "disputed": "yellow",
    "stale": "yellow",
}
BROKEN = "✗"
WARNING = "‼"
DEMONSTRATION = "DEMONSTRATION"
"""Stands in the headline of a workspace in which nothing counts."""
IN_WORDS = {
    "counts": "on exactly this text",
    "stale": "on an earlier text",
    "superseded": "replaced or set aside",
    "withdrawn": "taken back",
    "void": "without effect",
    "undecided": "not decided whether it counts",
}
"""What a verdict is worth now, without digests and files."""


def state_line(status: SkillStatus) -> Text:
    """``● approved``, ``◐ in review (1 of 2)``; says also when the text on disk is not recorded."""
    text = Text().append(f"{GLYPHS.get(status.state, '·')} {status.label}", STYLES.get(status.state, ""))
    if not status.is_recorded and status.state != "not recorded":
        text.append(" · not recorded yet")
    return text


def status_text(status: SkillStatus) -> Text:
    """The state, what it rests on, what was set aside for it, and every verdict with its standing."""
    text = state_line(status)
    for sentence in status.because:
        text.append(f"\n  {sentence}")
    for override in status.overrides:
        text.append("\n").append_text(override_line(override))
    if status.consensus is not None:
        text.append("\n\nConsensus\n", "bold").append_text(consensus_text(status.consensus))
    if status.verdicts:
        text.append("\n\nVerdicts\n", "bold")
        text.append_text(Text("\n").join(verdict_text(judged) for judged in status.verdicts))
    else:
        text.append("\n\nNo verdict has been given yet.")
    for reviewer, why in sorted((status.excluded or {}).items()):
        text.append(f"\n{reviewer} cannot review this text: {why}.", "italic")
    return text


def status_brief(status: SkillStatus) -> Text:
    """The state and every verdict in words alone; digests, files and rules are told by :func:`status_text`."""
    text = state_line(status)
    if status.subject is None:
        text.append("".join(f"\n  {sentence}" for sentence in status.because))
    for override in status.overrides:
        text.append("\n").append_text(override_line(override))
    if status.consensus is not None and not status.consensus.invalid:
        text.append("\nConsensus: ", "bold").append_text(consensus_text(status.consensus))
    for judged in status.verdicts:
        text.append("\n").append_text(_told(judged, IN_WORDS[judged.standing]))
    return text if status.verdicts else text.append("\nNo verdict has been given yet.")


def verdict_text(judged: JudgedVerdict) -> Text:
    """One verdict: who, when, what they decided, and whether it counts now."""
    return _told(judged, f"{judged.standing}: {judged.why}")


def _told(judged: JudgedVerdict, standing: str) -> Text:
    verdict = judged.verdict
    text = Text()
    text.append(verdict.actor, "bold").append(f" · {verdict.time:%Y-%m-%d %H:%M} UTC · {standing}")
    if judged.hidden:
        return text.append(f"\n    {verdict.meaning}", "italic")
    for scope, decision in verdict.decisions.items():
        text.append(f"\n    {scope}: {decision.replace('-', ' ')}")
    for finding in verdict.findings:
        text.append(f"\n    found a {finding.severity} on {finding.scope}: {finding.text}")
    for question, answer in verdict.answers.items():
        text.append(f"\n    {question}: {answer}")
    if verdict.conflict_of_interest != "none":
        text.append(f"\n    conflict of interest: {verdict.conflict_of_interest}")
    if verdict.notes.strip():
        text.append(f"\n    “{verdict.notes.strip()}”", "italic")
    return text


def consensus_text(consensus: JudgedConsensus) -> Text:
    """What was agreed, who confirmed it, who has not, what anybody still holds against it."""
    said = consensus.statement
    text = Text()
    text.append(said.actor, "bold").append(f" put it forward on {said.at[:10]}: {said.rationale}")
    for scope, decision in said.decisions.items():
        text.append(f"\n    {scope}: {decision.replace('-', ' ')}")
    for resolution in said.resolutions.values():
        text.append(f"\n    a finding is settled: {resolution}")
    text.append(f"\n    confirmed by {', '.join(consensus.confirmed) or 'nobody yet'}")
    if consensus.missing:
        text.append(f"; waits for {', '.join(consensus.missing)}")
    for actor, dissent in consensus.dissent.items():
        text.append(f"\n    {actor} dissents: {' '.join(dissent.split())}")
    if consensus.invalid:
        text.append(f"\n    {BROKEN} it has no effect: {consensus.invalid}", "bold")
    return text


def override_line(override: Override) -> Text:
    """A rule that somebody set aside: shown wherever the state is shown, for ever."""
    return Text(
        f"{WARNING} OVERRIDE by {override.actor} on {override.at[:10]}: {', '.join(override.rules)} set aside, "
        f"because {override.reason}",
        "bold yellow",
    )


def sealing_text(status: SkillStatus, viewer: str | None, policy: Policy) -> Text:
    """What is sealed and by whom, and what stays hidden from whom until when."""
    if policy.independent == "open":
        return Text("Verdicts are open: everybody reads every verdict as soon as it is given.")
    if policy.independent == "ui-blind":
        text = Text("What others say is shown after your own verdict on this text, or when the round is complete.")
    else:
        text = Text(
            f"First verdicts are sealed: what a verdict says is kept on its giver's computer until {policy.required} "
            f"reviewers have sealed theirs and each shows their own."
        )
    for actor in status.sealed:
        whose = "You have" if actor == viewer else f"{actor} has"
        text.append(f"\n  {whose} sealed a verdict on this text; it is not shown yet.")
    hidden = sorted({judged.verdict.actor for judged in status.verdicts if judged.hidden})
    if hidden:
        text.append(f"\n  Withheld from you now: what {', '.join(hidden)} decided and wrote.")
    if status.sealed and policy.independent == "sealed":
        left = policy.required - len(set(status.sealed)) - status.given
        text.append(f"\n  {f'{left} more to seal.' if left > 0 else 'Enough are sealed: each can show theirs now.'}")
    return text


def results_text(results: Sequence[RuleResult]) -> Text:
    """The policy rule by rule, passed or not, in words."""
    return Text("\n").join(
        Text.assemble(("  passed  " if result.passed else "  FAILED  ", "bold"), f"{result.rule}: {result.why}")
        for result in results
    )


def evidence_text(trials: Sequence[TrialEvidence]) -> Text:
    """Trials recorded as evidence for exactly this text: rewards by condition, and the scored columns."""
    if not trials:
        return Text(
            "No trial is recorded as evidence for this text. F5 in the editor runs one, or shows the one there is; "
            "F2, then t, here attaches one that was measured on exactly this text."
        )
    return Text("\n\n").join(_one_trial(trial) for trial in trials)


def _one_trial(trial: TrialEvidence) -> Text:
    model = f" ({trial.model})" if trial.model else ""
    isolated = "" if trial.isolated else " · NOT ISOLATED"
    runs = f"{trial.n} run{'s' * (trial.n != 1)} per condition"
    text = Text().append(f"{trial.task}", "bold")
    text.append(f" · {trial.agent}{model} · dataset {trial.dataset} · {runs}{isolated}")
    text.append(f"\n  recorded by {trial.actor} on {trial.at[:10]} · trial {trial.trial}")
    width = max(map(len, trial.rewards))
    for condition, reward in trial.rewards.items():
        text.append(f"\n  {condition:<{width}}  reward {reward:.3f}")
    columns = {column: None for shares in trial.columns.values() for column in shares}
    for column in columns:
        shares = ", ".join(
            f"{condition} {shares[column]:.3f}" for condition, shares in trial.columns.items() if column in shares
        )
        text.append(f"\n    {column}: {shares}")
    return text
