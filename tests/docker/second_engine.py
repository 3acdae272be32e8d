"""A second Docker engine on this machine, in a network namespace of its own, reached over TCP like one elsewhere."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import docker
import pytest

from m4review.trials.sandbox.engine import connect


@dataclass
class SecondEngine:
    """The engine. ``sent`` counts the bytes that went to it."""

    folder: Path
    sent: int = 0
    port: int = 0
    process: subprocess.Popen[bytes] | None = None
    listener: socket.socket | None = None
    clients: list[docker.DockerClient] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "DOCKER_HOST": f"tcp://127.0.0.1:{self.port}"}

    @property
    def unix(self) -> str:
        return str(self.folder / "sock")

    def connect(self) -> docker.DockerClient:
        client = connect(environment=self.environment)
        self.clients.append(client)
        return client

    def start(self) -> None:
        """Start the engine and wait until it answers; skips the test where that is not possible."""
        if os.geteuid() != 0 or not shutil.which("dockerd") or not shutil.which("unshare"):
            pytest.skip("a second engine needs root, dockerd and unshare")
        # Mounts and networks of its own: what it made ends with it, and the first engine's rules stay as they are.
        words = ["unshare", "--net", "--mount", "--", "dockerd", "--log-level", "warn", "--host", f"unix://{self.unix}"]
        state = tempfile.mkdtemp(prefix="state-", dir=self.folder)
        words += ["--data-root", str(self.folder / "data"), "--exec-root", state, "--pidfile", f"{state}/pid"]
        words += ["--default-address-pool", "base=10.213.0.0/24,size=27"]  # room for eight networks
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
        for _ in range(600):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(self.unix)
                probe.sendall(b"GET /_ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                probe.settimeout(10)
                if b"200 OK" in probe.recv(99):
                    return
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            threading.Event().wait(0.05)
        pytest.fail("the second engine does not answer: " + (self.folder / "log").read_text()[-2000:])

    def listen(self) -> None:
        """Pass TCP connections on to the engine's socket."""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def die(self) -> None:
        """End the engine as a crash of its machine would, with everything that belongs to it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self._end_the_rest()

    def stop(self) -> None:
        """End the engine properly."""
        for client in self.clients:
            client.close()
        assert self.process is not None
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)
        self._end_the_rest()
        assert self.listener is not None
        self.listener.close()

    def _end_the_rest(self) -> None:
        """End what names the engine's own folder on its command line: containerd and the shims of containers."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if str(self.folder).encode() in (folder / "cmdline").read_bytes():
                    os.kill(int(folder.name), signal.SIGKILL)

    def _accept(self) -> None:
        assert self.listener is not None
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            try:
                far.connect(self.unix)
            except OSError:
                near.close()
                continue
            threading.Thread(target=self._pump, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, False), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if counted:
                    self.sent += len(data)
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def second_engine(folder: Path) -> Iterator[SecondEngine]:
    """The engine for as long as the block lasts."""
    engine = SecondEngine(folder)
    engine.start()
    engine.listen()
    try:
        yield engine
    finally:
        engine.stop()
        # What the engine mounted is gone with it; only its own data is left.
        shutil.rmtree(folder, ignore_errors=True)
