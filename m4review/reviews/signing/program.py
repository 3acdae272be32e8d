"""``ssh-keygen``, the one program that signs and checks. It is called here and nowhere else.

Signatures are checked with ``-Y verify`` against the allowed signers, never with ``-Y check-novalidate``, which asks
only whether some key signed. Times are read as UTC whatever the computer's time zone.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from m4review.errors import LedgerError

NAMESPACE: Final = "m4review.event.v1"
"""What a signature is for: one made for another purpose, or for another kind of file, is none of an event."""

PROGRAM: Final = "ssh-keygen"


@dataclass(frozen=True)
class SshKeygen:
    """The program with the environment it runs in (default: this process's)."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def sign(self, data: bytes, key: Path, namespace: str = NAMESPACE) -> bytes:
        """The detached signature of ``data``. ``key`` is a private key file, or a public one whose other half an SSH
        agent or a hardware key holds.

        Raises:
            LedgerError: there is no such key, it is locked and nobody can be asked, or the program is missing.
        """
        with tempfile.TemporaryDirectory(prefix="m4review-sign-") as folder:
            message = Path(folder) / "event"
            message.write_bytes(data)
            words = ["-Y", "sign", "-n", namespace, "-f", str(key), str(message)]
            code, said = self._run(words)
            if code:
                raise LedgerError(
                    f"the event could not be signed: {said or 'ssh-keygen gave no reason'}",
                    where=key,
                    expected="a private key, or a public one whose private half an SSH agent holds",
                    fix="unlock the key with 'ssh-add', or take it out of use with 'm4review review key forget'",
                )
            return message.with_name("event.sig").read_bytes()

    def verify(
        self,
        data: bytes,
        signature: bytes,
        principal: str,
        allowed: Path,
        at: datetime,
        *,
        revoked: Path | None = None,
        namespace: str = NAMESPACE,
    ) -> str | None:
        """Why ``signature`` is not one of ``principal`` over ``data``, valid at ``at``; ``None`` when it is.

        Raises:
            LedgerError: the program is missing.
        """
        with tempfile.NamedTemporaryFile(prefix="m4review-signature-") as file:
            file.write(signature)
            file.flush()
            words = ["-Y", "verify", "-n", namespace, "-I", principal, "-f", str(allowed), "-s", file.name]
            words += ["-O", f"verify-time={at.astimezone(UTC):%Y%m%d%H%M%S}"]
            words += [] if revoked is None else ["-r", str(revoked)]
            code, said = self._run(words, stdin=data)
        if code == 0:
            return None
        if revoked is not None and self.verify(data, signature, principal, allowed, at, namespace=namespace) is None:
            return "signed with a key that was revoked"
        return said.replace(str(allowed), "allowed_signers") or "the signature does not verify"

    def create(self, path: Path, comment: str) -> None:
        """Make an Ed25519 key pair ``path`` and ``path.pub``; the private half is readable by its owner alone.

        Raises:
            LedgerError: the program failed or is missing.
        """
        words = ["-q", "-t", "ed25519", "-C", comment, "-N", "", "-f", str(path)]
        code, said = self._run(words)
        if code:
            raise LedgerError(f"no key could be made: {said}", where=path)

    def fingerprint(self, public_key: str) -> str:
        """``SHA256:…`` of a public key line.

        Raises:
            LedgerError: not a public key, or the program is missing.
        """
        code, said = self._run(["-l", "-f", "-"], stdin=f"{public_key}\n".encode())
        words = said.split()
        if code or len(words) < 2:
            raise LedgerError("not a public SSH key", expected="a line such as 'ssh-ed25519 AAAA… comment'")
        return words[1]

    def _run(self, words: Sequence[str], stdin: bytes = b"") -> tuple[int, str]:
        """Exit code and what was said. The terminal is out of reach, so that a locked key fails instead of asking on a
        screen that belongs to the workbench; an SSH agent or a graphical prompt unlocks it."""
        try:
            process = subprocess.run(
                [PROGRAM, *words],
                env={**self.environment, "TZ": "UTC", "LC_ALL": "C"},
                input=stdin,
                capture_output=True,
                check=False,
                start_new_session=True,
            )
        except FileNotFoundError:
            raise LedgerError(
                "ssh-keygen is not installed, and signatures are made and checked with it",
                expected="an 'ssh-keygen' command on the PATH",
                fix="install the OpenSSH client (on Debian or Ubuntu: sudo apt-get install openssh-client)",
            ) from None
        said = process.stderr if process.returncode or not process.stdout else process.stdout
        lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
        return process.returncode, "; ".join(lines)
