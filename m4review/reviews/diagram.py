"""The state diagram, found by trying: every short sequence of events is given to the state function itself.

Nothing here says which states follow which; a line of the diagram is a sequence of events after which the state
function really said so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from m4review.reviews.digests import SCHEME
from m4review.reviews.events import EVENT_SCHEMA, TIME_FORMAT, event_path, parse_event, render_event
from m4review.reviews.kinds import Event
from m4review.reviews.releases import relied_on
from m4review.reviews.status import SkillStatus, skill_state
from m4review.reviews.subjects import Node, Subject
from m4review.workspace import SCOPES, Policy, Roster, Scope

START = datetime(2000, 1, 1, tzinfo=UTC)
POLICY = Policy()
DEPTH = 4
AUTHOR = "author@example.invalid"


@dataclass(frozen=True)
class Case:
    """One sequence: the texts recorded, the events given, what the text builds on, the database it is for."""

    texts: tuple[int, ...] = (0,)
    events: tuple[Event, ...] = ()
    dep: int = 0
    database: int = 0
    done: frozenset[str] = frozenset()

    @property
    def subject(self) -> Subject:
        text = self.texts[-1]
        scopes: dict[Scope, str] = {scope: _digest(f"{scope}{text}") for scope in SCOPES}
        deps, context = {"other": _digest(f"dep{self.dep}")}, {"mimic-iv": _digest(f"database{self.database}")}
        return Subject("skill", _digest(f"text{text}"), {"card": _digest("card")}, scopes, deps, context)


Step = Callable[[Case, SkillStatus], Case | None]


@cache
def transitions(depth: int = DEPTH) -> tuple[tuple[str, str, str], ...]:
    """Every (state, what happened, next state) met within ``depth`` steps from a first draft, sorted."""
    found = set()
    for case in lives(depth - 1):
        before = _state(case)
        for name, after in _next(case, before):
            status = _state(after)
            if status.state != before.state:
                found.add((before.state, name, status.state))
    return tuple(sorted(found))


def lives(depth: int = DEPTH) -> Iterator[Case]:
    """Every life of at most ``depth`` steps from a first draft, each once, the shortest first."""
    waiting = [Case()]
    seen = {_key(waiting[0])}
    yield waiting[0]
    for _ in range(depth):
        following = []
        for case in waiting:
            for _, after in _next(case, _state(case)):
                if _key(after) not in seen:
                    seen.add(_key(after))
                    following.append(after)
                    yield after
        waiting = following


def _next(case: Case, status: SkillStatus) -> Iterator[tuple[str, Case]]:
    for name, step in STEPS.items():
        after = step(case, status)
        if after is not None:
            yield name, after


def mermaid(depth: int = DEPTH) -> str:
    """The diagram in Mermaid's notation."""
    lines = ["stateDiagram-v2", "    [*] --> draft"]
    grouped: dict[tuple[str, str], list[str]] = {}
    for before, what, after in transitions(depth):
        grouped.setdefault((before, after), []).append(what)
    lines += [f"    {_id(a)} --> {_id(b)}: {', '.join(what)}" for (a, b), what in sorted(grouped.items())]
    names = sorted({state for pair in grouped for state in pair if " " in state})
    return "\n".join([*lines[:1], *(f'    state "{name}" as {_id(name)}' for name in names), *lines[1:]])


def _verdict(actor: str, decision: str) -> Step:
    def step(case: Case, status: SkillStatus) -> Case | None:
        name = f"{actor}{case.texts[-1]}{case.dep}{case.database}"
        if name in case.done:
            return None
        subject = case.subject
        own = [one.verdict.id for one in status.verdicts if one.standing == "counts" and one.verdict.actor == actor]
        more = {
            "scopes": dict(subject.scopes),
            "round": "independent",
            "decisions": {"definition": "approve", "schema": decision, "output": "approve"},
            "looked_at": ["text"],
            "conflict_of_interest": "none",
            "supersedes": own,
            "deps": dict(subject.deps),
            "context": dict(subject.context),
        }
        return replace(_with(case, "verdict", actor, **more), done=case.done | {name})

    return step


def _propose(case: Case, status: SkillStatus) -> Case | None:
    counting = [one.verdict for one in status.verdicts if one.standing == "counts"]
    if status.state != "disputed" or status.consensus is not None:
        return None
    decisions = dict.fromkeys(SCOPES, "approve")
    ids = [verdict.id for verdict in counting]
    return _with(case, "consensus", counting[0].actor, verdicts=ids, decisions=decisions, rationale="Agreed.")


