"""The figures of a report, drawn once, as SVG for the page and as SVG and PNG files beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from m4review.campaigns.analysis import Analysis
from m4review.campaigns.canvas import Drawn, png_of, svg_of
from m4review.campaigns.document import Figure
from m4review.campaigns.effectfigures import forest, heat_map
from m4review.campaigns.levelfigures import control_ladder, schema_slopes, specification_scatter
from m4review.campaigns.specification import SpecificationCurve
from m4review.errors import TextFileError
from m4review.textfile import write_bytes


def draw(analysis: Analysis, specification: SpecificationCurve | None = None) -> tuple[Drawn, ...]:
    """Every figure that the runs allow."""
    drawn = (
        forest(analysis),
        heat_map(analysis.primary.effect),
        control_ladder(analysis.ladders),
        schema_slopes(analysis.probes),
        specification_scatter(specification),
    )
    return tuple(one for one in drawn if one is not None)


def figures_of(drawn: Sequence[Drawn]) -> tuple[Figure, ...]:
    """The same as SVG, with nothing in it that differs from call to call."""
    return tuple(Figure(one.file, svg_of(one.canvas), one.caption) for one in drawn)


def picture_files(drawn: Sequence[Drawn]) -> Mapping[str, bytes]:
    """Every figure as SVG and as PNG, by file name."""
    files = {}
    for one in drawn:
        files[f"{one.file}.svg"] = svg_of(one.canvas).encode()
        files[f"{one.file}.png"] = png_of(one.canvas)
    return files


def write_figures(drawn: Sequence[Drawn], folder: Path) -> list[Path]:
    """Write them into ``folder``, which is made.

    Raises:
        TextFileError: the folder cannot be made, or a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TextFileError(
            f"the folder for figures cannot be made: {error.strerror}", where=folder, expected="a folder, or a new name"
        ) from None
    written = []
    for name, data in picture_files(drawn).items():
        write_bytes(folder / name, data)
        written.append(folder / name)
    return written
