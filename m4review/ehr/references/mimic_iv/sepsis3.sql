-- sepsis3: the first suspected infection of an ICU stay with organ failure around it.
--
-- grain:   one row per ICU stay with a suspected infection and a SOFA of 2 or more around it; other stays are absent
-- sources: the concept sepsis3
-- window:  SOFA hours ending from 48 h before to 24 h after the suspected infection, both ends included
-- units:   SOFA points of the last 24 hours; sepsis3 is 1 in every row
-- rules:   those of the concept: earliest suspicion first, then the earliest hour, not the worst
-- source:  Singer M et al. JAMA 2016;315:801-810; Seymour CW et al. JAMA 2016;315:762-774; Shankar-Hari M et al.
--          JAMA 2016;315:775-787

SELECT
    subject_id,
    stay_id,
    antibiotic_time,
    culture_time,
    suspected_infection_time,
    sofa_time,
    sofa_score,
    respiration,
    coagulation,
    liver,
    cardiovascular,
    cns,
    renal,
    CAST(sepsis3 AS INTEGER) AS sepsis3
FROM mimiciv_derived.sepsis3
ORDER BY stay_id
