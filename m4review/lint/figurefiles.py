"""The figures of the datasets of this workspace, as the rules about results compare them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import LintFailure
from m4review.places import LOCAL

if TYPE_CHECKING:
    from m4review.tasks.figures import Figures

DATA_ENVIRONMENT = "M4REVIEW_DATA"


def read_figures(root: Path) -> tuple[Figures, ...]:
    """The figures of every dataset in the data home of the workspace at ``root``.

    Raises:
        LintFailure: a file of figures cannot be read.
    """
    configured = os.environ.get(DATA_ENVIRONMENT)
    home = Path(configured).expanduser() if configured else root / LOCAL / "data"
    if not home.is_dir():
        return ()
    from m4review.tasks.figures import figures_file, from_json

    found = []
    for folder in sorted(home.iterdir()):
        path = figures_file(folder)
        if path.is_file():
            try:
                found.append(from_json(path.read_text(encoding="utf-8")))
            except (OSError, ValueError) as error:
                raise LintFailure(
                    f"the figures of the dataset cannot be read: {error}",
                    where=path,
                    fix=f"make them again: m4review data fingerprints --dataset {folder.name}",
                ) from None
    return tuple(found)
