"""A report as Markdown with pipe tables; figures are links to their files."""

from __future__ import annotations

from collections.abc import Sequence

from m4review.campaigns.document import Block, Document, Figure, Points, Sketch, Table, one_line


def to_markdown(document: Document) -> str:
    """Markdown, ending in a newline."""
    parts = [f"# {document.title}", document.opening]
    for section in document.sections:
        parts.append(f"## {section.title}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Table):
        rule = ("---",) * block.words + ("---:",) * (len(block.head) - block.words)
        return "\n".join([_row(block.head), "| " + " | ".join(rule) + " |", *map(_row, block.rows)])
    if isinstance(block, Points):
        return "\n".join(f"- {one_line(sentence)}" for sentence in block.sentences)
    if isinstance(block, Figure):
        return f"![{block.caption}]({block.file}.svg)"
    if isinstance(block, Sketch):
        return f"```text\n{block.text}\n```\n\n{block.caption}"
    return block


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"
