"""A report as sections of text, tables, lists and figures, and its three forms: Markdown, LaTeX and one HTML page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first column is text, the others are figures."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Points:
    """A list of sentences."""

    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture as SVG text, with the sentence that says what it shows. ``file`` is its name beside the report."""

    file: str
    svg: str
    caption: str


Block = str | Table | Points | Figure
"""A text is one paragraph."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A report."""

    title: str
    opening: str
    sections: tuple[Section, ...]


def to_markdown(document: Document) -> str:
    """Markdown, ending in a newline; figures as links to their files."""
    parts = [f"# {document.title}", document.opening]
    for section in document.sections:
        parts.append(f"## {section.title}")
        parts += [_markdown_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def to_latex(document: Document) -> str:
    """LaTeX sections for inclusion in an article; tables need booktabs and longtable, figures are PDF or PNG files."""
    parts = [f"% {document.title}. Needs \\usepackage{{booktabs,longtable,graphicx}}.", _tex(document.opening)]
    for section in document.sections:
        parts.append(f"\\subsection*{{{_tex(section.title)}}}")
        parts += [_latex_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def to_html(document: Document) -> str:
    """One page that needs nothing from anywhere: styles and figures are in it, everything else is escaped."""
    body = [f"<h1>{html.escape(document.title)}</h1>", f"<p>{html.escape(document.opening)}</p>"]
    for section in document.sections:
        body.append(f"<h2>{html.escape(section.title)}</h2>")
        body += [_html_block(block) for block in section.blocks]
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(document.title)}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
div.wide{overflow-x:auto} table{border-collapse:collapse;margin:1rem 0} th,td{padding:.25rem .6rem;text-align:right}
th:first-child,td:first-child{text-align:left} thead th{border-bottom:2px solid #333}
tbody tr:nth-child(even){background:#f3f3f3}
figure{margin:1.5rem 0} figure svg{max-width:100%;height:auto} figcaption{color:#444}
@media(prefers-color-scheme:dark){body{color:#eee;background:#181818}tbody tr:nth-child(even){background:#262626}
thead th{border-color:#bbb}figure svg{background:#fff}figcaption{color:#bbb}}
"""


def _markdown_block(block: Block) -> str:
    if isinstance(block, Table):
        rule = ("---", *("---:",) * (len(block.head) - 1))
        return "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
            for line in (block.head, rule, *block.rows)
        )
    if isinstance(block, Points):
        return "\n".join(f"- {sentence}" for sentence in block.sentences)
    if isinstance(block, Figure):
        return f"![{block.caption}]({block.file}.svg)"
    return block


def _latex_block(block: Block) -> str:
    if isinstance(block, Table):
        lines = [
            f"\\begin{{longtable}}{{l{'r' * (len(block.head) - 1)}}}",
            "\\toprule",
            _tex_row(block.head),
            "\\midrule",
        ]
        return "\n".join([*lines, "\\endhead", *map(_tex_row, block.rows), "\\bottomrule", "\\end{longtable}"])
    if isinstance(block, Points):
        return "\n".join(["\\begin{itemize}", *(f"\\item {_tex(said)}" for said in block.sentences), "\\end{itemize}"])
    if isinstance(block, Figure):
        picture = f"\\includegraphics[width=\\linewidth]{{{block.file}}}"
        return f"\\begin{{figure}}[ht]\n{picture}\n\\caption{{{_tex(block.caption)}}}\n\\end{{figure}}"
    return _tex(block)


def _tex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_tex, cells)) + " \\\\"


_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "…": r"\dots{}", "–": "--",
}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in text)


def _html_block(block: Block) -> str:
    if isinstance(block, Table):
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in block.head)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in block.rows
        )
        return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    if isinstance(block, Points):
        return "<ul>" + "".join(f"<li>{html.escape(said)}</li>" for said in block.sentences) + "</ul>"
    if isinstance(block, Figure):
        return f"<figure>{block.svg}<figcaption>{html.escape(block.caption)}</figcaption></figure>"
    return f"<p>{html.escape(block)}</p>"
