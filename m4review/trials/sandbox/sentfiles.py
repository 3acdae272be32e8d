"""Files for an engine on another machine, which cannot see this one's disk.

Data goes there once: each file lies in a volume named by its content, is compared with its digest before it is used,
and serves every later run and task. What belongs to one run (task database, instruction, skills) goes into volumes of
that run. A file is found at its promised place by a link, because a volume can only be shown as a folder.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from docker.errors import NotFound
from docker.types import Mount

from m4review.errors import TrialError
from m4review.trials.sandbox.givenfiles import SEEDS, TASK, skill_places, tar_source
from m4review.trials.sandbox.hardening import KEEPER_LIMITS, hardening, sidecar_log
from m4review.trials.sandbox.job import DATABASE, SKILLS, SandboxFailure, SandboxJob
from m4review.trials.sandbox.names import Names

if TYPE_CHECKING:
    from docker import DockerClient

DATA_LABEL = "m4review.data"
"""On a volume of sent data: the digest of what it holds. It belongs to no run."""

ENGINE_VARIABLE, HERE, ELSEWHERE = "M4REVIEW_ENGINE", "here", "elsewhere"
"""Where the engine's disk is, for a socket that is the end of a tunnel."""

SHARED_ADDRESSES = ("http+docker://localhost", "http+docker://localnpipe")
CHUNK = 1 << 20
BLOCK = 512
SHORT = 16
DATA, GIVEN, FILE = "/data", "/given", "content"
VERIFY_SECONDS = 3600


