"""A report as LaTeX sections for an article: booktabs tables that run over pages, figures as files beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from m4review.campaigns.document import Block, Document, Figure, Points, Sketch, Table, one_line

PACKAGES = ("array", "booktabs", "longtable", "graphicx", "textcomp")
"""What the document that includes the sections has to load."""
WIDE = 95
"""Characters of a table's widest cells together, above which its texts are broken into lines."""
FITTING = 128
"""Characters that fit a line of such a table."""
GAP = 3
"""Characters that the gap between two columns takes."""
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
    columns = list(zip(table.head, *table.rows, strict=True))
    wide = sum(max(map(len, column)) for column in columns) > WIDE
    head, size = (_stacked(table), "\\scriptsize") if wide else (_row(table.head), "\\footnotesize")
    aligned = _widths(columns, table.words) if wide else "l" * table.words + "r" * (len(columns) - table.words)
    lines = [f"{{{size}\\setlength{{\\tabcolsep}}{{3pt}}", f"\\begin{{longtable}}{{{aligned}}}", "\\toprule"]
    lines += [head, "\\midrule", "\\endhead", *map(_row, table.rows)]
    return "\n".join([*lines, "\\bottomrule", "\\end{longtable}}"])


def _widths(columns: Sequence[Sequence[str]], words: int) -> str:
    """Figures at their natural width; texts broken into lines that share what is left of the page."""
    texts, figures = columns[:words], columns[words:]
    taken = sum(max(len(cell) for cell in (*column[1:], *column[0].split())) + GAP for column in figures)
    pieces = [GAP + max(len(piece) for cell in column for piece in BREAKS.split(cell)) for column in texts]
    wanted = [GAP + max(map(len, column)) - piece for column, piece in zip(texts, pieces, strict=True)]
    spare = max(0.0, FITTING - taken - sum(pieces))
    share = min(1.0, spare / (sum(wanted) or 1))
    made = "".join(
        f">{{\\raggedright\\arraybackslash}}p{{\\dimexpr {(piece + share * want) / FITTING:.3f}\\linewidth-6pt\\relax}}"
        for piece, want in zip(pieces, wanted, strict=True)
    )
    return made + "r" * len(figures)


def _stacked(table: Table) -> str:
    """The head of a wide table, above figures with a word per line."""
    texts = [_tex(cell) for cell in table.head[: table.words]]
    figures = ["\\shortstack[r]{" + "\\\\".join(map(_tex, cell.split())) + "}" for cell in table.head[table.words :]]
    return " & ".join([*texts, *figures]) + " \\\\"


def _row(cells: Sequence[str]) -> str:
    # Braces keep a first cell in brackets from being read as the space after the row before.
    return " & ".join("{" + _tex(cell) + "}" if cell.startswith("[") else _tex(cell) for cell in cells) + " \\\\"


def _tex(text: str) -> str:
    return "".join(SPECIAL.get(sign) or _plain(sign) for sign in one_line(text))


def _plain(sign: str) -> str:
    return sign if ord(sign) <= LAST_PLAIN else f"[U+{ord(sign):04X}]"
