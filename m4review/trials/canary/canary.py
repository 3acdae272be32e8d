"""A canary run: the intruder in the sandbox, and the judgement of what it brings back."""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ulid import ULID

from m4review import __version__
from m4review.errors import TrialError
from m4review.trials.canary.plan import PLAN, SKILL_FOLDERS, intruder_plan
from m4review.trials.canary.probes import ALL, EVIDENCE, HOST_SIDE, INSIDE, LEFTOVERS, OUTLIVE, Probe
from m4review.trials.canary.report import CanaryReport, ProbeResult, Proved, told
from m4review.trials.canary.surroundings import (
    ALLOWED,
    ENDPOINT,
    FORBIDDEN,
    MODEL_PORT,
    Surroundings,
    planted_secret,
    surroundings,
)
from m4review.trials.sandbox.job import (
    BindMount,
    Limits,
    ModelServer,
    NetworkNeed,
    Phase,
    Sandbox,
    SandboxFailure,
    SandboxJob,
    SandboxResult,
    Secret,
    Watch,
)
from m4review.trials.sandbox.ownership import RUN_LABEL, Owner
from m4review.trials.sandbox.recipe import require_image
from m4review.trials.sandbox.removal import parts_with
from m4review.trials.sandbox.runnetwork import RECIPE
from m4review.trials.sandbox.sentfiles import given_folder

if TYPE_CHECKING:
    from docker import DockerClient

LIMITS = Limits(memory_mib=512, cpus=1.0, pids=64, work_mib=32, temporary_mib=16, seconds=120)
OUTLIVE_LIMITS = Limits(memory_mib=128, cpus=0.5, pids=16, work_mib=1, temporary_mib=1, seconds=2)
INTRUDER_ENVIRONMENT = {"PYTHONPATH": "/task", "PYTHONDONTWRITEBYTECODE": "1"}
TABLE = "/data/tables/planted/planted.parquet"
INTRUDER = Path(__file__).parent / "intruder"
SOURCES = (Path(__file__).parent, INTRUDER, Path(__file__).parents[1] / "sandbox")


class CanaryStoppedError(TrialError):
    """Somebody stopped the canary."""


@dataclass(frozen=True, slots=True)
class _Planted:
    """The canary's files on the host."""

    folder: Path
    materials: Path
    record: Path
    database: Path
    table: Path
    secret: Path

    @property
    def given(self) -> tuple[Path, ...]:
        return (self.database, self.table, *(path for path in sorted(self.materials.rglob("*")) if path.is_file()))


def run_canary(
    client: DockerClient,
    sandbox: Sandbox,
    *,
    image: str,
    owner: Owner,
    scratch: Path,
    clock: Callable[[], datetime],
    host_paths: tuple[Path, ...] = (),
    cancel: threading.Event | None = None,
) -> CanaryReport:
    """Let the intruder loose in ``sandbox`` and report what held. ``scratch`` is a folder for its files.

    ``host_paths`` are folders of this host that must be invisible, beside those of the canary.

    Raises:
        CanaryStoppedError: ``cancel`` was set meanwhile; what was made is gone.
        TrialError: the canary could not be made: no image of the sidecars, no room for its files.
    """
    stop = cancel or threading.Event()
    started, canary = clock(), str(ULID.from_datetime(clock()))
    about = proved_by(client, image)
    scratch.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="canary-", dir=scratch) as folder,
        surroundings(client, canary, image, owner) as around,
    ):
        planted = _plant(Path(folder), around, host_paths)
        before = _digests(planted)
        with ThreadPoolExecutor(2) as pool:
            probing = pool.submit(_try, sandbox, _job(f"{canary}a", image, planted, around), stop)
            lasting = pool.submit(_try, sandbox, _outliving(f"{canary}b", image, planted), stop)
            probed, lasted = probing.result(), lasting.result()
        if stop.is_set():
            raise CanaryStoppedError("the canary was stopped; it proves nothing")
        results = {result.probe: result for result in _inside(probed, planted)}
        results |= {result.probe: result for result in _judged(probed, lasted, around, before == _digests(planted))}
        results[LEFTOVERS.name] = _leftovers(client, canary)
    probes = tuple(results.get(probe.name) or _result(probe, ["it was not tried"]) for probe in ALL)
    return CanaryReport(proved=about, started=started, finished=clock(), probes=probes)


def proved_by(client: DockerClient, image: str) -> Proved:
    """What a canary run with this image on this engine proves something about.

    Raises:
        TrialError: the image of the sidecars is not built.
    """
    info = client.info()
    return Proved(
        # Engines that share a machine may share an id, but not the place of their data.
        engine=f"{info['ID']} {info['Name']}:{info['DockerRootDir']}",
        engine_version=str(info["ServerVersion"]),
        image=image,
        sidecars=require_image(client, RECIPE).id,
        tool_version=__version__,
        settings=_settings(),
    )


def _settings() -> str:
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted([*folder.glob("*.py"), *(folder / "recipes" / RECIPE).glob("*")]):
            digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return f"sha256:{digest.hexdigest()}"


# -- the two runs -----------------------------------------------------------------------------------------------------


