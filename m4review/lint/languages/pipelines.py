"""Signals of query languages without SQL: pipelines, graphs, documents, metrics and rules."""

from __future__ import annotations

from m4review.lint.rule import words
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
    Signal(
        "splunk", ("stats", "eventstats"), after(r"\|\s*", r"\w+\s+(?:\w+\()?\w+\)?\s+(?:as\s+\w+\s+)?by\b", 4.0), 0.6
    ),
    Signal("pig", ("foreach",), at(r"foreach\s+\w+\s+generate\b", 4.0), 0.6),
    Signal("pig", ("group", "filter", "order", "cogroup"), after(r"=\s*", r"\w+\s+\w+\s+by\s+\(?\w", 4.0), 0.6),
    Signal("linq", ("group",), at(r"group\s+\w+\s+by\s+\w+\.\w+\s+into\s+\w", 4.0), 0.6),
    Signal(
        "linq", ("from",), at(r"from\s+\w{1,12}\s+in\s+\w+(?:\.\w+)*\s+(?:where|join|group|orderby|let)\s+\w", 3.0), 0.6
    ),
    Signal(
        "q",
        ("select",),
        at(
            r"select\s+(?:max|min|avg|sum|count|first|last|med|dev|"
            r"wavg)\s+\w+(?:\s*,\s*\w+\s+\w+)*\s+by\s+\w+\s+from\s+\w",
            4.0,
        ),
        0.6,
    ),
    Signal("cypher", ("match",), at(r"match\s+(?:\w+\s*=\s*)?\(\w*\s*:\s*\w+", 4.0), 0.6),
    Signal("xquery", ("for", "let"), at(r"for\s+\$\w+\s+in\b|let\s+\$\w+\s*:=", 4.0), 0.6),
    Signal("sparql", ("select", "prefix"), at(r"select\s+(?:distinct\s+)?\?\w|prefix\s+\w*:\s*<", 4.0), 0.6),
    Signal("graphql", words("_eq _gt _gte _lt _lte _in _neq"), at(r"\w+\s*:", 2.5), 0.8),
    Signal(
        "promql",
        words("max_over_time min_over_time avg_over_time sum_over_time count_over_time last_over_time"),
        at(r"\w+\(", 4.0),
        0.6,
    ),
    Signal("jq", ("jq",), at(r"jq[ \t]+(?:-\w+[ \t]+)*['\"]", 4.0), 0.5),
    Signal("jq", ("select",), after(r"\|\s*|\[\]\s*\|\s*", r"select\(\s*\.\w", 3.5), 0.5),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    ("$", Signal("mongo", (), after(r"\{\s*[\"']?", rf"\$(?:{STAGES})[\"']?\s*:", 3.0), 0.6)),
    (")-[", Signal("cypher", (), at(r"\)-\[\s*(?:\w*\s*:|\*)", 4.0), 0.6)),
    ("]->(", Signal("cypher", (), at(r"\]->\(", 3.0), 0.6)),
    (":-", Signal("rule of logic", (), after(r"[a-z]\w*\([^()\n]{0,80}\)\s*", r":-\s*[a-z\\]\w*\s*[(<>=]", 4.0), 0.6)),
    ("..", Signal("range arm", (), after(r"\d|[\s{,|]", r"\.\.=?\d+(?:\.\d+)?\s*=>", 2.5), 0.8)),
    ("_ =>", Signal("last arm", (), after(r"[\s{,|]", r"_ => \S", 2.0), 0.8)),
    ("|", Signal("guard", (), at(r"\|\s+\w+\s+[<>]=?\s+[\d.]+\s+=\s+[\d\"']", 2.5), 0.8)),
    (".aggregate([", Signal("mongo", (), at(r"\.aggregate\(\[", 3.0), 0.5)),
)
