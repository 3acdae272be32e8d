"""Random lives of a skill, with events of every kind that changes a state. The state never contradicts itself."""

from __future__ import annotations

import hashlib
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from m4review.reviews import SkillStatus, Subject, Verdict, skill_state, visible_verdicts
from m4review.reviews.eventparts import SEVERITIES
from m4review.reviews.events import DECISIONS, Event, event_path, parse_event, render_event
from m4review.reviews.kinds import Consensus, Override
from m4review.reviews.subjects import Node
from m4review.reviews.visibility import as_seen_by
from m4review.workspace import SCOPES, Policy, Roster, Scope

REVIEWERS = ("C1", "C2", "C3", "C4")
PEOPLE = (*(f"{name.lower()}@reviewers.invalid" for name in REVIEWERS), "ana@clinic.example")
POLICY = Policy(may_override=("C4",))
ROSTER = Roster.model_validate(
    {"reviewers": [{"id": name, "role": "physician", "expertise": "care"} for name in REVIEWERS]}
)
START = datetime(2030, 1, 1, tzinfo=UTC)


def digest(word: str) -> str:
    return "sha256:" + hashlib.sha256(word.encode()).hexdigest()


def subject_of(text: int, card: int) -> Subject:
    scopes: dict[Scope, str] = {scope: digest(f"{scope}{text}") for scope in SCOPES}
    tasks, deps = {"card": digest(f"card{card}")}, {"other": digest("other0")}
    return Subject("lactate", digest(f"text{text}"), tasks, scopes, deps)


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
        severity=st.sampled_from((None, None, *SEVERITIES)),
        knows=st.integers(0, 1),
    )
    def give_verdict(
        self, actor: str, decisions: dict[str, str], replaces: bool, severity: str | None, knows: int
    ) -> None:
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
            findings=[] if severity is None else [{"id": "f", "scope": "schema", "severity": severity, "text": "x"}],
            deps={"other": digest(f"other{knows}")},
        )

    @precondition(lambda self: any(isinstance(event, Verdict) for event in self.events))
    @rule(actor=st.sampled_from(REVIEWERS), word=st.sampled_from(DECISIONS), data=st.data())
    def agree(self, actor: str, word: str, data: st.DataObject) -> None:
        counting = [judged.verdict for judged in self.status().verdicts if judged.standing == "counts"]
        verdicts = [event for event in self.events if isinstance(event, Verdict)]
        settled = data.draw(st.sampled_from([counting, verdicts[-2:]]))
        if len(settled) < 2:
            return
        refs = [f"{verdict.id}#{finding.id}" for verdict in settled for finding in verdict.findings]
        earlier = [event for event in self.events if isinstance(event, Consensus) and event.confirms is None]
        confirmed = data.draw(st.sampled_from([None, *earlier]))
        self.write(
            "consensus",
            actor,
            verdicts=list(confirmed.verdicts) if confirmed else [verdict.id for verdict in settled],
            decisions=dict(confirmed.decisions) if confirmed else dict.fromkeys(SCOPES, word),
            resolutions=dict(confirmed.resolutions) if confirmed else dict.fromkeys(refs, "Settled."),
            rationale="We agree.",
            dissent="",
            confirms=confirmed.id if confirmed else None,
        )

    @precondition(lambda self: any(isinstance(event, Verdict) for event in self.events))
    @rule(actor=st.sampled_from(REVIEWERS), data=st.data())
    def resolve(self, actor: str, data: st.DataObject) -> None:
        verdicts = [event for event in self.events if isinstance(event, Verdict) and event.findings]
        if verdicts:
            finding = f"{data.draw(st.sampled_from(verdicts)).id}#f"
            fixed = data.draw(st.booleans())
            more = {"resolution": "fixed", "fixed_in": self.subject.content} if fixed else {"resolution": "no defect"}
            self.write("resolve", actor, finding=finding, reason="Done.", **more)

    @precondition(lambda self: bool(self.events))
    @rule(actor=st.sampled_from(REVIEWERS), data=st.data(), kind=st.sampled_from(["sign-off", "revoke", "assign"]))
    def refer(self, actor: str, data: st.DataObject, kind: str) -> None:
        target = data.draw(st.sampled_from(self.events)).id
        if kind == "sign-off":
            rules = [{"rule": "reviewers", "passed": data.draw(st.booleans()), "why": "as it was"}]
            self.write(kind, actor, relied_on=[target], rules=rules)
        elif kind == "revoke":
            self.write(kind, actor, targets=[target], reason="wrong")
        else:
            self.write(kind, actor, targets=[target], reviewers=["C2"], reason="away")

    @rule(actor=st.sampled_from(REVIEWERS), kind=st.sampled_from(["recuse", "override", "comment", "seal"]))
    def say(self, actor: str, kind: str) -> None:
        more = {
            "recuse": {"reason": "too close"},
            "override": {"rules": ["open-blocker", "reviewers"], "reason": "nobody is left"},
            "comment": {},
            "seal": {"commitment": digest(actor)},
        }
        self.write(kind, actor, **more[kind])

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
    def the_state_never_contradicts_its_events(self) -> None:
        if not self.nodes:
            return
        status = self.status()
        counting = [judged.verdict for judged in status.verdicts if judged.standing == "counts"]
        actors = {verdict.actor for verdict in counting}
        assert all(verdict.content == self.subject.content for verdict in counting)
        assert status.given == len(actors)
        agreed = status.consensus is not None and status.consensus.holds
        approvals = {
            scope: actors - {one.actor for one in counting if one.decisions[scope] in {"changes", "abstain"}}
            for scope in SCOPES
        }
        enough = all(len(actors) >= 2 for actors in approvals.values())
        asks = any("changes" in verdict.decisions.values() for verdict in counting)
        is_approved = status.basis is not None
        assert is_approved == (status.state in {"approved", "signed off", "suspect", "lapsed"})
        if is_approved:
            assert not any(found.is_open_blocker for found in status.findings)
            assert status.stale is None
            assert counting
        if not agreed and not status.overrides:
            blocked = any(found.is_open_blocker for found in status.findings)
            assert is_approved == (enough and not asks and not blocked)
            assert is_approved <= (len(actors) >= 2)
        if status.state == "disputed":
            assert asks
            assert len(actors) > 1
            assert not agreed
        if status.state == "consensus pending":
            assert status.consensus is not None
            assert status.consensus.missing
        if agreed:
            assert status.consensus is not None
            assert {verdict.actor for verdict in counting} <= {*status.consensus.confirmed}
        if status.state in {"draft", "stale", "withdrawn"}:
            assert not counting
            assert not status.sealed
        assert (status.state == "signed off") <= (status.sign_off is not None)
        assert (status.state == "stale") <= (status.stale is not None)
        assert (status.state == "suspect") == (is_approved and bool(status.suspect))
        assert status.state not in {"undecided", "not recorded"}
        assert status.because

    @invariant()
    def an_override_of_somebody_who_may_not_changes_nothing(self) -> None:
        if self.nodes:
            without = [e for e in self.events if not (isinstance(e, Override) and e.actor not in POLICY.may_override)]
            mine, other = self.status(without), self.status()
            assert (mine.state, mine.label, mine.basis) == (other.state, other.label, other.basis)

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
