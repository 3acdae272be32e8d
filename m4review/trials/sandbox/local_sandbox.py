"""The local sandbox: the agent as an ordinary process of this machine. It is *not isolated*.

It exists so that the built-in reader, which is part of this program, can be tried where no engine is to be had. The
process gets a clean environment, a work folder of its own and a deadline, and ends with everything in its group: at
its deadline, when the run is cancelled, and when this program is killed (:mod:`m4review.trials.sandbox.lifeline`).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from m4review.trials.sandbox.capture import LineQueue, StreamCapture, run_folder_error
from m4review.trials.sandbox.job import (
    MEBIBYTE,
    STDERR_NAME,
    TRACE_NAME,
    Ending,
    SandboxFailure,
    SandboxJob,
    SandboxResult,
    Watch,
)
from m4review.trials.sandbox.left import read_local_left, read_local_output

LIFELINE = Path(__file__).with_name("lifeline.py")
KILL_AFTER_SECONDS = 5
POLL_SECONDS = 0.05
WORK_PLACEHOLDER = "{work}"


class LocalSandbox:
    """Runs jobs as processes of this machine."""

    isolated = False

    def run(self, job: SandboxJob, watch: Watch) -> SandboxResult:
        """See :class:`m4review.trials.sandbox.job.Sandbox`. A job that needs walls is refused."""
        if job.network is not None or job.seeds is not None or job.skill_folders or job.stdin or job.extra_outputs:
            raise SandboxFailure("an agent with a network, seeds or an input runs in Docker only", where=job.argv[0])
        try:
            with tempfile.TemporaryDirectory(prefix="work-", dir=job.record) as folder:
                return self._run(job, watch, Path(folder))
        except OSError as error:
            raise run_folder_error(job.record, error) from None

    def _run(self, job: SandboxJob, watch: Watch, work: Path) -> SandboxResult:
        limits = job.limits
        lines = LineQueue()
        with (
            StreamCapture(
                job.record / TRACE_NAME, limits.trace_mib * MEBIBYTE, watch.screen.stream(TRACE_NAME), lines.put
            ) as trace,
            StreamCapture(
                job.record / STDERR_NAME, limits.stderr_mib * MEBIBYTE, watch.screen.stream(STDERR_NAME)
            ) as stderr,
        ):
            with watch.phase("start"):
                process = _start(job, work)
            lifeline = process.stdin
            assert lifeline is not None
            try:
                assert process.stdout is not None
                assert process.stderr is not None
                readers = [_reader(process.stdout, trace), _reader(process.stderr, stderr)]
                with watch.phase("agent"):
                    ending = _follow(process, limits.seconds, watch, lines, (trace, stderr))
            finally:
                with watch.phase("stop"), lifeline:
                    _end_group(process)
            for reader in readers:
                reader.join(10)
            trace.close()
            stderr.close()
            lines.hand_on(watch.trace_line)
            trace.check()
            stderr.check()
        with watch.phase("read"):
            limit = limits.work_mib * MEBIBYTE
            output = read_local_output(work, job.record, limit, watch.screen)
            complete = read_local_left(work, watch.visit, 2 * limit)
        return SandboxResult(
            ending=ending,
            exit_code=process.returncode if ending == "exited" else None,
            out_of_memory=False,
            output=output,
            trace_bytes=trace.received,
            trace_truncated=trace.truncated,
            stderr_truncated=stderr.truncated,
            left_complete=complete,
        )


def _start(job: SandboxJob, work: Path) -> subprocess.Popen[bytes]:
    argv = [word.replace(WORK_PLACEHOLDER, str(work)) for word in job.argv]
    environment = {
        "HOME": str(work),
        "TMPDIR": str(work),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        **job.environment,
    }
    if shutil.which(argv[0], path=environment["PATH"]) is None:
        raise SandboxFailure("the agent cannot be started: there is no such program", where=argv[0])
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(LIFELINE), *argv],
            cwd=work,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxFailure(f"the agent cannot be started ({error.strerror})", where=argv[0]) from None


def _reader(stream: IO[bytes], capture: StreamCapture) -> threading.Thread:
    def read() -> None:
        with stream:
            while chunk := os.read(stream.fileno(), 1 << 16):
                capture.feed(chunk)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def _follow(
    process: subprocess.Popen[bytes],
    seconds: int,
    watch: Watch,
    lines: LineQueue,
    captures: tuple[StreamCapture, StreamCapture],
) -> Ending:
    limit = time.monotonic() + seconds
    while True:
        lines.hand_on(watch.trace_line, seconds=POLL_SECONDS)
        for capture in captures:
            capture.check()
        if watch.cancel.is_set():
            return "cancelled"
        if time.monotonic() > limit:
            return "deadline"
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL_SECONDS)
            return "exited"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the process and everything it started that did not leave its group."""
    for sign, patience in ((signal.SIGTERM, KILL_AFTER_SECONDS), (signal.SIGKILL, KILL_AFTER_SECONDS)):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            if sign == signal.SIGTERM:
                continue
            return
    raise SandboxFailure("the agent's process cannot be ended", where=str(process.pid))
