"""Importing a source database: every table checked, given our types and row order, and stored as zstd Parquet.

A Parquet file that already has exactly the layout's columns and types, and whose row groups do not overlap in the
order column, is taken as it is: a hard link where the filesystem allows it (no second copy, and the source may be
deleted), else a symbolic link. Everything else is rewritten in order. An import that was interrupted keeps its finished
tables in a hidden folder and goes on from there when the same source is imported again under the same name.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

from m4review.ehr.checksums import published_checksums, require_published_content
from m4review.ehr.dataset import Dataset, Origin, ReusedConcept, TableFile
from m4review.ehr.engine import engine
from m4review.ehr.layout import load_layout
from m4review.ehr.progress import Listener, Progress, silent
from m4review.ehr.requirements import require_sufficient
from m4review.ehr.reuse import NOT_ASKED, offered_concepts, require_offered, take_concept, usable_file
from m4review.ehr.sourcedatabase import find_source_tables
from m4review.ehr.sourcefile import SourceFile, find_source_files
from m4review.ehr.staging import finish, staging_folder
from m4review.ehr.storing import store_table


def import_dataset(
    data_home: Path,
    name: str,
    *,
    layout: str,
    source: Path,
    reuse_derived: bool = False,
    progress: Listener = silent,
    threads: int | None = None,
    memory: int | None = None,
) -> Dataset:
    """Make the dataset ``name`` from a folder or DuckDB database in the given layout.

    The bytes that ``progress`` counts are those of the source files; within one they follow DuckDB's own estimate.
    With ``reuse_derived`` the tables of the source's derived schema stand for our concepts of the same name, as far as
    they can; the dataset says which, why not the others, and has a lineage of its own.

    Where the folder has PhysioNet's list of checksums, the files that it names are compared with it first.

    Raises:
        DatasetError: the name is taken; the folder has another layout; a table, column or type that a concept or
            reference needs is missing or wrong (file, column, expected type and who needs it are named); a damaged
            file, or one whose published checksum is another; a repeated id; nothing to reuse; the disk full.
    """
    database = load_layout(layout)
    source = source.expanduser().resolve()
    with (
        staging_folder(data_home, name, "an import", resumable=True) as staging,
        engine(staging, threads=threads, memory=memory) as connection,
    ):
        find = find_source_tables if source.is_file() else find_source_files
        files = find(connection, database, source)
        require_sufficient(connection, database, source, files)
        offered = offered_concepts(connection, database, source)
        if reuse_derived:
            require_offered(database, source, offered)
        published = _checked(source, files, progress)
        derived = {
            table.name: usable_file(connection, database, source, table) if reuse_derived else NOT_ASKED
            for table in offered
        }
        files = (*files, *(file for file in derived.values() if isinstance(file, SourceFile)))
        sizes = _sizes(files)
        tables: list[TableFile] = []
        reused: list[ReusedConcept] = []
        not_reused = {name: reason for name, reason in derived.items() if isinstance(reason, str)}
        for done, file in enumerate(files):

            def tell(share: float, done: int = done, file: SourceFile = file) -> None:
                read = sum(sizes[:done]) + int(share * sizes[done])
                progress(Progress("import", str(file.table.relation), done, len(files), read, sum(sizes)))

            tell(0.0)
            if file.table.schema_name == database.derived_schema:
                taken = take_concept(connection, database, file, staging, tell)
                if isinstance(taken, str):
                    not_reused[file.table.name] = taken
                else:
                    reused.append(taken)
                continue
            stored = store_table(connection, database, file, staging, tell)
            tables.append(
                stored.model_copy(update={"published": None if published is None else file.path in published})
            )
        progress(Progress("import", "", len(files), len(files), sum(sizes), sum(sizes)))
        formats = sorted({file.format for file in files[: len(tables)]})
        origin = Origin(kind="import", format=" and ".join(formats), version=published_version(source))
        return finish(data_home, name, staging, layout, origin, tuple(tables), tuple(reused), not_reused)


def published_version(source: Path) -> str | None:
    """``3.1`` or ``demo 2.2``, as the names of the source folder and of the ones above it say.

    PhysioNet's own tree has ``mimiciv/3.1``, its archives unpack to ``mimic-iv-3.1``.
    """
    for name, above in pairwise((*reversed(source.parts), "")):
        found = re.search(r"(?:^|-)(\d+\.\d+(?:\.\d+)?)$", name)
        published = f"{above} {name}".lower()
        if found and re.search(r"mimic|eicu", published):
            return ("demo " if "demo" in published else "") + found.group(1)
    return None


def _checked(source: Path, files: tuple[SourceFile, ...], progress: Listener) -> frozenset[Path] | None:
    """The files that agree with the source folder's list of checksums; ``None`` where there is no list."""
    published = published_checksums(source)
    if not published:
        return None
    listed = [file.path for file in files if file.path in published]
    sizes = [path.stat().st_size for path in listed]
    for done, path in enumerate(listed):
        progress(Progress("checksums", path.name, done, len(listed), sum(sizes[:done]), sum(sizes)))
        require_published_content(path, published[path])
    progress(Progress("checksums", "", len(listed), len(listed), sum(sizes), sum(sizes)))
    return frozenset(listed)


def _sizes(files: tuple[SourceFile, ...]) -> list[int]:
    """Bytes of each file; a database's are shared out evenly, because it does not tell how large its tables are."""
    shared = Counter(file.path for file in files)
    return [file.path.stat().st_size // shared[file.path] for file in files]