def _plant(folder: Path, around: Surroundings, host_paths: tuple[Path, ...]) -> _Planted:
    planted = _Planted(
        folder=folder,
        materials=folder / "materials",
        record=folder / "record",
        database=folder / "task.duckdb",
        table=folder / "planted.parquet",
        secret=folder / "secrets" / "answers.csv",
    )
    skill = planted.materials / "skills" / "planted" / "SKILL.md"
    for path, text in (
        (planted.database, "not a database: nothing of a task is in the canary\n"),
        (planted.table, "not a table\n"),
        (planted.secret, planted_secret()),
        (planted.materials / "instruction.md", "There is nothing to do.\n"),
        *(
            (planted.materials / "intruder" / path.name, path.read_text(encoding="utf-8"))
            for path in INTRUDER.glob("*.py")
        ),
        (skill, "planted\n"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    plan = intruder_plan(
        around, planted.folder, planted.secret, host_paths, LIMITS, (TABLE, given_folder(planted.table))
    )
    (planted.materials / PLAN).write_text(json.dumps(plan), encoding="utf-8")
    planted.record.mkdir()
    (planted.folder / "lasting").mkdir()
    for path in (planted.folder, *planted.folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    planted.folder.chmod(0o700)
    return planted


def _job(run: str, image: str, planted: _Planted, around: Surroundings) -> SandboxJob:
    return SandboxJob(
        run_id=run,
        argv=("python3", "-m", "intruder", f"/task/{PLAN}"),
        environment=INTRUDER_ENVIRONMENT,
        limits=LIMITS,
        database=planted.database,
        mounts=(BindMount(planted.table, TABLE),),
        materials=planted.materials,
        record=planted.record,
        image=image,
        network=NetworkNeed(
            model=ModelServer(f"http://{ENDPOINT}:{MODEL_PORT}", key=Secret(planted_secret())),
            allowed_hosts=(ALLOWED,),
            attach=(around.attach,),
        ),
        skill_folders=SKILL_FOLDERS,
    )


def _outliving(run: str, image: str, planted: _Planted) -> SandboxJob:
    return SandboxJob(
        run_id=run,
        argv=("python3", "-m", "intruder", "outlive"),
        environment=INTRUDER_ENVIRONMENT,
        limits=OUTLIVE_LIMITS,
        database=planted.database,
        mounts=(),
        materials=planted.materials,
        record=planted.folder / "lasting",
        image=image,
    )


@dataclass(frozen=True, slots=True)
class _Tried:
    result: SandboxResult | None
    failure: str | None
    lines: list[bytes]


def _try(sandbox: Sandbox, job: SandboxJob, stop: threading.Event) -> _Tried:
    lines: list[bytes] = []
    try:
        result = sandbox.run(job, Watch(_no_phase, lambda left: None, lines.append, stop))
    except SandboxFailure as error:
        return _Tried(None, error.what, lines)
    return _Tried(result, None, lines)


@contextmanager
def _no_phase(phase: Phase) -> Iterator[None]:
    yield


# -- the judgement ----------------------------------------------------------------------------------------------------


def _inside(tried: _Tried, planted: _Planted) -> Iterator[ProbeResult]:
    """What the intruder tells. A probe of which it does not tell was not made, and so did not hold."""
    told_of: dict[str, Mapping[str, Any]] = {}
    for line in tried.lines:
        try:
            entry = json.loads(line)
            told_of[entry["probe"]] = entry
        except (ValueError, KeyError, TypeError):
            continue
    why = tried.failure or _said(planted.record / "stderr.txt") or "the intruder did not tell"
    for probe in INSIDE:
        entry = told_of.get(probe.name, {})
        found = [str(item) for item in entry.get("found", [f"not tried: {why}"])]
        if not found and not entry.get("tried"):
            found = ["nothing was tried"]
        tried_times = f"{entry.get('tried')} {'try' if entry.get('tried') == 1 else 'tries'}"
        yield _result(probe, found, "it is" if probe.works else f"{tried_times}, none succeeded")


def _judged(tried: _Tried, lasted: _Tried, around: Surroundings, unchanged: bool) -> Iterator[ProbeResult]:
    """What the host sees by itself."""
    if lasted.result is None:
        yield _result(OUTLIVE, [f"not tried: {lasted.failure}"])
    else:
        ended = lasted.result.ending == "deadline" and bool(lasted.lines)
        yield _result(OUTLIVE, [] if ended else [f"it {lasted.result.ending}"], "ended at its deadline")
    events = () if tried.result is None else tried.result.egress
    seen = {(event.kind, event.host) for event in events}
    missing = {("connect", ALLOWED), ("refused", FORBIDDEN), ("model", ENDPOINT)} - seen
    yield _result(
        EVIDENCE, [f"nothing of {kind} {host}" for kind, host in sorted(missing)], f"{len(events)} attempts are there"
    )
    found = [] if unchanged else ["what was given to read only was changed"]
    found += [f"{caller} called" for caller in sorted(set(around.host.callers))]
    yield _result(HOST_SIDE, found, "unchanged, and silence")


def _leftovers(client: DockerClient, canary: str) -> ProbeResult:
    parts = [part for run in ("a", "b") for part in parts_with(client, f"{RUN_LABEL}={canary}{run}")]
    return _result(LEFTOVERS, [f"{part.kind} {part.name}" for part in parts], "nothing")


def _result(probe: Probe, found: list[str], otherwise: str = "") -> ProbeResult:
    happened = told(found) if found else otherwise
    return ProbeResult(probe=probe.name, expectation=probe.expectation, happened=happened, held=not found)


def _digests(planted: _Planted) -> list[str]:
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in planted.given]


def _said(path: Path) -> str:
    """The last line on the intruder's standard error."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").strip().split("\n")
    except OSError:
        return ""
    return lines[-1][-200:]
