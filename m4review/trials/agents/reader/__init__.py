"""The ``reader``: a deterministic, offline program that does literally what an instruction and its skills say.

It knows derivation primitives (windows, valid ranges, conversions, summaries, ordered bands, sums, missing rules) and
no clinical score, item or task. What the text does not say it does not do; every such place is listed in the trace.
It is a lower bound and a completeness probe, not a model of a language model. ``docs/reader.md`` lists the headings,
table headers and phrases it understands.

The folder is copied as it is into the sandbox image, so it imports only the standard library, duckdb and
markdown-it-py, and itself by relative imports.
"""
