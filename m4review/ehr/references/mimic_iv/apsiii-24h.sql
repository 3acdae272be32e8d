-- apsiii-24h: acute physiology score of APACHE III, first ICU day.
--
-- grain:   one row per ICU stay, every stay
-- sources: apsiii (all components but the two of the blood gases), mimiciv_icu.icustays, ventilation; bg (by
--          admission)
-- window:  ICU admission - 6 h to + 24 h, both ends included; urine from admission on; arterial gases from ICU
--          admission up to ICU discharge or admission + 24 h, whichever is earlier, the end excluded
-- units:   points; gases mmHg, FiO2 %
-- rules:   those of the concept, a missing component scores 0. Without invasive ventilation and with FiO2 below 50 %
--          (21 % when unknown) the highest PaO2 scores, else under invasive ventilation with FiO2 of 50 % or more the
--          highest alveolar-arterial gradient the laboratory reported. Acid-base takes the gas with most points.
-- differs: the concept apsiii takes gases of the whole ICU stay
-- source:  Knaus WA et al. Chest 1991;100:1619-1636

WITH arterial_gas AS (
    SELECT
        stay.stay_id,
        gas.po2,
        gas.pco2,
        gas.ph,
        gas.aado2,
        coalesce(gas.fio2, gas.fio2_chartevents) AS fio2,
        EXISTS (
            SELECT 1 FROM mimiciv_derived.ventilation AS episode
            WHERE
                episode.stay_id = stay.stay_id
                AND episode.ventilation_status = 'InvasiveVent'
                AND gas.charttime BETWEEN episode.starttime AND episode.endtime
        ) AS ventilated
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.bg AS gas
        ON
            stay.hadm_id = gas.hadm_id
            AND gas.specimen = 'ART.'
            AND gas.charttime >= stay.intime
            AND gas.charttime < least(stay.outtime, stay.intime + INTERVAL 24 HOUR)
),

gas_summary AS (
    SELECT
        stay_id,
        max(po2) FILTER (NOT ventilated AND coalesce(fio2, 21) < 50) AS pao2,
        max(aado2) FILTER (ventilated AND fio2 >= 50) AS aado2,
        max(
            CASE
                WHEN ph IS NULL OR pco2 IS NULL THEN NULL
                WHEN ph < 7.20 THEN CASE WHEN pco2 < 50 THEN 12 ELSE 4 END
                WHEN ph < 7.30
                    THEN CASE WHEN pco2 < 30 THEN 9 WHEN pco2 < 40 THEN 6 WHEN pco2 < 50 THEN 3 ELSE 2 END
                WHEN ph < 7.35 THEN CASE WHEN pco2 < 30 THEN 9 WHEN pco2 < 45 THEN 0 ELSE 1 END
                WHEN ph < 7.45 THEN CASE WHEN pco2 < 30 THEN 5 WHEN pco2 < 45 THEN 0 ELSE 1 END
                WHEN ph < 7.50
                    THEN CASE WHEN pco2 < 30 THEN 5 WHEN pco2 < 35 THEN 0 WHEN pco2 < 45 THEN 2 ELSE 12 END
                WHEN ph < 7.60 THEN CASE WHEN pco2 < 40 THEN 3 ELSE 12 END
                ELSE CASE WHEN pco2 < 25 THEN 0 WHEN pco2 < 40 THEN 3 ELSE 12 END
            END
        ) AS acidbase_score
    FROM arterial_gas
    GROUP BY stay_id
),

gas_points AS (
    SELECT
        stay_id,
        CASE
            WHEN pao2 < 50 THEN 15
            WHEN pao2 < 70 THEN 5
            WHEN pao2 < 80 THEN 2
            WHEN pao2 >= 80 THEN 0
            WHEN aado2 < 100 THEN 0
            WHEN aado2 < 250 THEN 7
            WHEN aado2 < 350 THEN 9
            WHEN aado2 < 500 THEN 11
            WHEN aado2 >= 500 THEN 14
        END AS pao2_aado2_score,
        acidbase_score
    FROM gas_summary
),

components AS (
    SELECT
        score.subject_id,
        score.hadm_id,
        score.stay_id,
        coalesce(score.hr_score, 0) AS hr_score,
        coalesce(score.mbp_score, 0) AS mbp_score,
        coalesce(score.temp_score, 0) AS temp_score,
        coalesce(score.resp_rate_score, 0) AS resp_rate_score,
        coalesce(gas_points.pao2_aado2_score, 0) AS pao2_aado2_score,
        coalesce(score.hematocrit_score, 0) AS hematocrit_score,
        coalesce(score.wbc_score, 0) AS wbc_score,
        coalesce(score.creatinine_score, 0) AS creatinine_score,
        coalesce(score.uo_score, 0) AS uo_score,
        coalesce(score.bun_score, 0) AS bun_score,
        coalesce(score.sodium_score, 0) AS sodium_score,
        coalesce(score.albumin_score, 0) AS albumin_score,
        coalesce(score.bilirubin_score, 0) AS bilirubin_score,
        coalesce(score.glucose_score, 0) AS glucose_score,
        coalesce(gas_points.acidbase_score, 0) AS acidbase_score,
        coalesce(score.gcs_score, 0) AS gcs_score
    FROM mimiciv_derived.apsiii AS score
    LEFT JOIN gas_points ON score.stay_id = gas_points.stay_id
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    hr_score
    + mbp_score
    + temp_score
    + resp_rate_score
    + pao2_aado2_score
    + hematocrit_score
    + wbc_score
    + creatinine_score
    + uo_score
    + bun_score
    + sodium_score
    + albumin_score
    + bilirubin_score
    + glucose_score
    + acidbase_score
    + gcs_score AS apsiii,
    * EXCLUDE (subject_id, hadm_id, stay_id)
FROM components
ORDER BY stay_id
