"""Random lives of a skill: edits, reverts, verdicts, replacements, withdrawals. The state never contradicts itself."""

from __future__ import annotations

import hashlib
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from m4review.reviews import SkillStatus, Subject, Verdict, skill_state, visible_verdicts
from m4review.reviews.events import DECISIONS, Event, event_path, parse_event, render_event
from m4review.reviews.subjects import Node
from m4review.reviews.visibility import as_seen_by
from m4review.workspace import SCOPES, Policy, Roster, Scope

REVIEWERS = ("C1", "C2", "C3", "C4")
PEOPLE = (*(f"{name.lower()}@reviewers.invalid" for name in REVIEWERS), "ana@clinic.example")
POLICY = Policy()
ROSTER = Roster.model_validate(
    {"reviewers": [{"id": name, "role": "physician", "expertise": "care"} for name in REVIEWERS]}
)
START = datetime(2030, 1, 1, tzinfo=UTC)


def digest(word: str) -> str:
    return "sha256:" + hashlib.sha256(word.encode()).hexdigest()


def subject_of(text: int, card: int) -> Subject:
    scopes: dict[Scope, str] = {scope: digest(f"{scope}{text}") for scope in SCOPES}
    return Subject("lactate", digest(f"text{text}"), {"card": digest(f"card{card}")}, scopes)


class LifeOfASkill(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        self.events: list[Event] = []
        self.subject = subject_of(0, 0)
        self.time = START

    @initialize(author=st.sampled_from(PEOPLE))
    def first_version(self, author: str) -> None:
        self.record(author, 0, 0)

    @rule(author=st.sampled_from(PEOPLE), text=st.integers(0, 3), card=st.integers(0, 1))
    def record(self, author: str, text: int, card: int) -> None:
        subject = subject_of(text, card)
        if self.nodes and subject.pair == self.subject.pair:
            return
        self.time += timedelta(hours=1)
        parents = (len(self.nodes) - 1,) if self.nodes else ()
        self.nodes.append(Node(subject.pair, parents, frozenset({author}), author, self.time, True))
        self.subject = subject

    @rule(
        actor=st.sampled_from(REVIEWERS),
        decisions=st.fixed_dictionaries({scope: st.sampled_from(DECISIONS) for scope in SCOPES}),
        replaces=st.booleans(),
    )
    def give_verdict(self, actor: str, decisions: dict[str, str], replaces: bool) -> None:
        own = [event.id for event in self.events if isinstance(event, Verdict) and event.actor == actor]
        self.write(
            "verdict",
            actor,
            scopes=dict(self.subject.scopes),
            round="independent",
            decisions=decisions,
            looked_at=["text"],
            conflict_of_interest="none",
            supersedes=own[-1:] if replaces else [],
        )

    @precondition(lambda self: any(isinstance(event, Verdict) for event in self.events))
    @rule(actor=st.sampled_from(REVIEWERS), data=st.data())
    def withdraw(self, actor: str, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from([event.id for event in self.events if isinstance(event, Verdict)]))
        self.write("withdraw", actor, target=target, reason="second thoughts")

    def write(self, kind: str, actor: str, **more: Any) -> None:
        self.time += timedelta(minutes=1)
        values = {
            "schema": "m4review.event.v1",
            "kind": kind,
            "skill": "lactate",
            "scheme": "m4review.digest.v1",
            "content": self.subject.content,
            "tasks": dict(self.subject.tasks),
            "actor": actor,
            "at": self.time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "clock": len(self.events) // 2 + 1,
            "after": [],
            "policy": digest("policy"),
            "tool": "test",
            "meaning": "A test.",
        } | more
        data = render_event(values, "")
        self.events.append(parse_event(data, event_path(values, data)))

    def status(self, events: list[Event] | None = None) -> SkillStatus:
        return skill_state(self.subject, self.events if events is None else events, POLICY, ROSTER, self.nodes)

    @invariant()
    def the_order_and_repetition_of_files_change_nothing(self) -> None:
        if self.nodes:
            shuffled = [*self.events, *self.events[:2]]
            random.Random(len(shuffled)).shuffle(shuffled)
            assert self.status(shuffled) == self.status()

    @invariant()
    def the_state_never_contradicts_its_verdicts(self) -> None:
        if not self.nodes:
            return
        status = self.status()
        counting = [judged.verdict for judged in status.verdicts if judged.standing == "counts"]
        assert all(verdict.content == self.subject.content for verdict in counting)
        assert status.given == len({verdict.actor for verdict in counting})
        asks = any("changes" in verdict.decisions.values() for verdict in counting)
        approvals = {
            scope: {verdict.actor for verdict in counting}
            - {verdict.actor for verdict in counting if verdict.decisions[scope] in {"changes", "abstain"}}
            for scope in SCOPES
        }
        enough = all(len(actors) >= 2 for actors in approvals.values())
        assert (status.state == "approved") == (enough and not asks)
        assert (status.state in {"disputed", "changes requested"}) == asks
        assert (status.state in {"draft", "stale"}) == (not counting)
        assert status.state not in {"undecided", "not recorded"}
        assert (status.state == "stale") <= (status.stale is not None)

    @invariant()
    def no_author_of_the_present_text_counts(self) -> None:
        if not self.nodes:
            return
        first = next(node for node in self.nodes if node.pair == self.subject.pair)
        for judged in self.status().verdicts:
            if judged.standing == "counts":
                assert f"{judged.verdict.actor.lower()}@reviewers.invalid" not in first.authors

    @invariant()
    def a_blind_viewer_learns_no_decision(self) -> None:
        if not self.nodes:
            return
        status = self.status()
        for viewer in (None, *REVIEWERS):
            seen = as_seen_by(status, viewer, POLICY, ROSTER)
            hidden = [judged for judged in visible_verdicts(status, viewer, POLICY, ROSTER) if judged.hidden]
            assert not any(judged.verdict.decisions or judged.verdict.notes for judged in hidden)
            assert not any(judged.verdict.actor == viewer for judged in hidden)
            if any(judged.standing == "counts" for judged in hidden):
                assert seen.state == "in review"


TestLifeOfASkill = LifeOfASkill.TestCase
TestLifeOfASkill.settings = settings(max_examples=30, stateful_step_count=15, deadline=None, derandomize=True)
