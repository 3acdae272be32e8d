"""What reads what, as Markdown tables: printed from the queries themselves for ``docs/ehr.md``.

``python -m m4review.ehr.dependencies`` prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from m4review.ehr.derivations import Derivation, Derivations, load_derivations
from m4review.ehr.layout import layout_names

TITLES = {"mimic-iv": "MIMIC-IV", "eicu": "eICU"}


def dependency_tables() -> str:
    """One table per layout and kind of query, by name, each query with the concepts and source tables it names."""
    return "\n".join(line for name in sorted(layout_names(), reverse=True) for line in _of_layout(name)) + "\n"


def _of_layout(name: str) -> Iterator[str]:
    derivations = load_derivations(name)
    for kind, group in (("concept", derivations.concepts), ("reference", derivations.references)):
        if group:
            yield from ("", f"### {TITLES[name]}: {kind}s", "")
            yield from (f"| {kind} | reads concepts | reads source tables |", "|---|---|---|")
            yield from (_row(derivations, group[query]) for query in sorted(group))


def _row(derivations: Derivations, query: Derivation) -> str:
    concepts = (concept.name for concept in derivations.concepts_read(query))
    tables = (table.name for table in derivations.tables_read(query))
    return f"| {query.name} | {_listed(concepts)} | {_listed(tables)} |"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "–"


if __name__ == "__main__":
    print(dependency_tables().strip())
