"""What an agent tried to reach, read from its sidecars' logs after its end.

The logs lie in the engine, out of the agent's reach; the engine stamps every line with its own time. A log that ran
over lacks its first line, and then the evidence is said to be incomplete.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from m4review.trials.printable import printable
from m4review.trials.sandbox.job import Egress

BEGIN = "m4review-begin"
MOST_EVENTS = 20_000
SHOWN = 200
"""Characters of a host name or a request that are kept."""

COMPARED = 400
"""tinyproxy cuts what it logs; so many characters of a target are surely whole."""

LINE = re.compile(r"[A-Z]+ +\w{3} \d\d [\d:.]+ \[\d+\]: (?P<said>.*)")
"""tinyproxy's level, time and process stand before what it says."""

REQUEST = re.compile(r"Request \(file descriptor \d+\): (?P<method>\S+)(?: (?P<target>\S+).*)?")
FILTERED = re.compile(r'Proxying refused on filtered (?:url|domain) "(?P<target>.*?)"?')
REFUSED_PORT = re.compile(r"Refused CONNECT method on port (?P<port>\d+)")
ESTABLISHED = re.compile(r'Established connection to host "(?P<host>[^"]*)".*')
FORBIDDEN, CONNECTED = 403, 200


@dataclass(frozen=True, slots=True)
class EgressLog:
    """The attempts in the order of time, and whether all of them are there."""

    events: tuple[Egress, ...]
    complete: bool


def model_log(lines: Sequence[bytes], host: str, port: int) -> EgressLog:
    """The key-adding proxy's log: one line per request that it handed to the model server."""
    events = []
    for time, text in _stamped(lines):
        try:
            entry = json.loads(text)
            request = f"{entry['method']} {entry['path']}"
            event = Egress(
                time=time,
                kind="model",
                host=host,
                port=port,
                status=entry["status"],
                bytes=entry["bytes"],
                request=printable(request, SHOWN),
            )
        except (ValueError, KeyError, TypeError):
            continue  # a line of nginx itself, like a notice at its start
        events.append(event)
    return EgressLog(tuple(events[:MOST_EVENTS]), _whole(lines) and len(events) <= MOST_EVENTS)


def proxy_log(lines: Sequence[bytes]) -> EgressLog:
    """The allow-listing proxy's log: each request, and what became of it.

    Lines of several connections are interleaved. What follows a request is matched by what both name, so that two
    requests which could be mistaken for each other are alike anyway.
    """
    events: list[_Asked] = []
    waiting = _Waiting()
    for time, text in _stamped(lines):
        line = LINE.fullmatch(text)
        said = line["said"] if line else ""
        if found := REQUEST.fullmatch(said):
            asked = _Asked.of(time, found["method"], found["target"] or "")
            events.append(asked)
            waiting.add(asked)
        elif found := FILTERED.fullmatch(said):
            waiting.settle(("target", found["target"][:COMPARED]), "refused", FORBIDDEN)
        elif found := REFUSED_PORT.fullmatch(said):
            waiting.settle(("port", found["port"]), "refused", FORBIDDEN)
        elif found := ESTABLISHED.fullmatch(said):
            waiting.settle(("host", found["host"].lower()), "connect", CONNECTED)
        if len(events) > MOST_EVENTS:
            break
    kept = tuple(asked.event() for asked in events[:MOST_EVENTS])
    return EgressLog(kept, _whole(lines) and len(events) <= MOST_EVENTS)


def merged(logs: Iterable[EgressLog]) -> EgressLog:
    """Several logs as one."""
    logs = list(logs)
    events = sorted((event for log in logs for event in log.events), key=lambda event: event.time)
    return EgressLog(tuple(events), all(log.complete for log in logs))


def since(log: EgressLog, start: datetime) -> EgressLog:
    """What came after the agent's start; before it only the proof has asked."""
    return EgressLog(tuple(event for event in log.events if event.time >= start), log.complete)


def engine_time(stamp: str) -> datetime:
    """The engine's own way to write a time.

    Raises:
        ValueError: it is not one.
    """
    # The engine gives nanoseconds; a datetime holds microseconds.
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,6})?\d*Z", stamp)
    if not found:
        raise ValueError(stamp)
    return datetime.fromisoformat(found[1] + (found[2] or ".0").ljust(7, "0")).replace(tzinfo=UTC)


def egress_lines(log: EgressLog) -> bytes:
    """The log as it is kept in a run's record: one JSON object per line."""
    return "".join(event.model_dump_json() + "\n" for event in log.events).encode()


@dataclass(slots=True)
class _Asked:
    """A request to the proxy. A CONNECT that nothing more is said of was tried and not answered; every other method is
    refused, since no rule of ours fits it."""

    time: datetime
    method: str
    target: str
    host: str
    port: int | None
    kind: Literal["connect", "refused"]
    status: int | None = None

    @classmethod
    def of(cls, time: datetime, method: str, target: str) -> _Asked:
        bare = re.sub(r"^[a-z]+://", "", target, flags=re.IGNORECASE).partition("/")[0].rpartition("@")[2]
        host, _, port = bare.rpartition(":") if re.search(r":\d+$", bare) else (bare, "", "")
        connect = method == "CONNECT"
        number = int(port) if port else None if connect else 80
        return cls(time, method, target, host.strip("[]").lower(), number, "connect" if connect else "refused")

    def event(self) -> Egress:
        target = self.target.partition("?")[0]
        return Egress(
            time=self.time,
            kind=self.kind,
            host=printable(self.host, SHOWN),
            port=self.port,
            status=self.status,
            request=printable(f"{self.method} {target}", SHOWN),
        )


class _Waiting:
    """Requests whose end is not known yet, found by each of the things that later lines name."""

    def __init__(self) -> None:
        self._by: defaultdict[tuple[str, str], deque[_Asked]] = defaultdict(deque)

    def add(self, asked: _Asked) -> None:
        keys = [("target", asked.target[:COMPARED]), ("host", asked.host)]
        if asked.method == "CONNECT":
            keys.append(("port", str(asked.port)))
        for key in keys:
            self._by[key].append(asked)

    def settle(self, key: tuple[str, str], kind: Literal["connect", "refused"], status: int) -> None:
        """Say of the oldest request that fits what became of it."""
        queue = self._by[key]
        while queue:
            asked = queue.popleft()
            if asked.status is None:
                asked.kind, asked.status = kind, status
                return


def _whole(lines: Sequence[bytes]) -> bool:
    return any(text == BEGIN for _, text in _stamped(lines[:1]))


def _stamped(lines: Iterable[bytes]) -> Iterator[tuple[datetime, str]]:
    for line in lines:
        stamp, _, text = line.decode("utf-8", "replace").rstrip("\n").partition(" ")
        with suppress(ValueError):
            yield engine_time(stamp), text
