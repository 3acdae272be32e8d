"""Ablation: which section of a skill carries the reward, as figures and as bars of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from m4review.trials.bars import reward_bar
from m4review.trials.conditions import Arm, Condition
from m4review.trials.summary import ConditionResult, SectionEffect, TrialSummary

BAR = 16
"""Cells of a bar for a reward of 1."""
NO_EFFECT = 0.0005
"""A smaller change of the reward is shown as none."""


def section_effects(results: Sequence[ConditionResult]) -> tuple[SectionEffect, ...]:
    """What each left-out section costs, in the order of the text."""
    whole = next((result for result in results if result.arm == Arm(Condition.WITH_SKILL)), None)
    effects = []
    for result in results:
        if result.left_out is None:
            continue
        both = whole is not None and whole.reward is not None and result.reward is not None
        effects.append(
            SectionEffect(
                section=result.left_out,
                reward=result.reward,
                lost=_difference(whole, result),
                columns_lost=_columns_lost(whole, result) if both else {},
            )
        )
    return tuple(effects)


def ablation_lines(summary: TrialSummary, width: int = BAR) -> Iterator[str]:
    """The ends and each section, longest loss readable at a glance; nothing when no section was left out."""
    if not summary.ablation:
        return
    ends = [(name, summary.reward(name)) for name in (Condition.NO_SKILL, Condition.WITH_SKILL)]
    label = max(len(name) for name in ("whole skill", *(f"  {effect.section}" for effect in summary.ablation))) + 2
    whole = ends[1][1]
    yield f"{'reward with one section left out':<{label}}{'reward':>8}{'lost':>9}"
    yield f"{'no skill':<{label}}{_figure(ends[0][1])}{'':>9}  {reward_bar(ends[0][1], None, width)}".rstrip()
    yield f"{'whole skill':<{label}}{_figure(whole)}{'':>9}  {reward_bar(whole, None, width)}".rstrip()
    for effect in summary.ablation:
        lost = "–" if effect.lost is None else f"{-effect.lost:+.3f}" if abs(effect.lost) >= NO_EFFECT else "0.000"
        bar = reward_bar(effect.reward, whole, width)
        yield f"{'  ' + effect.section:<{label}}{_figure(effect.reward)}{lost:>9}  {bar}".rstrip()
    yield carried_by(summary)


def carried_by(summary: TrialSummary) -> str:
    """One sentence: which sections carry the reward, most first."""
    losing = [effect for effect in summary.ablation if effect.lost is not None and effect.lost >= NO_EFFECT]
    if not losing:
        return "No single section changes the reward when it is left out."
    losing.sort(key=lambda effect: -(effect.lost or 0.0))
    named = ", ".join(f"{effect.section} ({effect.lost:.3f})" for effect in losing)
    return f"The reward rests on: {named}."


def _figure(reward: float | None) -> str:
    return f"{'–' if reward is None else f'{reward:.3f}':>8}"


def _difference(whole: ConditionResult | None, result: ConditionResult) -> float | None:
    if whole is None or whole.reward is None or result.reward is None:
        return None
    return whole.reward - result.reward


def _columns_lost(whole: ConditionResult | None, result: ConditionResult) -> dict[str, float]:
    assert whole is not None
    lost = {name: rate - result.columns.get(name, 0.0) for name, rate in whole.columns.items()}
    return {name: value for name, value in lost.items() if abs(value) >= NO_EFFECT}
