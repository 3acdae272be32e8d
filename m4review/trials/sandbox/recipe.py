"""What the images are made of, and whether the engine's image is the one this program's source describes.

A recipe is a folder of ``recipes/``: a ``Dockerfile`` and the lists of packages that are fetched on the host and copied
in. Its digest covers every file of the folder, the source that is copied in, the versions taken from this installation,
and the recipe it is based on. The digest is a label of the image, so that a trial can tell an image that no longer
matches.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import TrialError, one_of

if TYPE_CHECKING:
    from docker import DockerClient

RECIPES = Path(__file__).parent / "recipes"
TRIALS = Path(__file__).parents[1]
READER_SOURCE = TRIALS / "agents" / "reader"
SOURCES = {"reader": READER_SOURCE, "endpoint": TRIALS / "endpoint"}
"""Source of this program that a recipe of that name takes in, as a folder of the same name."""

DOCKERFILE, AS_ON_HOST, PYTHON_LOCK, NODE_LOCK = "Dockerfile", "as-on-host.txt", "requirements.txt", "package-lock.json"
RECIPE_LABEL, CHECKOUT_LABEL = "m4review.recipe", "m4review.checkout"


@dataclass(frozen=True, slots=True)
class SandboxImage:
    """An image built from a recipe as it is now."""

    id: str
    tag: str


def recipe_names() -> list[str]:
    """The recipes that come with this program."""
    return sorted(path.parent.name for path in RECIPES.glob(f"*/{DOCKERFILE}"))


def repository(recipe: str) -> str:
    """The name that all images of a recipe share; the tag is the recipe's digest."""
    return f"m4review/{recipe}"


def image_tag(recipe: str, digest: str) -> str:
    """The full name of the image of one state of a recipe, so that several checkouts can share an engine."""
    return f"{repository(recipe)}:{digest.removeprefix('sha256:')[:16]}"


def recipe_digest(recipe: str, source: Path | None = None) -> str:
    """SHA-256 of everything the image is built from, except Debian's packages. ``source``: another folder to copy in.

    Raises:
        TrialError: no such recipe.
    """
    digest = hashlib.sha256()
    for name, data in _ingredients(recipe, source or SOURCES.get(recipe)):
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
            f"the sandbox image {recipe} {state}",
            where=repository(recipe),
            fix=build_command(recipe),
        )
    return image


def build_command(recipe: str) -> str:
    """What to type so that the image is built."""
    return (
        f"m4review agent build {recipe}"
        if recipe != "reader"
        else "make sandbox-image, or: m4review agent build reader"
    )


def dockerfile(recipe: str) -> Path:
    """The Dockerfile of a recipe.

    Raises:
        TrialError: no such recipe.
    """
    if recipe not in recipe_names():
        raise TrialError(f"no image recipe {recipe!r}", where=RECIPES, expected=one_of(recipe, recipe_names()))
    return RECIPES / recipe / DOCKERFILE


def base_recipe(recipe: str) -> str | None:
    """The recipe that another one is based on: what its Dockerfile gives ``BASE``; ``None`` for bare Debian."""
    found = re.search(r"^ARG BASE=(\S+)$", dockerfile(recipe).read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else None


def host_versions(recipe: str) -> dict[str, str]:
    """The packages that must be the host's own version: the sandbox reads the very storage format the host writes."""
    path = dockerfile(recipe).with_name(AS_ON_HOST)
    names = path.read_text(encoding="utf-8").split() if path.is_file() else []
    return {name: importlib.metadata.version(name) for name in names}


def _ingredients(recipe: str, source: Path | None) -> Iterator[tuple[str, bytes]]:
    base = base_recipe(recipe)
    if base is not None:
        yield "base", recipe_digest(base).encode()
    yield "packages", json.dumps(host_versions(recipe)).encode()
    folder = dockerfile(recipe).parent
    for path in sorted(folder.iterdir()):
        if path.is_file():
            yield path.name, path.read_bytes()
    for path in sorted(source.rglob("*")) if source else ():
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{recipe}/{path.relative_to(source).as_posix()}" if source else path.name, path.read_bytes()