def _confirm(case: Case, status: SkillStatus) -> Case | None:
    consensus = status.consensus
    if consensus is None or consensus.invalid or not consensus.missing:
        return None
    said = consensus.statement
    return _with(
        case,
        "consensus",
        consensus.missing[0],
        verdicts=list(said.verdicts),
        decisions=dict(said.decisions),
        rationale=said.rationale,
        confirms=said.id,
    )


def _sign_off(case: Case, status: SkillStatus) -> Case | None:
    if status.state != "approved" or status.judgement is None:
        return None
    ids = relied_on(case.subject.pair, status.judgement, status.consensus, POLICY)
    rules = [{"rule": "reviewers", "passed": True, "why": "as counted"}]
    return _with(case, "sign-off", "C1", relied_on=list(ids), rules=rules)


def _seal(case: Case, status: SkillStatus) -> Case | None:
    if status.verdicts or status.sealed:
        return None
    return _with(case, "seal", "C2", commitment=_digest("sealed"))


def _withdraw(case: Case, status: SkillStatus) -> Case | None:
    own = [one.verdict for one in status.verdicts if one.standing == "counts" and one.verdict.actor == "C1"]
    if not own:
        return None
    return _with(case, "withdraw", "C1", target=own[-1].id, reason="Misread.")


def _set_aside(case: Case, status: SkillStatus) -> Case | None:
    others = [one.verdict for one in status.verdicts if one.standing == "counts" and one.verdict.actor == "C1"]
    if not others or len(status.verdicts) > 1:
        return None
    return _with(case, "assign", "C2", reviewers=["C2"], targets=[others[-1].id], reason="C1 is away.")


def _by_a_stranger(case: Case, status: SkillStatus) -> Case | None:
    return None if status.verdicts else _verdict("C9", "approve")(case, status)


def _edit(case: Case, status: SkillStatus) -> Case | None:
    return replace(case, texts=(*case.texts, 1)) if case.texts[-1] == 0 else None


def _revert(case: Case, status: SkillStatus) -> Case | None:
    return replace(case, texts=(*case.texts, 0)) if case.texts == (0, 1) else None


def _dep(case: Case, status: SkillStatus) -> Case | None:
    return replace(case, dep=1) if case.dep == 0 else None


def _database(case: Case, status: SkillStatus) -> Case | None:
    return replace(case, database=1) if case.database == 0 else None


STEPS: dict[str, Step] = {
    "a reviewer approves": _verdict("C1", "approve"),
    "another approves": _verdict("C4", "approve"),
    "a reviewer asks for changes": _verdict("C1", "changes"),
    "another asks for changes": _verdict("C4", "changes"),
    "a verdict is sealed": _seal,
    "a consensus is put forward": _propose,
    "the others confirm": _confirm,
    "sign-off": _sign_off,
    "a verdict is withdrawn": _withdraw,
    "a verdict is set aside": _set_aside,
    "somebody who is not on the roster approves": _by_a_stranger,
    "the text changes": _edit,
    "the text changes back": _revert,
    "what it builds on changes": _dep,
    "the dataset changes": _database,
}
ROSTER = Roster.model_validate(
    {"reviewers": [{"id": name, "role": "reviewer", "expertise": "any"} for name in ("C1", "C2", "C4")]}
)


def nodes_of(case: Case, author: str = AUTHOR) -> list[Node]:
    """The recorded history of a life, all of it by one author."""
    return [
        Node(
            Case(texts=(text,)).subject.pair,
            (position - 1,) if position else (),
            frozenset({author}),
            author,
            START,
            True,
        )
        for position, text in enumerate(case.texts)
    ]


def _state(case: Case) -> SkillStatus:
    return skill_state(case.subject, case.events, POLICY, ROSTER, nodes_of(case))


def _with(case: Case, kind: str, actor: str, **more: Any) -> Case:
    clock = len(case.events) + 1
    values = {
        "schema": EVENT_SCHEMA,
        "kind": kind,
        "skill": "skill",
        "scheme": SCHEME,
        "content": case.subject.content,
        "tasks": dict(case.subject.tasks),
        "actor": actor,
        "at": (START + timedelta(minutes=clock)).strftime(TIME_FORMAT),
        "clock": clock,
        "after": [],
        "policy": _digest("policy"),
        "tool": "diagram",
        "meaning": "One step of the diagram.",
    } | more
    data = render_event(values, "")
    return replace(case, events=(*case.events, parse_event(data, event_path(values, data))))


def _key(case: Case) -> tuple[object, ...]:
    return case.texts, case.dep, case.database, tuple(event.id for event in case.events)


def _id(state: str) -> str:
    return state.replace(" ", "_")


@cache
def _digest(word: str) -> str:
    return "sha256:" + hashlib.sha256(word.encode()).hexdigest()
