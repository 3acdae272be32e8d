-- bg: blood gases with the inspired oxygen that belongs to them.
--
-- grain:   one row per laboratory specimen that has a pO2; a gas without pO2 does not exist here
-- sources: mimiciv_hosp.labevents (blood gas analyser), mimiciv_icu.chartevents 223835 Inspired O2 Fraction
-- window:  the charted FiO2 is the latest one in the 4 h before the gas, both ends included, of the same patient
-- units:   mmHg, %, mEq/L, g/dL, mg/dL; FiO2 in percent
-- rules:   laboratory FiO2 goes before charted FiO2; room air is never assumed and oxygen flow never converted;
--          an arterial gas has the specimen text "ART."
-- ties:    several charted FiO2 at one minute: the highest

WITH specimen_results AS (
    SELECT
        specimen_id,
        max(subject_id) AS subject_id,
        max(hadm_id) AS hadm_id,
        max(charttime) AS charttime,
        max(value) FILTER (itemid = 52033) AS specimen,
        max(valuenum) FILTER (itemid = 50801) AS aado2,
        max(valuenum) FILTER (itemid = 50802) AS baseexcess,
        max(valuenum) FILTER (itemid = 50803) AS bicarbonate,
        max(valuenum) FILTER (itemid = 50804) AS totalco2,
        max(valuenum) FILTER (itemid = 50805) AS carboxyhemoglobin,
        max(valuenum) FILTER (itemid = 50806) AS chloride,
        max(valuenum) FILTER (itemid = 50808) AS calcium,
        max(valuenum) FILTER (itemid = 50809 AND valuenum <= 10000) AS glucose,
        max(valuenum) FILTER (itemid = 50810 AND valuenum <= 100) AS hematocrit,
        max(valuenum) FILTER (itemid = 50811) AS hemoglobin,
        max(valuenum) FILTER (itemid = 50813 AND valuenum <= 10000) AS lactate,
        max(valuenum) FILTER (itemid = 50814) AS methemoglobin,
        max(
            CASE
                WHEN valuenum > 20 AND valuenum <= 100 THEN valuenum
                WHEN valuenum > 0.2 AND valuenum <= 1.0 THEN valuenum * 100.0
            END
        ) FILTER (itemid = 50816) AS fio2,
        max(valuenum) FILTER (itemid = 50817 AND valuenum <= 100) AS so2,
        max(valuenum) FILTER (itemid = 50818) AS pco2,
        max(valuenum) FILTER (itemid = 50820) AS ph,
        max(valuenum) FILTER (itemid = 50821) AS po2,
        max(valuenum) FILTER (itemid = 50822) AS potassium,
        max(valuenum) FILTER (itemid = 50824) AS sodium,
        max(valuenum) FILTER (itemid = 50825) AS temperature
    FROM mimiciv_hosp.labevents
    WHERE
        itemid IN (
            52033,                                   -- Specimen Type
            50801, 50802, 50803, 50804, 50805, 50806, 50807, 50808, 50809, 50810, 50811, 50813, 50814, 50815,
            50816, 50817, 50818, 50819, 50820, 50821, 50822, 50823, 50824, 50825
        )
    GROUP BY specimen_id
),

gas AS (
    SELECT * FROM specimen_results
    WHERE po2 IS NOT NULL
),

charted_fio2 AS (
    SELECT
        subject_id,
        charttime,
        max(
            CASE
                WHEN valuenum > 0.2 AND valuenum <= 1 THEN valuenum * 100
                WHEN valuenum >= 20 AND valuenum <= 100 THEN valuenum
            END
        ) AS percent
    FROM mimiciv_icu.chartevents
    WHERE itemid = 223835 AND valuenum > 0 AND valuenum <= 100
    GROUP BY subject_id, charttime
    HAVING percent IS NOT NULL
),

gas_with_fio2 AS (
    SELECT
        gas.*,
        CASE
            WHEN charted_fio2.charttime >= gas.charttime - INTERVAL 4 HOUR THEN charted_fio2.percent
        END AS fio2_chartevents
    FROM gas
    ASOF LEFT JOIN charted_fio2
        ON gas.subject_id = charted_fio2.subject_id AND gas.charttime >= charted_fio2.charttime
)

SELECT
    subject_id,
    hadm_id,
    charttime,
    specimen,
    so2,
    po2,
    pco2,
    fio2_chartevents,
    fio2,
    aado2,
    -- alveolar gas equation at sea level: 760 mmHg, water vapour 47 mmHg, respiratory quotient 0.8
    round(
        CAST((coalesce(fio2, fio2_chartevents) / 100) * (760 - 47) - (pco2 / 0.8) - po2 AS DECIMAL(38, 9)), 4
    ) AS aado2_calc,
    coalesce(100 * po2 / fio2, 100 * po2 / fio2_chartevents) AS pao2fio2ratio,
    ph,
    baseexcess,
    bicarbonate,
    totalco2,
    hematocrit,
    hemoglobin,
    carboxyhemoglobin,
    methemoglobin,
    chloride,
    calcium,
    temperature,
    potassium,
    sodium,
    lactate,
    glucose
FROM gas_with_fio2
ORDER BY subject_id, charttime, specimen_id
