"""The image that all others are made from: Debian, pulled or made from Debian's own mirror."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import TrialError
from m4review.trials.sandbox.engine import engine_errors
from m4review.trials.sandbox.packages import last_error

if TYPE_CHECKING:
    from docker import DockerClient

Progress = Callable[[str], None]

BASE_TAG = "m4review/sandbox-base:bookworm"
PUBLIC_BASE = ("debian", "bookworm-slim")
SUITE = "bookworm"
DEFAULT_MIRROR = "http://deb.debian.org/debian"
BUILD_SECONDS = 1800


def build_base(client: DockerClient, progress: Progress) -> str:
    """Make sure that the base image is there; returns its tag.

    A local image is used, else Debian's public image is pulled, else a minimal system is made from Debian's mirror.

    Raises:
        TrialError: none of the three is possible here.
    """
    from docker.errors import ImageNotFound

    try:
        client.images.get(BASE_TAG)
    except ImageNotFound:
        if not _adopt_public_base(client, progress):
            _bootstrap_base(client, progress)
        progress(f"{BASE_TAG}: made")
    else:
        progress(f"{BASE_TAG}: already there")
    return BASE_TAG


def _adopt_public_base(client: DockerClient, progress: Progress) -> bool:
    from docker.errors import ImageNotFound

    repository, tag = PUBLIC_BASE
    try:
        image = client.images.get(f"{repository}:{tag}")
    except ImageNotFound:
        progress(f"pulling {repository}:{tag}")
        try:
            image = client.images.pull(repository, tag=tag)
        except engine_errors() as error:
            progress(f"cannot be pulled here ({' '.join(str(error).split())[:160]})")
            return False
    image.tag(*BASE_TAG.split(":"))
    return True


def _bootstrap_base(client: DockerClient, progress: Progress) -> None:
    program = shutil.which("mmdebstrap")
    if program is None:
        raise TrialError(
            "the base image can neither be pulled nor made here",
            where=BASE_TAG,
            expected=f"a registry that serves {':'.join(PUBLIC_BASE)}, or Debian's mmdebstrap",
            fix="load the image by hand, or on Debian: apt-get install mmdebstrap",
        )
    mirror = debian_mirror()
    progress(f"making a minimal Debian {SUITE} from {mirror} (about half a minute)")
    with tempfile.TemporaryDirectory(prefix="m4review-base-") as folder:
        archive = Path(folder) / "base.tar"
        excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "man", "locale", "info")]
        done = subprocess.run(
            [program, "--variant=minbase", *excluded, SUITE, str(archive), mirror],
            capture_output=True,
            text=True,
            check=False,
            timeout=BUILD_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode != 0:
            raise TrialError(
                "mmdebstrap failed: " + last_error(done.stderr), where=mirror, expected="a Debian mirror that answers"
            )
        repository, tag = BASE_TAG.split(":")
        answer = client.api.import_image_from_file(str(archive), repository=repository, tag=tag)
        if '"error"' in str(answer):
            raise TrialError("the engine refused the base image: " + last_error(str(answer)), where=BASE_TAG)


def debian_mirror(apt: Path = Path("/etc/apt")) -> str:
    """The Debian mirror this machine is configured for, else the public one."""
    files = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]
    for path in files:
        if path.suffix in {".list", ".sources"} and path.is_file():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                found = re.search(r"https?://\S+/debian/?(?=\s|$)", line)
                if found and line.startswith(("deb ", "deb\t", "URIs:")):
                    return found.group().rstrip("/")
    return DEFAULT_MIRROR