def is_elsewhere(client: DockerClient, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the engine cannot be taken to see this machine's disk: it is reached over a network, or the user says so.

    Raises:
        TrialError: ``M4REVIEW_ENGINE`` is neither ``here`` nor ``elsewhere``.
    """
    said = environment.get(ENGINE_VARIABLE)
    if said not in {None, "", HERE, ELSEWHERE}:
        raise TrialError(f"{said!r} is no place of an engine", where=ENGINE_VARIABLE, expected=f"{HERE} or {ELSEWHERE}")
    return said == ELSEWHERE if said else client.api.base_url not in SHARED_ADDRESSES


@dataclass
class DataStore:
    """What is known of the data in an engine. One per process and engine; several runs may ask at once."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    verified: set[str] = field(default_factory=set)
    """Digests of the files whose copy in the engine was compared since this program started."""
    digests: dict[tuple[int, int, int, int], str] = field(default_factory=dict)

    def digest(self, path: Path) -> str:
        """SHA-256 of a file, computed once for each state of it."""
        found = path.stat()
        state = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        if state not in self.digests:
            with path.open("rb") as stream:
                self.digests[state] = hashlib.file_digest(stream, "sha256").hexdigest()
        return self.digests[state]


class SentFiles:
    """Files that are sent to the engine before a run."""

    def __init__(
        self, client: DockerClient, names: Names, labels: dict[str, str], store: DataStore, cancel: threading.Event
    ) -> None:
        self._client = client
        self._names = names
        self._labels = labels
        self._store = store
        self._cancel = cancel

    def mounts(self, job: SandboxJob) -> list[Mount]:
        """See :class:`m4review.trials.sandbox.givenfiles.GivenFiles`.

        Raises:
            SandboxFailure: what arrived is not what was sent, or the run was stopped meanwhile.
        """
        assert job.image is not None
        with self._store.lock:
            files = {self._store.digest(mount.source): mount.source for mount in job.mounts}
            self._send_data(files, job.image)
            places = {mount.target: self._store.digest(mount.source) for mount in job.mounts}
        folders = {"data": DATA, "task": TASK}
        parts = {"data": self._database_parts(job, places), "task": _folder_parts(job.materials)}
        skills = job.materials / PurePosixPath(SKILLS).name
        shown = skill_places(job) if skills.is_dir() else ()
        if shown:
            parts["skills"] = _folder_parts(skills)
        if job.seeds is not None:
            folders["seeds"], parts["seeds"] = SEEDS, _folder_parts(job.seeds)
        self._send(job.image, {self._names.sent(what): made for what, made in parts.items()}, self._labels)
        mounts = [_volume(folders[what], self._names.sent(what)) for what in folders]
        mounts += [_volume(place, self._names.sent("skills")) for place in shown]
        return mounts + [_volume(f"{GIVEN}/{digest[:SHORT]}", volume_of(digest)) for digest in sorted(files)]

    def _database_parts(self, job: SandboxJob, places: dict[str, str]) -> list[Part]:
        """The task database, and a link to its data for each file that it names."""
        parts = [Part(PurePosixPath(DATABASE).name, source=job.database)]
        for target, digest in sorted(places.items()):
            parts.append(Part(target.removeprefix(f"{DATA}/"), link=f"{GIVEN}/{digest[:SHORT]}/{FILE}"))
        return parts

    # -- data, once per content ---------------------------------------------------------------------------------------

    def _send_data(self, files: dict[str, Path], image: str) -> None:
        wanted = {digest: path for digest, path in files.items() if digest not in self._store.verified}
        if not wanted:
            return
        there = {
            str(entry["Name"]) for entry in self._client.api.volumes(filters={"label": DATA_LABEL})["Volumes"] or []
        }
        old = [digest for digest in wanted if volume_of(digest) in there]
        self._store.verified |= self._verified(old, image)
        for digest, path in wanted.items():
            if digest not in self._store.verified:
                self._send(image, {volume_of(digest): [Part(FILE, source=path)]}, {DATA_LABEL: f"sha256:{digest}"})
        sent = [digest for digest in wanted if digest not in self._store.verified]
        good = self._verified(sent, image)
        self._store.verified |= good
        if len(good) < len(sent):
            raise SandboxFailure(
                f"{len(sent) - len(good)} of {len(sent)} data files did not arrive at the engine as they were sent",
                fix="m4review trial clean, then try again; the engine's disk may be full",
            )

    def _verified(self, digests: Sequence[str], image: str) -> set[str]:
        """Which of the volumes hold what their name says, as a container beside them reads it."""
        if not digests:
            return set()
        settings = hardening(KEEPER_LIMITS, self._labels, 1.0, home=False) | {"log_config": sidecar_log()}
        container = self._client.containers.create(
            image,
            ["sh", "-c", f"sha256sum {GIVEN}/*/{FILE}"],
            name=self._names.sender,
            mounts=[_volume(f"{GIVEN}/{digest}", volume_of(digest)) for digest in digests],
            environment={},
            **settings,
        )
        try:
            container.start()
            container.wait(timeout=VERIFY_SECONDS)
            printed = container.logs(stdout=True, stderr=False).decode("ascii", "replace")
        finally:
            container.remove(force=True)
        found = {line.partition("  ")[2]: line.partition("  ")[0] for line in printed.split("\n")}
        return {digest for digest in digests if found.get(f"{GIVEN}/{digest}/{FILE}") == digest}

    # -- sending ------------------------------------------------------------------------------------------------------

    def _send(self, image: str, volumes: dict[str, list[Part]], labels: dict[str, str]) -> None:
        """Fill volumes through a container that is made for it and never started."""
        for volume in volumes:
            self._client.api.create_volume(volume, driver="local", labels=labels)
        # Not read-only, and not the agent's: nothing ever runs in it.
        settings = hardening(KEEPER_LIMITS, self._labels, 1.0, home=False)
        container = self._client.containers.create(
            image,
            ["true"],
            name=self._names.sender,
            mounts=[Mount(f"/sent/{number}", name, type="volume", no_copy=True) for number, name in enumerate(volumes)],
            environment={},
            **settings,
        )
        try:
            for number, parts in enumerate(volumes.values()):
                if not container.put_archive(f"/sent/{number}", self._stream(parts)):
                    raise SandboxFailure("the engine did not take the files of a run", where=self._names.sender)
        finally:
            with suppress(NotFound):
                container.remove(force=True)

    def _stream(self, parts: Sequence[Part]) -> Iterator[bytes]:
        """The parts as one tar, never whole in memory; stops when the run is stopped."""
        folders: set[str] = set()
        for part in parts:
            for parent in reversed(PurePosixPath(part.name).parents):
                name = str(parent)
                if name not in {"."} | folders:
                    folders.add(name)
                    yield _header(name, tarfile.DIRTYPE, 0o755)
            if part.link is not None:
                yield _header(part.name, tarfile.SYMTYPE, 0o777, link=part.link)
                continue
            assert part.source is not None
            with part.source.open("rb") as stream:
                size = part.source.stat().st_size
                yield _header(part.name, tarfile.REGTYPE, 0o444, size=size)
                while chunk := stream.read(CHUNK):
                    if self._cancel.is_set():
                        raise SandboxFailure("stopped while files were sent to the engine")
                    yield chunk
                if size % BLOCK:
                    yield bytes(BLOCK - size % BLOCK)
        yield bytes(2 * BLOCK)


@dataclass(frozen=True, slots=True)
class Part:
    """A file on its way: its name in the volume, and its source or what it links to."""

    name: str
    source: Path | None = None
    link: str | None = None


def volume_of(digest: str) -> str:
    """The volume that holds the file of a digest."""
    return f"m4review-data-{digest[:40]}"


def given_folder(path: Path) -> str:
    """Where the container of an engine elsewhere sees the volume of a file."""
    return f"{GIVEN}/{hashlib.sha256(path.read_bytes()).hexdigest()[:SHORT]}"


def _folder_parts(folder: Path) -> list[Part]:
    return [Part(name, source=path) for name, path in tar_source(folder)]


def _volume(target: str, name: str) -> Mount:
    return Mount(target, name, type="volume", no_copy=True, read_only=True)


def _header(name: str, kind: bytes, mode: int, *, size: int = 0, link: str = "") -> bytes:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.size, entry.linkname, entry.mtime = kind, mode, size, link, int(time.time())
    return entry.tobuf(format=tarfile.PAX_FORMAT)
