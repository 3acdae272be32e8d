"""A report as LaTeX sections for an article: booktabs tables that run over pages, figures as files beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from m4review.campaigns.document import Block, Document, Figure, Points, Sketch, Table, one_line

PACKAGES = ("array", "booktabs", "longtable", "graphicx", "textcomp")
"""What the document that includes the sections has to load."""
WIDE = 95
"""Characters of a table's widest cells together, above which its columns are broken into lines."""
FITTING = 135
"""Characters that fit a line of such a table."""
BREAKS = re.compile(r"(?<=[-_])|\s+")
"""Where a line may be broken within a cell."""
LAST_PLAIN = 0x17F
"""Letters up to here are written as they are: every LaTeX of today reads them."""

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_\allowbreak{}", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "−": "$-$", "…": r"\dots{}", "–": "--", "—": "---", "·": r"\textperiodcentered{}",
    "µ": r"\textmu{}", "μ": r"\textmu{}", "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$", "÷": r"$\div$",
    "±": r"$\pm$", "→": r"$\rightarrow$", "Δ": r"$\Delta$", "ρ": r"$\rho$", "°": r"\textdegree{}",
    "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}", "½": r"\textonehalf{}", "₂": r"\textsubscript{2}",
    "§": r"\S{}", "≈": r"$\approx$", "≠": r"$\neq$", "’": "'", "‘": "`", "“": "``", "”": "''",
    "\N{NO-BREAK SPACE}": "~",
}  # fmt: skip


def to_latex(document: Document) -> str:
    """LaTeX for ``\\input`` into an article that loads ``PACKAGES``; pictures in characters are left out."""
    parts = [f"% {one_line(document.title)}. Needs \\usepackage{{{','.join(PACKAGES)}}}.", _tex(document.opening)]
    for section in document.sections:
        parts.append(f"\\subsection*{{{_tex(section.title)}}}")
        parts += [_block(block) for block in section.blocks if not isinstance(block, Sketch)]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Points):
        items = [f"\\item {_tex(said)}" for said in block.sentences]
        return "\n".join(["\\begin{itemize}", *items, "\\end{itemize}"])
    if isinstance(block, Figure):
        picture = f"\\includegraphics[width=\\linewidth,height=0.85\\textheight,keepaspectratio]{{{block.file}}}"
        lines = [
            "\\begin{figure}[htbp]",
            "\\centering",
            picture,
            f"\\caption{{{_tex(block.caption)}}}",
            "\\end{figure}",
        ]
        return "\n".join(lines)
    assert isinstance(block, str)
    return _tex(block)


def _table(table: Table) -> str:
    columns, size = _columns(table)
    lines = [f"{{{size}\\setlength{{\\tabcolsep}}{{3pt}}", f"\\begin{{longtable}}{{{columns}}}", "\\toprule"]
    lines += [_row(table.head), "\\midrule", "\\endhead", *map(_row, table.rows)]
    return "\n".join([*lines, "\\bottomrule", "\\end{longtable}}"])


def _columns(table: Table) -> tuple[str, str]:
    """Natural widths where the table fits the page, else shares by what each column holds; and the letters' size."""
    columns = list(zip(table.head, *table.rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    aligned = ["l" if place < table.words else "r" for place in range(len(widths))]
    if sum(widths) <= WIDE:
        return "".join(aligned), "\\footnotesize"
    pieces = [2 + max(len(piece) for cell in column for piece in BREAKS.split(cell)) for column in columns]
    spare = max(0, FITTING - sum(pieces))
    wanted = [width - piece for width, piece in zip(widths, pieces, strict=True)]
    total = sum(wanted) or 1
    room = [piece + spare * want / total for piece, want in zip(pieces, wanted, strict=True)]
    ragged = {"l": "\\raggedright", "r": "\\raggedleft"}
    specified = [
        f">{{{ragged[side]}\\arraybackslash}}p{{\\dimexpr {width / sum(room):.3f}\\linewidth-6pt\\relax}}"
        for side, width in zip(aligned, room, strict=True)
    ]
    return "".join(specified), "\\scriptsize"


def _row(cells: Sequence[str]) -> str:
    # Braces keep a first cell in brackets from being read as the space after the row before.
    return " & ".join("{" + _tex(cell) + "}" if cell.startswith("[") else _tex(cell) for cell in cells) + " \\\\"


def _tex(text: str) -> str:
    return "".join(SPECIAL.get(sign) or _plain(sign) for sign in one_line(text))


def _plain(sign: str) -> str:
    return sign if ord(sign) <= LAST_PLAIN else f"[U+{ord(sign):04X}]"
