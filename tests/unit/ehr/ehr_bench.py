"""A bench for single rules: a handful of made-up rows, our SQL, and what comes out for a stay."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from m4review.ehr.derivations import load_derivations
from m4review.tasks import OutputContract, Task, Thresholds

INTIME = datetime(2150, 1, 10, 12, 0, 0)
SUBJECT, ADMISSION, STAY = 1, 2, 3

SOFA = ("sofa", "respiration", "coagulation", "liver", "cardiovascular", "cns", "renal")
SIRS = ("sirs", "temp_score", "heart_rate_score", "resp_score", "wbc_score")


def at(hours: float, minutes: float = 0, seconds: float = 0) -> datetime:
    """A time relative to ICU admission."""
    return INTIME + timedelta(hours=hours, minutes=minutes, seconds=seconds)


class Bench:
    """Empty MIMIC-IV tables in memory, with one stay; rows are added by what a nurse or laboratory would do."""

    def __init__(self) -> None:
        self.derivations = load_derivations("mimic-iv")
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        self.connection.execute("PRAGMA disable_optimizer")  # planning would take longer than the handful of rows
        self._numbers = itertools.count(1000)
        layout = self.derivations.layout
        for schema in (*layout.source_schemas, layout.derived_schema):
            self.connection.execute(f"CREATE SCHEMA {schema}")
        self._tables = [table for table in layout.tables if self.derivations.readers(table.relation)]
        for table in self._tables:
            columns = ", ".join(f'"{name}" {kind}' for name, kind in table.columns.items())
            self.connection.execute(f"CREATE TABLE {table.relation} ({columns})")
        for concept in self.derivations.concepts.values():
            self.connection.execute(f"CREATE VIEW {layout.derived_schema}.{concept.name} AS {concept.sql}")

    def start_over(self) -> None:
        """Back to one stay without any charting."""
        for table in self._tables:
            self.connection.execute(f"DELETE FROM {table.relation}")
        self.stay()

    def insert(self, table: str, **values: Any) -> None:
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" for _ in values)
        self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))

    def stay(self, stay_id: int = STAY, subject_id: int = SUBJECT, intime: datetime = INTIME) -> None:
        self.insert(
            "mimiciv_icu.icustays",
            subject_id=subject_id,
            hadm_id=ADMISSION,
            stay_id=stay_id,
            intime=intime,
            outtime=intime + timedelta(hours=10),
        )

    def chart(
        self,
        itemid: int,
        time: datetime,
        number: float | None = None,
        text: str | None = None,
        *,
        stored: datetime | None = None,
        stay_id: int | None = STAY,
        subject_id: int = SUBJECT,
    ) -> None:
        self.insert(
            "mimiciv_icu.chartevents",
            subject_id=subject_id,
            hadm_id=ADMISSION,
            stay_id=stay_id,
            charttime=time,
            storetime=stored,
            itemid=itemid,
            value=text if text is not None or number is None else str(number),
            valuenum=number,
        )

    def lab(
        self,
        time: datetime,
        results: dict[int, float | str | None],
        *,
        subject_id: int = SUBJECT,
    ) -> None:
        """One specimen with its results by item."""
        specimen = next(self._numbers)
        for itemid, result in results.items():
            self.insert(
                "mimiciv_hosp.labevents",
                labevent_id=next(self._numbers),
                subject_id=subject_id,
                specimen_id=specimen,
                itemid=itemid,
                charttime=time,
                value=None if result is None else str(result),
                valuenum=result if isinstance(result, int | float) else None,
            )

    def gas(self, time: datetime, po2: float | None, fio2: float | None = None, specimen: str | None = "ART.") -> None:
        results: dict[int, float | str | None] = {52033: specimen, 50821: po2, 50818: 40.0}
        if fio2 is not None:
            results[50816] = fio2
        self.lab(time, results)

    def infusion(
        self, itemid: int, start: datetime, rate: float | None, unit: str = "mcg/kg/min", weight: float = 80
    ) -> None:
        self.insert(
            "mimiciv_icu.inputevents",
            subject_id=SUBJECT,
            stay_id=STAY,
            itemid=itemid,
            starttime=start,
            endtime=start + timedelta(hours=1),
            rate=rate,
            rateuom=unit,
            patientweight=weight,
            amount=1.0,
            linkorderid=1,
        )

    def output(self, itemid: int, time: datetime, volume: float | None) -> None:
        self.insert("mimiciv_icu.outputevents", stay_id=STAY, charttime=time, itemid=itemid, value=volume)

    def result(self, name: str) -> list[dict[str, Any]]:
        """The rows of a concept or reference, made from what was charted."""
        # A family may name its concept and its reference alike; the rules under test are the concept's.
        wanted = {**self.derivations.references, **self.derivations.concepts}[name]
        cursor = self.connection.execute(wanted.sql)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def one(self, name: str) -> dict[str, Any]:
        """The only row of a result."""
        (row,) = self.result(name)
        return row


def make_task(
    mode: str = "raw", *, name: str = "a-task", reference: str = "sofa-24h", removed: tuple[str, ...] = ()
) -> Task:
    """A task card by hand."""
    scored = SOFA if reference == "sofa-24h" else SIRS
    return Task.model_validate(
        {
            "name": name,
            "family": "sofa",
            "title": "A task",
            "database": "mimic-iv",
            "database_version": "3.1",
            "mode": mode,
            "difficulty": "hard",
            "reference": reference,
            "removed": removed,
            "output": OutputContract(
                key_columns=("stay_id",),
                scored_columns=scored,
                required_columns=("subject_id", "hadm_id", "stay_id", *scored),
            ),
            "thresholds": Thresholds(accuracy=1.0),
            "instruction": "Derive it.",
            "path": Path("tasks/sofa/a-task"),
        }
    )
