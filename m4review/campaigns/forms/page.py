"""A report as one HTML page that needs nothing from anywhere: styles and figures are in it, all else is escaped."""

from __future__ import annotations

import html
import re

from m4review.campaigns.document import Block, Document, Figure, Points, Sketch, Table

LONG_TABLE = 40
"""Rows above which a table is folded until it is asked for."""

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
h2{margin-top:2.5rem;border-bottom:1px solid #ccc} nav ol{columns:2;font-size:.95rem} nav a{color:inherit}
div.wide{overflow-x:auto}
table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:.25rem .6rem;text-align:right;vertical-align:top} .w{text-align:left;font-weight:normal}
thead th,thead .w{border-bottom:2px solid #333;font-weight:600} tbody tr:nth-child(even){background:#f3f3f3}
tbody th{white-space:nowrap}
summary{cursor:pointer;padding:.3rem 0} figure{margin:1.5rem 0} figure svg{max-width:100%;height:auto}
pre{overflow-x:auto;line-height:1.25} figcaption{color:#444}
@media(prefers-color-scheme:dark){body{color:#eee;background:#181818}tbody tr:nth-child(even){background:#262626}
thead th,thead .w{border-color:#bbb}h2{border-color:#555}figure svg{background:#fff}figcaption{color:#bbb}}
@media print{nav{display:none}body{max-width:none;margin:0}}
"""


def to_html(document: Document) -> str:
    """One page."""
    anchors = [f"{place}-{_anchor(section.title)}" for place, section in enumerate(document.sections, 1)]
    body = [f"<h1>{html.escape(document.title)}</h1>", f"<p>{html.escape(document.opening)}</p>", "<nav><ol>"]
    body += [
        f'<li><a href="#s{anchor}">{html.escape(section.title)}</a></li>'
        for anchor, section in zip(anchors, document.sections, strict=True)
    ]
    body.append("</ol></nav>")
    for anchor, section in zip(anchors, document.sections, strict=True):
        body.append(f'<h2 id="s{anchor}">{html.escape(section.title)}</h2>')
        body += [_block(block) for block in section.blocks]
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(document.title)}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Points):
        return "<ul>" + "".join(f"<li>{html.escape(said)}</li>" for said in block.sentences) + "</ul>"
    if isinstance(block, Figure):
        return f"<figure>{_labelled(block)}<figcaption>{html.escape(block.caption)}</figcaption></figure>"
    if isinstance(block, Sketch):
        caption = html.escape(block.caption)
        return f"<figure><pre>{html.escape(block.text)}</pre><figcaption>{caption}</figcaption></figure>"
    return f"<p>{html.escape(block)}</p>"


def _table(table: Table) -> str:
    def mark(place: int) -> str:
        return ' class="w"' if place < table.words else ""

    head = "".join(f'<th scope="col"{mark(n)}>{html.escape(cell)}</th>' for n, cell in enumerate(table.head))
    rows = "".join(
        "<tr>"
        + f'<th scope="row" class="w">{html.escape(row[0])}</th>'
        + "".join(f"<td{mark(n)}>{html.escape(cell)}</td>" for n, cell in enumerate(row[1:], 1))
        + "</tr>"
        for row in table.rows
    )
    made = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    if len(table.rows) <= LONG_TABLE:
        return made
    return f"<details><summary>{len(table.rows)} rows</summary>{made}</details>"


def _labelled(figure: Figure) -> str:
    """The picture with a name for who cannot see it; ids of two pictures in one page must not meet."""
    prefix = f"{figure.file}-"
    svg = re.sub(r'\bid="', f'id="{prefix}', figure.svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}", svg)
    svg = re.sub(r'href="#', f'href="#{prefix}', svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(figure.caption)}"', 1)
