"""Signals of pipelines outside the large languages: KQL, PRQL, jq and the aggregations of MongoDB."""

from __future__ import annotations

from m4review.lint.signals import Signal, after, at, leading

STAGES = "match|group|project|lookup|unwind|sort|addfields|facet|bucket|set|replaceroot"

SIGNALS = (
    Signal("kql", ("summarize",), after(r"\|\s*", r"summarize\s+(?:\w+\s*=\s*)?\w+\(", 4.0), 0.6),
    Signal("kql", ("where", "extend", "project"), after(r"\|\s*", r"\w+\s+\w+\s*(?:==|=~|!=|=\s*\w+\()", 2.5), 0.6),
    Signal("prql", ("group",), leading(r"group[ \t]+(?:\{[^}\n]*\}|\w+)[ \t]+\(", 2.75), 0.6),
    Signal("prql", ("aggregate",), at(r"aggregate\s*\{", 2.75), 0.6),
    Signal("prql", ("derive",), leading(r"derive[ \t]+(?:\{|\w+[ \t]*=)", 2.75), 0.6),
    Signal("prql", ("filter",), leading(r"filter[ \t]+\w+[ \t]*(?:==|!=|[<>]=?)[ \t]*\S", 2.0), 0.6),
    Signal("prql", ("from",), leading(r"from[ \t]+\w+[ \t]*(?:\n|\|)", 0.75), 0.6),
    Signal("jq", ("jq",), at(r"jq[ \t]+(?:-\w+[ \t]+)*['\"]", 4.0), 0.5),
    Signal("jq", ("select",), after(r"\|\s*|\[\]\s*\|\s*", r"select\(\s*\.\w", 3.5), 0.5),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    ("$", Signal("mongo", (), after(r"\{\s*[\"']?", rf"\$(?:{STAGES})[\"']?\s*:", 3.0), 0.6)),
    (".aggregate([", Signal("mongo", (), at(r"\.aggregate\(\[", 3.0), 0.5)),
)
