"""A bench for single eICU rules: a handful of made-up rows, our SQL, and what comes out for a stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from m4review.ehr.derivations import load_derivations
from m4review.tasks import Task, load_task

STAY = 141_000
TASKS = Path(__file__).parents[3] / "tasks"

VITALS, SCORES, OTHER = "Vital Signs", "Scores", "Other Vital Signs and Infusions"
COMA = "Glasgow coma score"
TOTAL, ONE_SCORE = (COMA, "GCS Total"), ("Score (Glasgow Coma Scale)", "Value")
OUTPUT = "flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|"
EXAM = "notes/Progress Notes/Physical Exam/Physical Exam/Neurologic/GCS/"


def eicu_task(family: str) -> Task:
    """The project's own card: ``gcs`` or ``oasis``."""
    return load_task(TASKS / family / f"eicu-{family}")


class UnitBench:
    """Empty eICU tables in memory, with one unit stay; rows are added by what somebody charts. Times are minutes."""

    def __init__(self) -> None:
        self.derivations = load_derivations("eicu")
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        self.connection.execute("PRAGMA disable_optimizer")  # planning would take longer than the handful of rows
        self.connection.execute("CREATE SCHEMA eicu_crd")
        layout = self.derivations.layout
        self._tables = [table for table in layout.tables if self.derivations.readers(table.relation)]
        for table in self._tables:
            columns = ", ".join(f'"{name}" {kind}' for name, kind in table.columns.items())
            self.connection.execute(f"CREATE TABLE {table.relation} ({columns})")
        for reference in self.derivations.references.values():
            self.connection.execute(f"PREPARE {reference.name} AS {reference.sql}")

    def start_over(self) -> None:
        """Back to one stay of a 60-year-old, a day after hospital admission, without any charting."""
        for table in self._tables:
            self.connection.execute(f"DELETE FROM {table.relation}")
        self.insert(
            "patient",
            patientunitstayid=STAY,
            patienthealthsystemstayid=128_000,
            uniquepid="002-1",
            age="60",
            hospitaladmitoffset=-1000,
            unitadmitsource="Floor",
        )

    def insert(self, table: str, **values: Any) -> None:
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" for _ in values)
        self.connection.execute(f"INSERT INTO eicu_crd.{table} ({names}) VALUES ({marks})", list(values.values()))

    def admit(self, **values: Any) -> None:
        """Change what is known of the stay."""
        changes = ", ".join(f'"{name}" = ?' for name in values)
        self.connection.execute(f"UPDATE eicu_crd.patient SET {changes}", list(values.values()))

    def nurse(self, minute: int, cell: tuple[str, str], value: object, category: str = VITALS) -> None:
        """One cell of the nurses' charting: label and name."""
        self.insert(
            "nursecharting",
            patientunitstayid=STAY,
            nursingchartoffset=minute,
            nursingchartcelltypecat=category,
            nursingchartcelltypevallabel=cell[0],
            nursingchartcelltypevalname=cell[1],
            nursingchartvalue=None if value is None else str(value),
        )

    def coma(self, minute: int, total: object = None, **parts: object) -> None:
        """Entries of the Glasgow coma score at one time."""
        if total is not None:
            self.nurse(minute, TOTAL, total, SCORES)
        for part, value in parts.items():
            self.nurse(minute, (COMA, part.capitalize()), value, SCORES)

    def fluid(self, minute: int, path: str, volume: float | None) -> None:
        self.insert(
            "intakeoutput", patientunitstayid=STAY, intakeoutputoffset=minute, cellpath=path, cellvaluenumeric=volume
        )

    def examine(self, minute: int, tail: str, value: str) -> None:
        """The physician's note; ``tail`` ends the path."""
        self.insert(
            "physicalexam",
            patientunitstayid=STAY,
            physicalexamoffset=minute,
            physicalexampath=EXAM + tail,
            physicalexamvalue=value,
        )

    def result(self, reference: str) -> list[dict[str, Any]]:
        """The rows of a reference, made from what was charted."""
        cursor = self.connection.execute(f"EXECUTE {reference}")
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def one(self, reference: str) -> dict[str, Any]:
        """The only row of a result."""
        (row,) = self.result(reference)
        return row
