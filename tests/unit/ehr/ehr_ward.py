"""A ward for rules told case by case: every case has a patient of its own, and our SQL runs once over all of them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

import duckdb
from ehr_bench import at

from m4review.ehr.derivations import load_derivations

FOLEY = 226559
"""Urine from a catheter of the bladder."""
FIRST = 10_000
"""Number of the first case; patients, admissions and stays are numbered alike."""

Row = dict[str, Any]


class Patient:
    """The patient of one case: who it is, and what is charted. Times as ``at`` gives them, relative to ICU admission.

    Unless the case says otherwise a man of 60, admitted an hour before the ICU, who stays there for five days.
    """

    def __init__(self, number: int, numbers: itertools.count[int]) -> None:
        self.number = number
        self.rows: list[tuple[str, Row]] = []
        self._numbers = numbers
        self.age, self.anchor_year, self.gender = 60, 2150, "M"
        self.admitted, self.admission_type = at(-1), "URGENT"
        self.intime, self.outtime = at(0), at(120)

    def insert(self, table: str, **values: Any) -> None:
        self.rows.append((table, values))

    def settle(self) -> None:
        """The rows that every patient has, as the case has changed them."""
        who = self.number
        self.insert(
            "mimiciv_hosp.patients",
            subject_id=who,
            gender=self.gender,
            anchor_age=self.age,
            anchor_year=self.anchor_year,
        )
        self.insert(
            "mimiciv_hosp.admissions",
            subject_id=who,
            hadm_id=who,
            admittime=self.admitted,
            admission_type=self.admission_type,
        )
        self.insert(
            "mimiciv_icu.icustays",
            subject_id=who,
            hadm_id=who,
            stay_id=who,
            intime=self.intime,
            outtime=self.outtime,
        )

    def chart(
        self,
        itemid: int,
        time: datetime,
        number: float | None = None,
        text: str | None = None,
        *,
        stored: datetime | None = None,
        stay: int | None = None,
    ) -> None:
        """One cell of the nurses' charting; a number without a text is its own text."""
        self.insert(
            "mimiciv_icu.chartevents",
            subject_id=self.number,
            hadm_id=self.number,
            stay_id=stay or self.number,
            charttime=time,
            storetime=stored,
            itemid=itemid,
            value=text if text is not None or number is None else str(number),
            valuenum=number,
        )

    def lab(self, time: datetime, results: Mapping[int, float | str | None], *, admission: int | None = -1) -> None:
        """One specimen with its results by item, taken in the case's admission unless another one or none is given."""
        specimen = next(self._numbers)
        for itemid, result in results.items():
            self.insert(
                "mimiciv_hosp.labevents",
                labevent_id=next(self._numbers),
                subject_id=self.number,
                hadm_id=self.number if admission == -1 else admission,
                specimen_id=specimen,
                itemid=itemid,
                charttime=time,
                value=None if result is None else str(result),
                valuenum=result if isinstance(result, int | float) else None,
            )

    def gas(self, time: datetime, results: Mapping[int, float | str | None], specimen: str = "ART.") -> None:
        self.lab(time, {52033: specimen, **results})

    def output(self, itemid: int, time: datetime, volume: float | None) -> None:
        self.insert(
            "mimiciv_icu.outputevents",
            subject_id=self.number,
            stay_id=self.number,
            charttime=time,
            itemid=itemid,
            value=volume,
        )

    def infuse(
        self,
        itemid: int,
        start: datetime,
        end: datetime,
        rate: float | None = None,
        unit: str = "mcg/kg/min",
        *,
        weight: float | None = 80.0,
        amount: float | None = 1.0,
    ) -> None:
        self.insert(
            "mimiciv_icu.inputevents",
            subject_id=self.number,
            stay_id=self.number,
            itemid=itemid,
            starttime=start,
            endtime=end,
            rate=rate,
            rateuom=unit,
            patientweight=weight,
            amount=amount,
        )

    def treat(self, itemid: int, start: datetime, end: datetime, value: float | None = 1.0) -> None:
        """A procedure."""
        self.insert(
            "mimiciv_icu.procedureevents",
            subject_id=self.number,
            stay_id=self.number,
            itemid=itemid,
            starttime=start,
            endtime=end,
            value=value,
        )

    def diagnose(self, version: int, *codes: str) -> None:
        for code in codes:
            self.insert(
                "mimiciv_hosp.diagnoses_icd",
                subject_id=self.number,
                hadm_id=self.number,
                seq_num=1,
                icd_code=code,
                icd_version=version,
            )

    def transfer(self, service: str, time: datetime) -> None:
        self.insert(
            "mimiciv_hosp.services",
            subject_id=self.number,
            hadm_id=self.number,
            transfertime=time,
            curr_service=service,
        )

    def order(
        self,
        drug: str | None,
        start: datetime | None,
        stop: datetime | None = None,
        *,
        route: str | None = "IV",
        kind: str | None = "MAIN",
    ) -> None:
        """A prescription."""
        self.insert(
            "mimiciv_hosp.prescriptions",
            subject_id=self.number,
            hadm_id=self.number,
            drug_type=kind,
            drug=drug,
            route=route,
            starttime=start,
            stoptime=stop,
        )

    def culture(
        self,
        day: date,
        time: datetime | None = None,
        specimen: str | None = "BLOOD CULTURE",
        *,
        organism: str | None = None,
        item: int | None = None,
        number: int | None = None,
    ) -> int:
        """One row of a culture; rows with one ``number`` are one specimen. Gives that number."""
        number = number or next(self._numbers)
        self.insert(
            "mimiciv_hosp.microbiologyevents",
            microevent_id=next(self._numbers),
            subject_id=self.number,
            micro_specimen_id=number,
            chartdate=day,
            charttime=time,
            spec_type_desc=specimen,
            org_name=organism,
            org_itemid=item,
        )
        return number


