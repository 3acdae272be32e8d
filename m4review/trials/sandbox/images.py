"""Building the images agents run in: ``python -m m4review.trials.sandbox.images base|reader``.

A current image is left alone. Progress goes to stderr.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError, TrialError
from m4review.trials.sandbox.engine import connect, engine_errors
from m4review.trials.sandbox.recipe import (
    CHECKOUT_LABEL,
    READER_SOURCE,
    RECIPE_LABEL,
    SandboxImage,
    dockerfile,
    find_image,
    image_tag,
    package_versions,
    recipe_digest,
    repository,
)

if TYPE_CHECKING:
    from docker import DockerClient

Progress = Callable[[str], None]

BASE_TAG = "m4review/sandbox-base:bookworm"
PUBLIC_BASE = ("debian", "bookworm-slim")
SUITE = "bookworm"
DEFAULT_MIRROR = "http://deb.debian.org/debian"
IMAGE_PYTHON = "3.11"
"""The Python of Debian bookworm, for which the wheels are fetched."""

GLIBC = range(17, 37)
"""manylinux_2_N tags that bookworm's C library (2.36) can run."""

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


def build_image(client: DockerClient, recipe: str, progress: Progress) -> SandboxImage:
    """Build the image of a recipe unless it is current.

    Raises:
        TrialError: the base, the packages or the build failed; the message says which and why.
    """
    found = find_image(client, recipe)
    if found is not None:
        progress(f"{found.tag}: up to date")
        return found
    dockerfile(recipe)
    base = build_base(client, progress)
    with tempfile.TemporaryDirectory(prefix="m4review-image-") as folder:
        context = Path(folder)
        shutil.copyfile(dockerfile(recipe), context / "Dockerfile")
        shutil.copytree(READER_SOURCE, context / "reader", ignore=shutil.ignore_patterns("__pycache__"))
        digest = recipe_digest(recipe, context / "reader")
        _fetch_packages(context / "site", str(client.info()["Architecture"]), progress)
        progress(f"{image_tag(recipe, digest)}: building")
        _run_build(client, context, recipe, digest, base, progress)
    built = find_image(client, recipe)
    if built is None:
        raise TrialError(
            "the source changed while the image was built",
            where=image_tag(recipe, digest),
            fix="run 'make sandbox-image' again",
        )
    _forget_replaced(client, recipe, built)
    progress(f"{built.tag}: built")
    return built


# -- packages and build -----------------------------------------------------------------------------------------------


def _fetch_packages(site: Path, architecture: str, progress: Progress) -> None:
    machine = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}.get(architecture)
    if machine is None:
        raise TrialError(f"no sandbox image for the architecture {architecture!r}", expected="x86_64 or aarch64")
    versions = [f"{name}=={version}" for name, version in package_versions().items()]
    progress("fetching " + ", ".join(versions))
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in reversed(GLIBC)] + [f"manylinux2014_{machine}"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--implementation", "cp", "--python-version", IMAGE_PYTHON, "--no-compile"]
    command += [word for name in platforms for word in ("--platform", name)]
    done = subprocess.run(
        [*command, "--target", str(site), *versions],
        capture_output=True,
        text=True,
        check=False,
        timeout=BUILD_SECONDS,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        raise TrialError(
            "the packages of the sandbox image could not be fetched: " + _last_line(done.stderr),
            expected="pip in this Python environment and a reachable package index",
        )


def _run_build(client: DockerClient, context: Path, recipe: str, digest: str, base: str, progress: Progress) -> None:
    tail: list[str] = []
    stream = client.api.build(
        path=str(context),
        tag=image_tag(recipe, digest),
        buildargs={"BASE": base},
        labels={RECIPE_LABEL: digest, CHECKOUT_LABEL: _checkout()},
        rm=True,
        forcerm=True,
        decode=True,
        use_config_proxy=True,
        timeout=BUILD_SECONDS,
    )
    for entry in stream:
        line = str(entry.get("stream", "")).strip()
        if line:
            tail = [*tail[-20:], line]
        if line.startswith("Step "):
            progress(line)
        if "error" in entry:
            raise TrialError(
                f"the image could not be built: {str(entry['error']).strip()}",
                where=repository(recipe),
                expected="a base image whose package mirror answers; last output: " + " | ".join(tail[-4:]),
            )


def _forget_replaced(client: DockerClient, recipe: str, built: SandboxImage) -> None:
    """Remove what this checkout built before, unless a container still needs it."""
    from docker.errors import APIError

    for image in client.images.list(repository(recipe), filters={"label": f"{CHECKOUT_LABEL}={_checkout()}"}):
        if image.id != built.id:
            with contextlib.suppress(APIError):
                client.images.remove(str(image.id))


def _checkout() -> str:
    """A name for this installation that tells nothing about its place."""
    return hashlib.sha256(str(READER_SOURCE).encode()).hexdigest()[:16]


# -- the base ---------------------------------------------------------------------------------------------------------


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
                "mmdebstrap failed: " + _last_line(done.stderr), where=mirror, expected="a Debian mirror that answers"
            )
        repository, tag = BASE_TAG.split(":")
        answer = client.api.import_image_from_file(str(archive), repository=repository, tag=tag)
        if '"error"' in str(answer):
            raise TrialError("the engine refused the base image: " + _last_line(str(answer)), where=BASE_TAG)


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


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no message"


def main(words: list[str]) -> int:
    """Build the image named on the command line; returns the exit code."""

    def progress(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    if len(words) != 1:
        progress("usage: python -m m4review.trials.sandbox.images base|reader")
        return 2
    try:
        client = connect(timeout=BUILD_SECONDS)
        try:
            if words[0] == "base":
                build_base(client, progress)
            else:
                build_image(client, words[0], progress)
        finally:
            client.close()
    except M4ReviewError as error:
        progress(f"m4review: {error}")
        return error.exit_code
    except engine_errors() as error:
        progress(f"m4review: the Docker engine failed: {' '.join(str(error).split())[-300:]}")
        return 2
    except KeyboardInterrupt:
        progress("m4review: stopped")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
