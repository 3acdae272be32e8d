"""What was executed, kept as temporary tables of the connection and told in the trace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

from .catalog import literal, quoted
from .trace import Trace


@dataclass(frozen=True, slots=True)
class Tables:
    """Runs queries; every statement and its number of rows is told, never a row."""

    connection: duckdb.DuckDBPyConnection
    trace: Trace

    def keep(self, title: str, sql: str) -> str:
        """Run a query and keep its rows; returns the name of the temporary table."""
        name = f"reader_{self.trace.queries}"
        self.trace.query(title, sql)
        self.connection.execute(f"CREATE TEMP TABLE {quoted(name)} AS {sql}")
        self.trace.result(title, self.rows(name))
        return name

    def rows(self, table: str, where: str = "TRUE") -> int:
        """How many rows of a temporary table meet a condition."""
        row = self.connection.execute(f"SELECT count(*) FROM {quoted(table)} WHERE {where}").fetchone()
        return int(row[0]) if row else 0

    def types(self, table: str) -> dict[str, str]:
        """Columns of a temporary table and their types, upper case."""
        rows = self.connection.execute(f"DESCRIBE {quoted(table)}").fetchall()
        return {str(row[0]): str(row[1]).upper() for row in rows}

    def try_column(self, column: str, sql: str) -> None:
        """Compute one column of a query and forget it.

        Raises:
            duckdb.Error: the database refuses its values.
        """
        self.connection.execute(f"SELECT count({quoted(column)}) FROM (\n{sql}\n)").fetchall()

    def export(self, table: str, output: Path) -> None:
        """Write a temporary table as a CSV file with a header, in one step."""
        temporary = output.with_name(f".{output.name}.part")
        try:
            self.connection.execute(f"COPY {quoted(table)} TO {literal(str(temporary))} (FORMAT csv, HEADER true)")
            temporary.replace(output)
        finally:
            temporary.unlink(missing_ok=True)
