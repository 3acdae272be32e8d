"""The restructured schema of MIMIC-IV: tables merged, split and denormalised, keys kept.

| native | becomes |
|---|---|
| ``patients`` | ``people`` without the date of death, and ``deaths`` for those who have one |
| ``icustays`` with ``admissions`` | ``icu_episodes``: a stay with its admission; ``other_admissions`` without a stay |
| ``chartevents`` with ``outputevents`` | ``measurements``, told apart by ``origin``, with the item's label |
| ``labevents`` | ``lab_numbers`` and ``lab_remarks``, by whether the value is a number, with the item's label |
| ``inputevents`` | ``infusions`` with a rate and ``boluses`` without |
| ``d_items`` with ``d_labitems`` | ``catalogue``, told apart by ``origin`` |
| ``diagnoses_icd`` with ``procedures_icd`` | ``coded_events``, told apart by ``origin`` |

Tables that are not named, and concepts, keep their names and columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from m4review.ehr.engine import identifier, quoted
from m4review.ehr.layout import Relation
from m4review.ehr.schemas.table import CHANGED, NativeTable, NewPlace, RewrittenTable, changed_name
from m4review.ehr.schemas.words import about_column, about_table

SCHEMA = "ehr"
PLACE = f"{CHANGED}.{SCHEMA}"
ORIGIN = "origin"
ADMISSION_PREFIX = "admission_"
LABEL = "item_label"

Tables = Mapping[str, NativeTable]


@dataclass
class _Made:
    """Tables made so far, the way back, and which native tables are done with."""

    tables: list[RewrittenTable] = field(default_factory=list)
    inverse: dict[Relation, str] = field(default_factory=dict)
    places: dict[Relation, NewPlace] = field(default_factory=dict)

    def back(self, native: NativeTable, query: str, tables: Iterable[str], columns: Mapping[str, str]) -> None:
        """Say how a native table comes back, and where its rows are; ``columns`` names those that are called anew."""
        self.inverse[native.relation] = query
        found = tuple(Relation(schema_name=SCHEMA, name=name) for name in tables)
        self.places[native.relation] = NewPlace(found, {name: columns.get(name, name) for name in native.columns})

    def add(
        self, name: str, made_from: Iterable[NativeTable], query: str, about: str, columns: Mapping[str, str]
    ) -> None:
        relation = Relation(schema_name=SCHEMA, name=name)
        self.tables.append(RewrittenTable(relation, tuple(n.relation for n in made_from), query, about, columns))


def restructured_tables(
    natives: Iterable[NativeTable],
) -> tuple[tuple[RewrittenTable, ...], dict[Relation, str], dict[Relation, NewPlace]]:
    """The rewritten tables, and per native table the query that gives it back and the place of its rows.

    A step without its table is left out.
    """
    natives = tuple(natives)
    source: Tables = {
        native.relation.name: native for native in natives if "derived" not in native.relation.schema_name
    }
    made = _Made()
    _split_patients(source, made)
    _denormalise_stays(source, made)
    _merge(
        source, made, "measurements", ("chartevents", "outputevents"), "a charted value or a measured output", "d_items"
    )
    _split_rows(
        source,
        made,
        "labevents",
        {"lab_numbers": "valuenum IS NOT NULL", "lab_remarks": "valuenum IS NULL"},
        "d_labitems",
    )
    _split_rows(source, made, "inputevents", {"infusions": "rate IS NOT NULL", "boluses": "rate IS NULL"}, None)
    _merge(source, made, "catalogue", ("d_items", "d_labitems"), "an item that can be charted or measured", None)
    _merge(source, made, "coded_events", ("diagnoses_icd", "procedures_icd"), "a billed diagnosis or procedure", None)
    for native in natives:
        if native.relation not in made.inverse:
            _keep(native, made)
    return tuple(made.tables), made.inverse, made.places


def _keep(native: NativeTable, made: _Made) -> None:
    columns = {name: about_column(name) for name in native.columns}
    query = f"SELECT * FROM {native.sql} ORDER BY {_order(native)}"
    made.tables.append(
        RewrittenTable(native.relation, (native.relation,), query, about_table(native.relation), columns)
    )
    made.inverse[native.relation] = f"SELECT * FROM {changed_name(native.relation)}"
    made.places[native.relation] = NewPlace((native.relation,), {name: name for name in native.columns})


def _split_patients(source: Tables, made: _Made) -> None:
    patients = source.get("patients")
    if patients is None or not {"subject_id", "dod"} <= patients.columns.keys():
        return
    kept = [name for name in patients.columns if name != "dod"]
    about = {name: about_column(name) for name in patients.columns}
    made.add(
        "people",
        [patients],
        f"SELECT {_list(kept)} FROM {patients.sql} ORDER BY subject_id",
        "a patient",
        {name: about[name] for name in kept},
    )
    made.add(
        "deaths",
        [patients],
        f"SELECT subject_id, dod FROM {patients.sql} WHERE dod IS NOT NULL ORDER BY subject_id",
        "a patient who died, with the date",
        {name: about[name] for name in ("subject_id", "dod")},
    )
    back = ", ".join(f"d.{identifier(n)}" if n == "dod" else f"p.{identifier(n)}" for n in patients.columns)
    query = f"SELECT {back} FROM {PLACE}.people p LEFT JOIN {PLACE}.deaths d USING (subject_id)"
    made.back(patients, query, ("people", "deaths"), {})


def _denormalise_stays(source: Tables, made: _Made) -> None:
    stays, admissions = source.get("icustays"), source.get("admissions")
    if stays is None or admissions is None:
        return
    prefixed = {name: f"{ADMISSION_PREFIX}{name}" for name in admissions.columns}
    of_admission = ", ".join(f"a.{identifier(name)} AS {identifier(new)}" for name, new in prefixed.items())
    made.add(
        "icu_episodes",
        [stays, admissions],
        f"SELECT s.*, {of_admission}\nFROM {stays.sql} s LEFT JOIN {admissions.sql} a ON a.hadm_id = s.hadm_id\n"
        "ORDER BY s.stay_id",
        "an ICU stay, with the columns of its hospital admission",
        {name: about_column(name) for name in stays.columns}
        | {new: f"of the admission: {about_column(name)}" for name, new in prefixed.items()},
    )
    made.add(
        "other_admissions",
        [stays, admissions],
        f"SELECT a.* FROM {admissions.sql} a\nWHERE NOT EXISTS (FROM {stays.sql} s WHERE s.hadm_id = a.hadm_id)\n"
        f"ORDER BY {_order(admissions, 'a')}",
        "a hospital admission without an ICU stay",
        {name: about_column(name) for name in admissions.columns},
    )
    made.back(stays, f"SELECT {_list(stays.columns)} FROM {PLACE}.icu_episodes", ("icu_episodes",), {})
    back = ", ".join(f"{identifier(new)} AS {identifier(name)}" for name, new in prefixed.items())
    query = (
        f"SELECT DISTINCT ON ({ADMISSION_PREFIX}hadm_id) {back} FROM {PLACE}.icu_episodes "
        f"WHERE {ADMISSION_PREFIX}hadm_id IS NOT NULL\n"
        f"UNION ALL SELECT {_list(admissions.columns)} FROM {PLACE}.other_admissions"
    )
    made.back(admissions, query, ("icu_episodes", "other_admissions"), prefixed)


def _merge(source: Tables, made: _Made, name: str, parts: tuple[str, ...], about: str, dictionary: str | None) -> None:
    """Rows of several tables in one; a column whose type differs between them is kept apart under the table's name."""
    natives = [source[part] for part in parts if part in source]
    if len(natives) < 2:
        return
    shared = {
        column: kind
        for native in natives
        for column, kind in native.columns.items()
        if all(other.columns.get(column, kind) == kind for other in natives)
    }
    labels = source.get(dictionary) if dictionary else None
    selects, described = [], {ORIGIN: "which kind of row it is: " + ", ".join(parts)}
    for native in natives:
        names = _merged_names(native, shared)
        columns = [f"{quoted(native.relation.name)} AS {ORIGIN}"]
        columns += [f"t.{identifier(column)} AS {identifier(new)}" for column, new in names.items()]
        columns += [f"i.label AS {LABEL}"] if labels else []
        join = f" LEFT JOIN {labels.sql} i ON i.itemid = t.itemid" if labels else ""
        selects.append(f"SELECT {', '.join(columns)} FROM {native.sql} t{join}")
        described |= {new: about_column(column) for column, new in names.items()}
        query = (
            "SELECT "
            + ", ".join(f"{identifier(new)} AS {identifier(column)}" for column, new in names.items())
            + f" FROM {PLACE}.{name} WHERE {ORIGIN} = {quoted(native.relation.name)}"
        )
        made.back(native, query, (name,), names)
    if labels:
        described[LABEL] = about_column("label")
    order = ", ".join(identifier(column) for column in natives[0].order if column in shared)
    query = "SELECT * FROM (\n" + "\nUNION ALL BY NAME\n".join(selects) + f"\n) ORDER BY {order}"
    made.add(name, [*natives, *([labels] if labels else [])], query, about, described)


