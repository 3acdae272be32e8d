-- sepsis3: the first suspected infection of an ICU stay with organ failure around it.
--
-- grain:   one row per ICU stay with such a pair; other stays are absent
-- sources: suspicion_of_infection (orders that start inside the stay), sofa
-- window:  SOFA hours ending from 48 h before to 24 h after the suspected infection, both ends included
-- units:   SOFA points of the last 24 hours
-- rules:   organ failure is a SOFA of 2 or more; a baseline of 0 is assumed
-- ties:    earliest suspicion, then antibiotic, culture and SOFA hour, missing times first; further ties agree in
--          every column
-- source:  Singer M et al. JAMA 2016;315:801-810; Seymour CW et al. JAMA 2016;315:762-774; Shankar-Hari M et al.
--          JAMA 2016;315:775-787

WITH organ_failure AS (
    SELECT
        stay_id,
        endtime,
        respiration_24hours,
        coagulation_24hours,
        liver_24hours,
        cardiovascular_24hours,
        cns_24hours,
        renal_24hours,
        sofa_24hours
    FROM mimiciv_derived.sofa
    WHERE sofa_24hours >= 2
),

pair AS (
    SELECT
        suspicion.subject_id,
        suspicion.stay_id,
        suspicion.antibiotic_time,
        suspicion.culture_time,
        suspicion.suspected_infection,
        suspicion.suspected_infection_time,
        organ_failure.* EXCLUDE (stay_id)
    FROM mimiciv_derived.suspicion_of_infection AS suspicion
    INNER JOIN organ_failure
        ON
            suspicion.stay_id = organ_failure.stay_id
            AND organ_failure.endtime BETWEEN
                suspicion.suspected_infection_time - INTERVAL 48 HOUR
                AND suspicion.suspected_infection_time + INTERVAL 24 HOUR
    QUALIFY row_number() OVER (
        PARTITION BY suspicion.stay_id
        ORDER BY
            suspicion.suspected_infection_time NULLS FIRST,
            suspicion.antibiotic_time NULLS FIRST,
            suspicion.culture_time NULLS FIRST,
            organ_failure.endtime NULLS FIRST,
            suspicion.ab_id
    ) = 1
)

SELECT
    subject_id,
    stay_id,
    antibiotic_time,
    culture_time,
    suspected_infection_time,
    endtime AS sofa_time,
    sofa_24hours AS sofa_score,
    respiration_24hours AS respiration,
    coagulation_24hours AS coagulation,
    liver_24hours AS liver,
    cardiovascular_24hours AS cardiovascular,
    cns_24hours AS cns,
    renal_24hours AS renal,
    sofa_24hours >= 2 AND suspected_infection = 1 AS sepsis3
FROM pair
ORDER BY stay_id
