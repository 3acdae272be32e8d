"""What the images are made of, and whether the engine's image is the one this program's source describes.

The recipe's digest covers the Dockerfile, the reader's source and the exact package versions. It is a label of the
image, so that a trial can tell an image that no longer matches the source.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import TrialError

if TYPE_CHECKING:
    from docker import DockerClient

HERE = Path(__file__).parent
READER_SOURCE = HERE.parent / "agents" / "reader"
PACKAGES = ("duckdb", "markdown-it-py", "mdurl")
RECIPE_LABEL, CHECKOUT_LABEL = "m4review.recipe", "m4review.checkout"


@dataclass(frozen=True, slots=True)
class SandboxImage:
    """An image built from a recipe as it is now."""

    id: str
    tag: str


def repository(recipe: str) -> str:
    """The name that all images of a recipe share; the tag is the recipe's digest."""
    return f"m4review/{recipe}"


def image_tag(recipe: str, digest: str) -> str:
    """The full name of the image of one state of a recipe, so that several checkouts can share an engine."""
    return f"{repository(recipe)}:{digest.removeprefix('sha256:')[:16]}"


def recipe_digest(recipe: str, source: Path | None = None) -> str:
    """SHA-256 of everything the image is built from, except Debian's packages. ``source``: another reader's folder.

    Raises:
        TrialError: no such recipe.
    """
    digest = hashlib.sha256()
    for name, data in _ingredients(recipe, source or READER_SOURCE):
        digest.update(len(name).to_bytes(8, "big") + name.encode() + len(data).to_bytes(8, "big") + data)
    return "sha256:" + digest.hexdigest()


def find_image(client: DockerClient, recipe: str) -> SandboxImage | None:
    """The image of the recipe's present state, or ``None`` when it is not built."""
    from docker.errors import ImageNotFound

    digest = recipe_digest(recipe)
    tag = image_tag(recipe, digest)
    try:
        image = client.images.get(tag)
    except ImageNotFound:
        return None
    return SandboxImage(str(image.id), tag) if (image.labels or {}).get(RECIPE_LABEL) == digest else None


def require_image(client: DockerClient, recipe: str) -> SandboxImage:
    """The image of the recipe's present state.

    Raises:
        TrialError: not built, or only from another source than this program's.
    """
    image = find_image(client, recipe)
    if image is None:
        older = bool(client.images.list(repository(recipe)))
        state = "was built from other source than this program's" if older else "is not built"
        raise TrialError(
            f"the sandbox image of the {recipe} {state}",
            where=repository(recipe),
            fix="make sandbox-image, or: python -m m4review.trials.sandbox.images " + recipe,
        )
    return image


def dockerfile(recipe: str) -> Path:
    """The Dockerfile of a recipe.

    Raises:
        TrialError: no such recipe.
    """
    path = HERE / f"{recipe}.Dockerfile"
    if not path.is_file():
        known = sorted(found.stem for found in HERE.glob("*.Dockerfile"))
        raise TrialError(f"no image recipe {recipe!r}", where=HERE, expected="one of " + ", ".join(known))
    return path


def _ingredients(recipe: str, source: Path) -> Iterator[tuple[str, bytes]]:
    yield "Dockerfile", dockerfile(recipe).read_bytes()
    yield "packages", json.dumps(package_versions()).encode()
    for path in sorted(source.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield "reader/" + path.relative_to(source).as_posix(), path.read_bytes()


def package_versions() -> dict[str, str]:
    """The versions installed here: the sandbox must read the very storage format the host writes."""
    return {name: importlib.metadata.version(name) for name in PACKAGES}
