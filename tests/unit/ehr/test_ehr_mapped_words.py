"""Native names in a text, replaced word by word by those of a changed schema."""

from __future__ import annotations

import pytest

from m4review.ehr.layout import Relation
from m4review.ehr.schemas import SchemaWords
from m4review.ehr.schemas.table import NewPlace

SPLIT = NewPlace(
    (Relation(schema_name="ehr", name="lab_numbers"), Relation(schema_name="ehr", name="lab_remarks")),
    {"valuenum": "valuenum"},
)
CHARTED = NewPlace((Relation(schema_name="s_a", name="t_b"),), {"charttime": "c_t", "value": "c_v", "stay_id": "c_s"})
WORDS = SchemaWords(
    schemas={"mimiciv_icu": "s_a"},
    tables={
        "chartevents": CHARTED,
        "mimiciv_icu.chartevents": CHARTED,
        "labevents": SPLIT,
        "mimiciv_hosp.labevents": SPLIT,
        "patients": NewPlace((Relation(schema_name="s_a", name="t_p"),), {}),
    },
    columns={"charttime": "c_t", "value": "c_v", "stay_id": "c_s"},
    items={"220045": "1000007"},
    prose=frozenset({"chartevents", "charttime", "stay_id", "labevents"}),
)


@pytest.mark.parametrize(
    ("written", "mapped"),
    [
        ("`chartevents` by `charttime`", "`t_b` by `c_t`"),
        ("Take `mimiciv_icu.chartevents` as charted.", "Take `s_a.t_b` as charted."),
        ("`chartevents.value` of `mimiciv_icu`", "`t_b.c_v` of `s_a`"),
        ("`mimiciv_icu.chartevents.charttime`", "`s_a.t_b.c_t`"),
        ("`ce.charttime` of another alias", "`ce.c_t` of another alias"),
        ("the value of most patients", "the value of most patients"),
        ("the `value` of `patients`", "the `c_v` of `t_p`"),
        ("rows of chartevents per stay_id.", "rows of t_b per c_s."),
        ("from `labevents`, never elsewhere", "from `lab_numbers`, `lab_remarks`, never elsewhere"),
        ("`mimiciv_hosp.labevents`", "`ehr.lab_numbers`, `ehr.lab_remarks`"),
        ("items 220045, 220046 and 1.220045", "items 1000007, 220046 and 1.220045"),
        ("| heart rate | `220045` |", "| heart rate | `1000007` |"),
        ("220045.5 mL, 220,045 mL, 2200451", "220045.5 mL, 220,045 mL, 2200451"),
        ("my_chartevents, chartevents2, rechartevents", "my_chartevents, chartevents2, rechartevents"),
        ("```\nstay_id, value\n```\nvalue", "```\nc_s, c_v\n```\nvalue"),
        ("", ""),
    ],
)
def test_names_are_replaced_where_they_are_names_and_words_stay_words(written: str, mapped: str) -> None:
    assert WORDS.text(written) == mapped