def _merged_names(native: NativeTable, shared: Mapping[str, str]) -> dict[str, str]:
    return {column: column if column in shared else f"{native.relation.name}_{column}" for column in native.columns}


def _split_rows(source: Tables, made: _Made, name: str, parts: Mapping[str, str], dictionary: str | None) -> None:
    """Rows of one table in several, by a condition each; together they hold every row once."""
    native = source.get(name)
    if native is None:
        return
    labels = source.get(dictionary) if dictionary else None
    described = {column: about_column(column) for column in native.columns}
    if labels:
        described[LABEL] = about_column("label")
    for part, condition in parts.items():
        column, _, test = condition.partition(" ")
        of_item = f", i.label AS {LABEL}" if labels else ""
        join = f" LEFT JOIN {labels.sql} i ON i.itemid = t.itemid" if labels else ""
        made.add(
            part,
            [native, *([labels] if labels else [])],
            f"SELECT t.*{of_item} FROM {native.sql} t{join}\n"
            f"WHERE t.{identifier(column)} {test} ORDER BY {_order(native, 't')}",
            f"{about_table(native.relation)}, with {'no ' if test == 'IS NULL' else ''}{column}",
            described,
        )
    columns = _list(native.columns)
    query = "\nUNION ALL ".join(f"SELECT {columns} FROM {PLACE}.{part}" for part in parts)
    made.back(native, query, parts, {})


def _list(columns: Iterable[str]) -> str:
    return ", ".join(identifier(name) for name in columns)


def _order(native: NativeTable, alias: str = "") -> str:
    dot = f"{alias}." if alias else ""
    return ", ".join(f"{dot}{identifier(name)}" for name in native.order) or "ALL"
