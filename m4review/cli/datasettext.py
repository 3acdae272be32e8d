"""Datasets in words: what an import checked and took, and what a dataset is."""

from __future__ import annotations

import click

from m4review.ehr import Dataset
from m4review.ehr.reuse import columns_left_out


def print_integrity(dataset: Dataset) -> None:
    """What was checked of an import: the rows, columns and key of each table, and what the source did not have."""
    for table in dataset.layout.tables:
        stored = dataset.table(table.relation)
        if stored is None:
            click.echo(f"{table.relation!s:<36} absent; nothing needs it")
            continue
        columns = f"{len(stored.columns)} of {len(table.columns)} columns"
        key = f", {' + '.join(table.key)} unique" if table.key else ""
        checksum = {True: ", checksum as published", False: ", not in the list of checksums", None: ""}
        empty = "" if stored.rows else "; empty: whatever is derived from it is missing"
        click.echo(f"{table.relation!s:<36} {stored.rows:>13,} rows, {columns}{key}{checksum[stored.published]}{empty}")


def print_derived(dataset: Dataset, asked: bool) -> None:
    """What became of the source's derived tables."""
    schema = dataset.layout.derived_schema
    if dataset.not_reused and not asked:
        click.echo(
            f"{schema}: {len(dataset.not_reused)} tables of the source are left alone; the concepts are made from the "
            "source tables (--reuse-derived takes them)"
        )
        return
    for table in dataset.reused:
        absent = columns_left_out(dataset, table)
        without = f", without {', '.join(absent)}, which nothing reads" if absent else ""
        empty = "" if table.rows else "; empty: whatever is derived from it is missing"
        click.echo(f"{table.relation!s:<36} {table.rows:>13,} rows, reused as the concept{without}{empty}")
    for name, reason in sorted(dataset.not_reused.items()):
        click.echo(f"{schema}.{name}: not reused, made by us instead: {reason}")


def reuse_note(dataset: Dataset) -> str:
    """What must be said wherever something of a dataset with reused concepts is shown; empty without."""
    if not dataset.reused:
        return ""
    return f"; reused concepts: {', '.join(sorted(table.name for table in dataset.reused))}; lineage {dataset.lineage}"


def summary_line(dataset: Dataset) -> str:
    """A dataset in one line."""
    kind = "synthetic" if dataset.synthetic else "imported"
    made = f"{len(dataset.built_concepts())} concepts and {len(dataset.built_references())} references built"
    size = f"{(dataset.size + dataset.built_size()) / 1e6:.1f} MB"
    version = f" {dataset.origin.version}" if dataset.origin.version else ""
    stays = f"{dataset.stays():,} ICU stays"
    return f"{dataset.name}: {dataset.layout_name}{version}, {stays}, {kind}, {size}, {made}{reuse_note(dataset)}"


def dataset_json(dataset: Dataset) -> dict[str, object]:
    """A dataset as an entry of ``data list --json``."""
    return {
        "name": dataset.name,
        "layout": dataset.layout_name,
        "origin": dataset.origin.model_dump(exclude_none=True),
        "stays": dataset.stays(),
        "bytes": dataset.size,
        "built_bytes": dataset.built_size(),
        "digest": dataset.digest,
        "tables": {str(table.relation): table.rows for table in dataset.tables},
        "lineage": dataset.lineage,
        "concepts": dataset.built_concepts(),
        "reused_concepts": {
            table.name: {"source": table.source, "rows": table.rows, "sha256": table.sha256} for table in dataset.reused
        },
        "not_reused": dataset.not_reused,
        "references": dataset.built_references(),
    }
