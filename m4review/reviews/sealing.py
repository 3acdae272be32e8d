"""Giving a verdict sealed, and showing it once the others have sealed theirs.

Until then the verdict lies outside git, in ``.m4review/sealed/`` on the reviewer's own computer, readable by them only.
That folder ignores itself, so that ``git add`` never picks it up.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from m4review.errors import LedgerError
from m4review.history import Repository
from m4review.reviews.events import parse_event
from m4review.reviews.inforce import Ruling
from m4review.reviews.kinds import Seal, Verdict
from m4review.reviews.ledger import Ledger
from m4review.reviews.lock import ledger_lock
from m4review.reviews.overview import full_status
from m4review.reviews.people import humans
from m4review.reviews.rounds import commitment
from m4review.reviews.rules import recorded_refusal
from m4review.reviews.status import SkillStatus
from m4review.reviews.verdicts import Said, verdict_values
from m4review.reviews.writing import common_values, rendered, write_events
from m4review.textfile import write_bytes
from m4review.workspace import Reviewer, Workspace

SEALED = "sealed"
SEALED_SCHEMA = "m4review.sealed-verdict.v1"
NONCE_BYTES = 32


def seal_verdict(
    workspace: Workspace,
    skill: str,
    reviewer: str,
    said: Said,
    *,
    now: datetime | None = None,
    nonce: str | None = None,
    commit: bool = True,
) -> Path:
    """Give a verdict without showing it: only the commitment to it enters git. Returns the seal's file.

    Raises:
        M4ReviewError: as :func:`m4review.reviews.recording.record_verdict`; or there is an unopened seal already.
    """
    time = (now or datetime.now(UTC)).astimezone(UTC)
    fresh = Workspace(workspace.root)
    with ledger_lock(Repository.open(fresh.root).git_folder):
        ledger = Ledger.load(fresh)
        person = ledger.roster.get(reviewer)
        status = full_status(fresh, ledger, skill)
        values = verdict_values(fresh, ledger, status, person, said, time, sealed=True)
        refusal = seal_refusal(status, person, ledger)
        if refusal is not None:
            raise refusal
        assert status.subject is not None
        name, data = rendered(values, said.notes)
        secret = nonce or secrets.token_hex(NONCE_BYTES)
        seal_values = common_values(ledger, status.subject, "seal", person, time) | {
            "meaning": seal_meaning(person.id, skill),
            "commitment": commitment(secret, data),
        }
        seal_name, seal_data = rendered(seal_values, "")
        seal = parse_event(seal_data, seal_name)
        kept = _sealed_file(fresh, skill, seal.id)
        _keep(kept, {"schema": SEALED_SCHEMA, "seal": seal.id, "nonce": secret, "path": name, "verdict": data})
        try:
            return write_events(fresh, ledger, [(seal_name, seal_data)], person, commit)
        except BaseException:
            kept.unlink(missing_ok=True)
            raise


def reveal_verdict(
    workspace: Workspace, skill: str, reviewer: str, *, now: datetime | None = None, commit: bool = True
) -> Path:
    """Show the verdict that the reviewer sealed on the present text, once enough have sealed theirs.

    Raises:
        LedgerError: nothing is sealed, others have not sealed yet, or the sealed verdict is not on this computer.
    """
    time = (now or datetime.now(UTC)).astimezone(UTC)
    fresh = Workspace(workspace.root)
    with ledger_lock(Repository.open(fresh.root).git_folder):
        ledger = Ledger.load(fresh)
        person = ledger.roster.get(reviewer)
        status = full_status(fresh, ledger, skill)
        seal = seal_to_open(fresh, ledger, status, person)
        kept = _sealed_file(fresh, skill, seal.id)
        name, data, nonce = _read(kept, seal)
        verdict = parse_event(data, name)
        assert isinstance(verdict, Verdict)
        assert status.subject is not None
        assert status.judgement is not None
        seals = [one.id for one in status.judgement.rounds.seals if one.content == seal.content]
        values = common_values(ledger, status.subject, "reveal", person, time)
        values |= {
            "after": sorted({*values["after"], *seals}),
            "meaning": f"As {person.id} I show the verdict on {skill} that I sealed before I saw any other.",
            "seal": seal.id,
            "nonce": nonce,
            "verdict": verdict.id,
        }
        path = write_events(fresh, ledger, [(name, data), rendered(values, "")], person, commit)
        kept.unlink(missing_ok=True)
        return path


def seal_meaning(reviewer: str, skill: str) -> str:
    """What a seal says."""
    return f"As {reviewer} I have given my verdict on {skill}, sealed until the other reviewers have sealed theirs."


def seal_refusal(status: SkillStatus, person: Reviewer, ruling: Ruling) -> LedgerError | None:
    """Why ``person`` may not seal a verdict on the present text, or ``None``."""
    assert status.subject is not None
    assert status.judgement is not None
    same = humans(ruling.roster)
    rounds = status.judgement.rounds
    mine = [seal for seal in rounds.unopened(status.subject.pair) if same[seal.actor] == same[person.id]]
    if mine:
        return LedgerError(
            f"{person.id} has sealed a verdict on exactly this text ({mine[-1].path})",
            where=status.skill,
            fix=f"to give another, take it back first: m4review review withdraw {status.skill} --event {mine[-1].path}",
        )
    if ruling.policy.independent == "sealed" and status.given:
        return LedgerError(
            "verdicts of this round are shown already, so a sealed one would prove nothing",
            where=status.skill,
            fix="m4review review verdict",
        )
    return None


def seal_to_open(workspace: Workspace, ledger: Ledger, status: SkillStatus, person: Reviewer) -> Seal:
    """The seal that ``person`` may open now.

    Raises:
        M4ReviewError: there is none, or others have not sealed yet.
    """
    refusal = recorded_refusal(ledger, status)
    if refusal is not None:
        raise refusal
    assert status.subject is not None
    assert status.judgement is not None
    rounds, pair = status.judgement.rounds, status.subject.pair
    mine = [seal for seal in rounds.unopened(pair) if seal.actor == person.id]
    if not mine:
        raise LedgerError(
            f"{person.id} has no unopened seal on the present text of {status.skill}", fix="m4review review seal"
        )
    sealed = len(rounds.sealed_by(pair))
    if sealed < status.required:
        raise LedgerError(
            f"{sealed} of {status.required} reviewers have sealed their verdicts; nobody shows theirs before",
            where=status.skill,
            fix="wait for the others, and fetch what they recorded",
        )
    return mine[-1]


def _sealed_file(workspace: Workspace, skill: str, seal: str) -> Path:
    return workspace.local_dir / SEALED / skill / f"{seal[7:19]}.json"


def _keep(path: Path, values: dict[str, Any]) -> None:
    values = {**values, "verdict": base64.b64encode(values["verdict"]).decode()}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path.parent.parent / ".gitignore", b"*\n")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    write_bytes(path, (json.dumps(values, indent=1) + "\n").encode())
    path.chmod(0o600)


def _read(path: Path, seal: Seal) -> tuple[str, bytes, str]:
    try:
        values = json.loads(path.read_bytes())
        name, nonce = str(values["path"]), str(values["nonce"])
        data = base64.b64decode(values["verdict"], validate=True)
        fits = values["seal"] == seal.id and commitment(nonce, data) == seal.commitment
    except FileNotFoundError:
        raise LedgerError(
            "the sealed verdict is not on this computer",
            where=path,
            fix="show it on the computer on which it was sealed, or take the seal back and seal again",
        ) from None
    except (OSError, ValueError, KeyError, TypeError):
        fits, name, nonce, data = False, "", "", b""
    if not fits:
        raise LedgerError(
            "the sealed verdict was changed after it was sealed, so it cannot be shown",
            where=path,
            fix=f"take the seal back ({seal.path}) and seal again",
        )
    return name, data, nonce
