"""What the probes share: the mark of planted secrets, and attempts that tell instead of failing."""

import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

MARK = b"m4review-" + b"planted-"
"""Every planted secret begins with it. It is put together here so that the program does not find itself."""

PATIENCE = 1.5
"""Seconds; whoever is to be reached on these networks answers at once."""

AT_ONCE = 16

Plan = dict[str, Any]
Found = list[str]
Probe = Callable[[Plan], tuple[int, Found]]


def files_in(roots: Sequence[Path]) -> Iterator[Path]:
    """Every plain file, reached through folders or named itself."""
    for root in roots:
        if root.is_file():
            yield root
        for folder, _, names in os.walk(root):
            yield from (path for path in (Path(folder) / name for name in names) if path.is_file())


def mounted_files() -> list[Path]:
    """What is mounted where the system's own files are."""
    targets = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return [Path(target) for target in targets if target.startswith(("/usr/", "/opt/", "/lib")) or target == "/dev/shm"]


def reads(path: Path) -> bytes:
    """The first bytes of a file, none when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(16)
    except OSError:
        return b""


def works(attempt: Callable[..., object], *words: object) -> bool:
    """Whether the system let it happen."""
    try:
        attempt(*words)
    except OSError:
        return False
    return True


def works_in_child(attempt: Callable[..., bool], *words: object) -> bool:
    """The same in a process of its own, which what happened does not outlive."""
    child = os.fork()
    if child == 0:
        done = False
        try:
            done = attempt(*words)
        finally:
            os._exit(0 if done else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def own_gateways() -> list[str]:
    """Where its own routes lead."""
    rows = [line.split() for line in Path("/proc/net/route").read_text().splitlines()[1:]]
    return [socket.inet_ntoa(struct.pack("<L", int(row[2], 16))) for row in rows if int(row[2], 16)]


def reached(pairs: Sequence[tuple[str, int]]) -> Found:
    """At which hosts and ports somebody answers; a refusal is an answer."""
    found: Found = []

    def attempt(host: str, port: int) -> None:
        try:
            socket.create_connection((host, port), PATIENCE).close()
            found.append(f"{host}:{port} is reached")
        except ConnectionRefusedError:
            found.append(f"{host}:{port} refuses, so somebody is there")
        except OSError:
            return  # silence, or no way there

    together([partial(attempt, *pair) for pair in pairs])
    return sorted(found)


def together(work: Sequence[Callable[[], None]]) -> None:
    """Do pieces of work at the same time, some at once."""
    for start in range(0, len(work), AT_ONCE):
        threads = [threading.Thread(target=piece) for piece in work[start : start + AT_ONCE]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def ask(host: str, port: int, request: str) -> str:
    """What an HTTP server answers, as far as it comes."""
    answer = b""
    try:
        with socket.create_connection((host, port), 5) as stream:
            stream.sendall(request.encode())
            while piece := stream.recv(4096):
                answer += piece
                if b"\r\n\r\n" in answer and request.startswith("CONNECT"):
                    break
    except OSError:
        return answer.decode("utf-8", "replace")
    return answer.decode("utf-8", "replace")
