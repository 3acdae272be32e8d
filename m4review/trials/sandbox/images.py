"""Building the images agents run in: ``python -m m4review.trials.sandbox.images base|RECIPE``.

A current image is left alone. Progress goes to stderr.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError, TrialError
from m4review.trials.sandbox.debianbase import BUILD_SECONDS, build_base
from m4review.trials.sandbox.engine import connect, engine_errors
from m4review.trials.sandbox.packages import fetch_locked, fetch_node, fetch_versions, machine_of
from m4review.trials.sandbox.recipe import (
    CHECKOUT_LABEL,
    NODE_LOCK,
    PYTHON_LOCK,
    READER_SOURCE,
    RECIPE_LABEL,
    SOURCES,
    SandboxImage,
    base_recipe,
    build_command,
    dockerfile,
    find_image,
    host_versions,
    image_tag,
    recipe_digest,
    repository,
)

if TYPE_CHECKING:
    from docker import DockerClient

Progress = Callable[[str], None]


def build_image(client: DockerClient, recipe: str, progress: Progress) -> SandboxImage:
    """Build the image of a recipe, and first the one it is based on, unless it is current.

    Raises:
        TrialError: the base, the packages or the build failed; the message says which and why.
    """
    found = find_image(client, recipe)
    if found is not None:
        progress(f"{found.tag}: up to date")
        return found
    under = base_recipe(recipe)
    base = build_base(client, progress) if under is None else build_image(client, under, progress).tag
    with tempfile.TemporaryDirectory(prefix="m4review-image-") as folder:
        context = Path(folder)
        digest = _make_context(context, recipe, str(client.info()["Architecture"]), progress)
        progress(f"{image_tag(recipe, digest)}: building")
        _run_build(client, context, recipe, digest, base, progress)
    built = find_image(client, recipe)
    if built is None:
        raise TrialError(
            "the source changed while the image was built",
            where=image_tag(recipe, digest),
            fix=f"again: {build_command(recipe)}",
        )
    _forget_replaced(client, recipe, built)
    progress(f"{built.tag}: built")
    return built


def _make_context(context: Path, recipe: str, architecture: str, progress: Progress) -> str:
    """Put together everything the build needs; returns the digest of the recipe as it was copied."""
    for path in dockerfile(recipe).parent.iterdir():
        if path.is_file():
            shutil.copy(path, context / path.name)
    source = SOURCES.get(recipe)
    if source is not None:
        shutil.copytree(source, context / recipe, ignore=shutil.ignore_patterns("__pycache__"))
    digest = recipe_digest(recipe, context / recipe if source else None)
    machine = machine_of(architecture)
    versions = host_versions(recipe)
    if versions:
        fetch_versions(context / "site", versions, machine, progress)
    if (context / PYTHON_LOCK).is_file():
        fetch_locked(context / "site", context / PYTHON_LOCK, machine, progress)
    if (context / NODE_LOCK).is_file():
        fetch_node(context, machine, progress)
    return digest


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


def main(words: list[str]) -> int:
    """Build the image named on the command line; returns the exit code."""

    def progress(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    if len(words) != 1:
        progress("usage: python -m m4review.trials.sandbox.images base|RECIPE")
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
