"""Vectors of the states: short lives of a skill as data, with the state that follows. Prints them as JSON.

``python tests/unit/reviews/state_vectors.py > tests/unit/reviews/state_vectors.json`` writes them anew. Each life is
the shortest one found that leads to its label, once with an author who reviews nothing and once with C1 as the author.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from datetime import datetime
from typing import Any

from m4review.reviews import SkillStatus, Subject, skill_state
from m4review.reviews.diagram import POLICY, ROSTER, Case, lives, nodes_of
from m4review.reviews.events import TIME_FORMAT, parse_event
from m4review.reviews.subjects import Node
from m4review.workspace import Policy, Roster

AUTHORS = ("author@example.invalid", ROSTER.get("C1").git_identity[1])


def vectors() -> dict[str, Any]:
    """Everything an implementation needs to compute the states, and the states."""
    entries = []
    for author in AUTHORS:
        labels = set()
        for case in lives():
            nodes = nodes_of(case, author)
            status = skill_state(case.subject, case.events, POLICY, ROSTER, nodes)
            if status.label not in labels:
                labels.add(status.label)
                entries.append(vector(case, nodes, status))
    return {
        "about": "Lives of a skill and the state that follows. Event files are base64.",
        "scheme": "m4review.digest.v1",
        "policy": POLICY.model_dump(mode="json"),
        "roster": ROSTER.model_dump(mode="json", by_alias=True, exclude_none=True),
        "states": entries,
    }


def vector(case: Case, nodes: list[Node], status: SkillStatus) -> dict[str, Any]:
    """One life with its state."""
    subject = case.subject
    return {
        "state": status.state,
        "label": status.label,
        "given": status.given,
        "standings": {judged.verdict.id: judged.standing for judged in status.verdicts},
        "subject": {
            "skill": subject.skill,
            "content": subject.content,
            "tasks": dict(subject.tasks),
            "scopes": dict(subject.scopes),
            "deps": dict(subject.deps),
            "context": dict(subject.context),
        },
        "history": [
            {
                "content": node.pair[0],
                "tasks": list(node.pair[1]),
                "parents": list(node.parents),
                "authors": sorted(node.authors),
                "committer": node.committer,
                "committed": node.committed.strftime(TIME_FORMAT),
            }
            for node in nodes
            if node.pair is not None
        ],
        "events": [{"path": event.path, "bytes": b64encode(event.raw).decode()} for event in case.events],
    }


def state_from(entry: dict[str, Any], policy: dict[str, Any], roster: dict[str, Any]) -> SkillStatus:
    """The state that this implementation computes from a vector alone."""
    nodes = [
        Node(
            (step["content"], tuple(step["tasks"])),
            tuple(step["parents"]),
            frozenset(step["authors"]),
            step["committer"],
            datetime.fromisoformat(step["committed"]),
            True,
        )
        for step in entry["history"]
    ]
    events = [parse_event(b64decode(event["bytes"]), event["path"]) for event in entry["events"]]
    return skill_state(
        Subject(**entry["subject"]), events, Policy.model_validate(policy), Roster.model_validate(roster), nodes
    )


if __name__ == "__main__":
    json.dump(vectors(), sys.stdout, indent=None, separators=(",", ":"))
    sys.stdout.write("\n")