Charting = Callable[[Patient], Any]
Cases = Mapping[str, tuple[Charting, Any]]
"""What is charted and what must come out, by a sentence that says which rule it is about."""


def all_of(*chartings: Charting) -> Charting:
    """Several chartings of one patient."""
    return lambda patient: [charting(patient) for charting in chartings]


def charted(item: int, *values: float, hour: float = 1) -> Charting:
    """Values charted by the nurse, a minute apart from an hour after ICU admission on."""

    def charting(patient: Patient) -> None:
        for position, value in enumerate(values):
            patient.chart(item, at(hour, position), value)

    return charting


def lab(item: int, *values: float, hour: float = 1) -> Charting:
    """Results of the laboratory, a minute apart from an hour after ICU admission on."""

    def charting(patient: Patient) -> None:
        for position, value in enumerate(values):
            patient.lab(at(hour, position), {item: value})

    return charting


def urine(volume: float, hour: float = 1) -> Charting:
    """A volume in mL, charted an hour after ICU admission."""
    return lambda patient: patient.output(FOLEY, at(hour), volume)


class Ward:
    """The results of some references (``answers``) and of every concept behind them, for all patients of the cases."""

    def __init__(self, *tables: Cases, answers: tuple[str, ...] = (), concepts: tuple[str, ...] = ()) -> None:
        cases = [(sentence, charting) for table in tables for sentence, (charting, _) in table.items()]
        self.patients: dict[str, Patient] = {}
        numbers = itertools.count(FIRST)
        for sentence, charting in cases:
            assert sentence not in self.patients, f"two cases say {sentence!r}"
            self.patients[sentence] = patient = Patient(FIRST + len(self.patients), numbers)
            charting(patient)
            patient.settle()
        derivations = load_derivations("mimic-iv")
        wanted = [derivations.references[name] for name in answers] + [derivations.concepts[name] for name in concepts]
        with duckdb.connect(":memory:", config={"threads": 1}) as connection:
            self._fill(connection)
            self._concepts = {}
            for derivation in derivations.concepts.values():
                if derivation in wanted or derivation in derivations.concepts_behind(wanted):
                    relation = f"{derivations.layout.derived_schema}.{derivation.name}"
                    connection.execute(f"CREATE TABLE {relation} AS {derivation.sql}")
                    self._concepts[derivation.name] = _by_patient(connection, f"FROM {relation}")
            self._answers = {name: _by_patient(connection, derivations.references[name].sql) for name in answers}

    def answer(self, reference: str, case: str) -> list[Row]:
        """The rows that a reference has for the patient of a case, in its own order."""
        return self._answers[reference][self.patients[case].number]

    def concept(self, name: str, case: str) -> list[Row]:
        """The rows that a concept has for the patient of a case, in its own order."""
        return self._concepts[name][self.patients[case].number]

    def _fill(self, connection: duckdb.DuckDBPyConnection) -> None:
        layout = load_derivations("mimic-iv").layout
        for schema in (*layout.source_schemas, layout.derived_schema):
            connection.execute(f"CREATE SCHEMA {schema}")
        rows: dict[str, list[Row]] = defaultdict(list)
        for patient in self.patients.values():
            for table, values in patient.rows:
                rows[table].append(values)
        for table in layout.tables:
            kinds = ", ".join(f'"{name}" {kind}' for name, kind in table.columns.items())
            connection.execute(f"CREATE TABLE {table.relation} ({kinds})")
            charted = rows.pop(str(table.relation), [])
            names = list(dict.fromkeys(name for values in charted for name in values))
            columns, marks = ", ".join(names), "(" + ", ".join("?" for _ in names) + ")"
            for start in range(0, len(charted), 400):
                some = charted[start : start + 400]
                cells = [values.get(name) for values in some for name in names]
                values = ", ".join(marks for _ in some)
                connection.execute(f"INSERT INTO {table.relation} ({columns}) VALUES {values}", cells)
        assert not rows, f"no such table: {', '.join(rows)}"


def _by_patient(connection: duckdb.DuckDBPyConnection, query: str) -> dict[int, list[Row]]:
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description or ()]
    key = next(name for name in ("subject_id", "stay_id", "hadm_id") if name in names)
    found: dict[int, list[Row]] = defaultdict(list)
    for values in cursor.fetchall():
        row = dict(zip(names, values, strict=True))
        found[row[key]].append(row)
    return found
