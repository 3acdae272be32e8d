"""Suspected infection: which orders are antibiotics, and which culture belongs to one of them."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

TASK, CONCEPT = "suspicion-infection", "suspicion_of_infection"
ORDER = at(0)
"""Every order of the pairing cases starts at 12:00 on the 10th."""
BLOOD, URINE = "BLOOD CULTURE", "URINE"
ORGANISM, ECOLI, NEGATIVE, CANCELLED = "ESCHERICHIA COLI", 80002, 90856, 90760
NOT_SUSPECTED = (0, None, None, None, None)


def on(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2150, 1, day, hour, minute, second)


def cultures(*taken: tuple[date, datetime | None] | tuple[date, datetime | None, dict[str, object]]) -> Charting:
    """An order of vancomycin and some cultures: date, time if there is one, and what else is known."""

    def charting(patient: Patient) -> None:
        patient.order("Vancomycin", ORDER)
        for day, time, *known in taken:
            patient.culture(day, time, **(known[0] if known else {}))

    return charting


def timed(*moment: int, **known: object) -> tuple[date, datetime, dict[str, object]]:
    return on(*moment).date(), on(*moment), known


def dated(day: int, **known: object) -> tuple[date, None, dict[str, object]]:
    return on(day).date(), None, known


def two_rows_of_one_specimen(patient: Patient) -> None:
    patient.order("Vancomycin", ORDER)
    number = patient.culture(on(10), on(10, 8), organism=None, item=NEGATIVE)
    patient.culture(on(10), on(10, 9), organism=ORGANISM, item=ECOLI, number=number)


def two_dates_of_one_specimen(patient: Patient) -> None:
    patient.order("Vancomycin", ORDER)
    number = patient.culture(on(6))
    patient.culture(on(7), number=number)


BEFORE = (1, on(10, 9), on(10, 9), BLOOD)
PAIRS: Cases = {
    "a culture at the time of the order matches neither way": (cultures(timed(10, 12)), (NOT_SUSPECTED,)),
    "a culture a second before the order is before": (
        cultures(timed(10, 11, 59, 59)),
        ((1, on(10, 11, 59, 59), on(10, 11, 59, 59), BLOOD, 0),),
    ),
    "a culture a second after the order is after": (
        cultures(timed(10, 12, 0, 1)),
        ((1, ORDER, on(10, 12, 0, 1), BLOOD, 0),),
    ),
    "a culture of exactly 72 hours before matches": (cultures(timed(7, 12)), ((1, on(7, 12), on(7, 12), BLOOD, 0),)),
    "a culture of more than 72 hours before does not": (cultures(timed(7, 11, 59, 59)), (NOT_SUSPECTED,)),
    "a culture of exactly 24 hours after matches": (cultures(timed(11, 12)), ((1, ORDER, on(11, 12), BLOOD, 0),)),
    "a culture of more than 24 hours after does not": (cultures(timed(11, 12, 0, 1)), (NOT_SUSPECTED,)),
    "a date alone on the same day counts from midnight": (cultures(dated(10)), ((1, on(10), on(10), BLOOD, 0),)),
    "a date alone three days before matches": (cultures(dated(7)), ((1, on(7), on(7), BLOOD, 0),)),
    "a date alone four days before does not": (cultures(dated(6)), (NOT_SUSPECTED,)),
    "a date alone on the next day matches": (cultures(dated(11)), ((1, ORDER, on(11), BLOOD, 0),)),
    "a date alone two days after does not": (cultures(dated(12)), (NOT_SUSPECTED,)),
    "a culture before goes before one after": (
        cultures(timed(10, 13, specimen=URINE), timed(8, 9)),
        ((1, on(8, 9), on(8, 9), BLOOD, 0),),
    ),
    "the earliest date counts": (
        cultures(timed(9, 9, specimen=URINE), timed(10, 9), dated(8, specimen="SPUTUM")),
        ((1, on(8), on(8), "SPUTUM", 0),),
    ),
    "on one date the output takes a date alone, the concept a timed one": (
        cultures(timed(10, 9, organism=ORGANISM, item=ECOLI), dated(10, specimen=URINE)),
        ((1, on(10), on(10), URINE, 0), (*BEFORE, 1)),
    ),
    "of one time the output takes the lower number, the concept a positive one": (
        cultures(timed(10, 9), timed(10, 9, specimen=URINE, organism=ORGANISM, item=ECOLI)),
        ((*BEFORE, 0), (1, on(10, 9), on(10, 9), URINE, 1)),
    ),
    "of equal ones the lower number counts": (
        cultures(timed(10, 9, specimen=URINE, number=9_002), timed(10, 9, number=9_001)),
        ((*BEFORE, 0),),
    ),
    "the same after the order": (
        cultures(timed(11, 9, specimen=URINE, number=9_004), timed(11, 9, number=9_003), timed(11, 10)),
        ((1, ORDER, on(11, 9), BLOOD, 0),),
    ),
    "after the order, too, a date alone goes before in the output only": (
        cultures(timed(11, 9), dated(11, specimen=URINE)),
        ((1, ORDER, on(11), URINE, 0), (1, ORDER, on(11, 9), BLOOD, 0)),
    ),
    "a culture cancelled by its organism is negative in the concept only": (
        cultures(timed(10, 9, organism="CANCELLED", item=ECOLI)),
        ((*BEFORE, 1), (*BEFORE, 0)),
    ),
    "a culture cancelled by its item is negative in the concept only": (
        cultures(timed(10, 9, organism=ORGANISM, item=CANCELLED)),
        ((*BEFORE, 1), (*BEFORE, 0)),
    ),
    "an organism named otherwise is positive": (
        cultures(timed(10, 9, organism="cancelled", item=ECOLI)),
        ((*BEFORE, 1),),
    ),
    "the negative item is negative": (cultures(timed(10, 9, organism=ORGANISM, item=NEGATIVE)), ((*BEFORE, 0),)),
    "an organism without an item is negative": (cultures(timed(10, 9, organism=ORGANISM)), ((*BEFORE, 0),)),
    "an item without an organism is negative": (cultures(timed(10, 9, item=ECOLI)), ((*BEFORE, 0),)),
    "an empty organism is negative": (cultures(timed(10, 9, organism="", item=ECOLI)), ((*BEFORE, 0),)),
    "the text None is an organism": (cultures(timed(10, 9, organism="None", item=ECOLI)), ((*BEFORE, 1),)),
    "the rows of a specimen are one culture, positive if one is": (two_rows_of_one_specimen, ((*BEFORE, 1),)),
    "the last date of a specimen counts": (two_dates_of_one_specimen, ((1, on(7), on(7), BLOOD, 0),)),
    "a specimen text is looked for in the culture after": (
        cultures(timed(10, 9, specimen=None), timed(10, 14)),
        ((*BEFORE, 0),),
    ),
    "a date alone on the same day is looked at as a culture after, too": (
        cultures(dated(9, specimen=None), dated(10, specimen=URINE)),
        ((1, on(9), on(9), URINE, 0),),
    ),
    "without any specimen text nothing is suspected": (
        cultures(timed(10, 9, specimen=None)),
        ((0, None, on(10, 9), None, 0),),
    ),
    "without a culture nothing is suspected": (cultures(), (NOT_SUSPECTED,)),
}


def without_a_start(patient: Patient) -> None:
    patient.order("Vancomycin", None)
    patient.culture(on(10), on(10, 9))


def numbered(patient: Patient) -> None:
    patient.order("Vancomycin", at(1), at(2))
    patient.order("Vancomycin", at(1), None)
    patient.order("Ancef", at(1), at(2))
    patient.order("Zosyn", None)
    patient.order("Ancef", at(0))


def around_the_stay(patient: Patient) -> None:
    for start in (at(0, 0, -1), at(0), at(120, 0, -1), at(120)):
        patient.order("Vancomycin", start)


OTHERS: Cases = {
    "an order without a start": (without_a_start, None),
    "numbered": (numbered, None),
    "around the stay": (around_the_stay, None),
}


NAMES = (
    "adoxa|ala-tet|alodox|amikacin|amikin|amoxicill|amphotericin|ampicillin|ancef|anidulafungin|augmentin|avelox|"
    "avidoxy|axetil|azactam|azithromycin|aztreonam|bactocill|bactrim|bactroban|bethkis|biaxin|bicillin l-a|"
    "cayston|cedax|cefaclor|cefadroxil|cefazolin|cefdinir|cefditoren|cefepime|cefotan|cefotaxime|cefotetan|"
    "cefoxitin|cefpirome|cefpodoxime|cefprozil|ceftaroline|ceftazidime|ceftibuten|ceftin|ceftriaxone|cefuroxime|"
    "cephalexin|cephalothin|cephapririn|chloramphenicol|cipro|ciprofloxacin|claforan|clarithromycin|clavulanate|"
    "cleocin|clindamycin|cubicin|dicloxacillin|dirithromycin|doryx|doxycy|duricef|dynacin|ery-tab|eryc|eryped|"
    "erythrocin|erythromycin|factive|flagyl|fortaz|furadantin|garamycin|gentamicin|kanamycin|keflex|kefzol|ketek|"
    "levaquin|levofloxacin|lincocin|linezolid|macrobid|macrodantin|maxipime|mefoxin|meropenem|methicillin|"
    "metronidazole|minocin|minocycline|monodox|monurol|morgidox|moxatag|moxifloxacin|mupirocin|myrac|nafcillin|"
    "neomycin|nicazel doxy 30|nitrofurantoin|norfloxacin|noroxin|ocudox|ofloxacin|omnicef|oracea|oraxyl|"
    "oxacillin|panixine|pc pen vk|pce dispertab|pediazole|penicillin|periostat|pfizerpen|piperacillin|primsol|"
    "proquin|raniclor|rifadin|rifampin|rocephin|septra|septra ds|smz-tmp|solodyn|spectracef|streptomycin|"
    "sulfadiazine|sulfamethoxazole|sulfatrim|sulfisoxazole|suprax|synercid|tazicef|tazobactam|tetracycline|"
    "timentin|tobramycin|trimethoprim|unasyn|vancocin|vancomycin|vantin|vibativ|vibra-tabs|vibramycin|zinacef|"
    "zithromax|zosyn|zyvox"
)
"""Every fragment of the list, one after the other."""
LOCAL_ROUTES = ("OU", "OS", "OD", "AU", "AS", "AD", "TP")


def order(drug: str | None, **known: object) -> Charting:
    return lambda patient: patient.order(drug, at(1), **known)


def every_name(patient: Patient) -> None:
    for name in NAMES.split("|"):
        patient.order(f"x {name.upper()} y", at(1))


def base_of_a_main_order(patient: Patient) -> None:
    patient.order("Nafcillin", at(1), route="IV")
    patient.order("Nafcillin", at(2), route="IV", kind="BASE")
    patient.order("Nafcillin", at(3), route="IV", kind=None)
    patient.order("Nafcillin", at(4), route="iv", kind="BASE")


ANTIBIOTICS: Cases = {
    "a fragment may be anywhere in the name, in any case": (order("NEO*IV*CeFtRiAxOnE-D5W"), 1),
    "a drug without a fragment is none": (order("Acetaminophen"), 0),
    "daptomycin is not on the list": (order("Daptomycin"), 0),
    "amphotericin is on the list": (order("Amphotericin B"), 1),
    "an order without a route is none": (order("Cefazolin A", route=None), 0),
    "an order without a drug is none": (order(None), 0),
    "an order without a kind is none": (order("Cefazolin B", kind=None), 0),
    "an additive is one": (order("Cefazolin C", kind="ADDITIVE"), 1),
    "a base alone is none": (order("Cefazolin D", kind="BASE"), 0),
    "every order of a pair counts, bases too": (base_of_a_main_order, 3),
    "cream is none": (order("Mupirocin CREAM 2%", route="NU"), 0),
    "gel is none": (order("Metronidazole Gel", route="VG"), 0),
    "an ointment for the eye is none": (order("Erythromycin 0.5% Ophth Oint", route="X"), 0),
    "desensitisation is none": (order("Penicillin Desensitization", route="IV"), 0),
    "the left eye is local": (order("Gentamicin", route="LEFT EYE"), 0),
    "both ears are local": (order("Ciprofloxacin", route="Both ears"), 0),
    "local codes are told by their capitals": (order("Tobramycin", route="ou"), 1),
    "inhalation is systemic": (order("Tobramycin", route="IH"), 1),
    "every name of the list counts": (every_name, 152),
    **{f"the route {route} is local": (order("Ofloxacin", route=route), 0) for route in LOCAL_ROUTES},
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(PAIRS, OTHERS, ANTIBIOTICS, answers=(TASK,), concepts=(CONCEPT,))


@pytest.mark.parametrize("case", PAIRS)
def test_pairs(ward: Ward, case: str) -> None:
    expected = PAIRS[case][1]
    names = ("suspected_infection", "suspected_infection_time", "culture_time", "specimen", "positive_culture")
    (answer,), (concept,) = ward.answer(TASK, case), ward.concept(CONCEPT, case)
    assert tuple(answer[name] for name in names) == expected[0]
    assert tuple(concept[name] for name in names) == expected[-1]


def test_an_order_without_a_start_matches_nothing_and_keeps_its_row(ward: Ward) -> None:
    (row,) = ward.answer(TASK, "an order without a start")
    assert (row["ab_id"], row["antibiotic_time"], row["suspected_infection"], row["stay_id"]) == (1, None, 0, None)


def test_orders_are_numbered_by_start_stop_and_drug_missing_first(ward: Ward) -> None:
    expected = ["Zosyn", "Ancef", "Vancomycin", "Ancef", "Vancomycin"]
    for rows in (ward.answer(TASK, "numbered"), ward.concept(CONCEPT, "numbered")):
        assert [(row["ab_id"], row["antibiotic"]) for row in rows] == list(enumerate(expected, start=1))


def test_an_order_belongs_to_the_stay_from_its_admission_to_before_its_discharge(ward: Ward) -> None:
    rows = ward.answer(TASK, "around the stay")
    assert [row["stay_id"] is not None for row in rows] == [False, True, True, False]


@pytest.mark.parametrize("case", ANTIBIOTICS)
def test_antibiotics(ward: Ward, case: str) -> None:
    assert len(ward.concept("antibiotic", case)) == ANTIBIOTICS[case][1]
