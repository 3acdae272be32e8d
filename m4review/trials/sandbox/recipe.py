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
RECIPE_LABEL = "m4review.recipe"


@dataclass(frozen=True, slots=True)
class SandboxImage:
    """An image as the engine has it. ``current`` says whether it was built from the present recipe."""

    id: str
    tag: str
    recipe: str
    current: bool


def image_tag(recipe: str) -> str:
    """The tag under which the image of a recipe is kept."""
    return f"m4review/{recipe}:latest"


def recipe_digest(recipe: str) -> str:
    """SHA-256 of everything the image is built from, except Debian's packages.

    Raises:
        TrialError: no such recipe.
    """
    digest = hashlib.sha256()
    for name, data in _ingredients(recipe):
        digest.update(len(name).to_bytes(8, "big") + name.encode() + len(data).to_bytes(8, "big") + data)
    return "sha256:" + digest.hexdigest()


def find_image(client: DockerClient, recipe: str) -> SandboxImage | None:
    """The image of a recipe, current or not, or ``None`` when it was never built here."""
    from docker.errors import ImageNotFound

    try:
        image = client.images.get(image_tag(recipe))
    except ImageNotFound:
        return None
    label = str((image.labels or {}).get(RECIPE_LABEL, ""))
    return SandboxImage(str(image.id), image_tag(recipe), label, label == recipe_digest(recipe))


def require_image(client: DockerClient, recipe: str) -> SandboxImage:
    """The current image of a recipe.

    Raises:
        TrialError: not built, or built from another source.
    """
    image = find_image(client, recipe)
    if image is None or not image.current:
        state = "is not built" if image is None else "was built from other source than this program's"
        raise TrialError(
            f"the sandbox image of the {recipe} {state}", where=image_tag(recipe), fix="make sandbox-image"
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


def _ingredients(recipe: str) -> Iterator[tuple[str, bytes]]:
    yield "Dockerfile", dockerfile(recipe).read_bytes()
    yield "packages", json.dumps(package_versions()).encode()
    for path in sorted(READER_SOURCE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield "reader/" + path.relative_to(READER_SOURCE).as_posix(), path.read_bytes()


def package_versions() -> dict[str, str]:
    """The versions installed here: the sandbox must read the very storage format the host writes."""
    return {name: importlib.metadata.version(name) for name in PACKAGES}
