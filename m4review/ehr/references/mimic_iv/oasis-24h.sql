-- oasis-24h: Oxford Acute Severity of Illness Score of the first ICU day.
--
-- grain:   one row per ICU stay
-- sources: oasis (all components but the time before the ICU), mimiciv_icu.icustays, mimiciv_hosp.admissions
-- window:  ICU admission - 6 h to + 24 h, both ends included; urine and ventilation from admission on
-- units:   points; time before the ICU in fractional minutes
-- rules:   those of the concept; a missing component scores 0
-- differs: the concept oasis takes whole minutes, which differs within a minute of 10.2, 297, 1440 and 18708 minutes
-- source:  Johnson AE, Kramer AA, Clifford GD. Crit Care Med 2013;41:1711-1718

WITH time_before_icu AS (
    SELECT
        stay.stay_id,
        (epoch_us(stay.intime) - epoch_us(admission.admittime)) / 60000000 AS minutes
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_hosp.admissions AS admission ON stay.hadm_id = admission.hadm_id
),

components AS (
    SELECT
        score.subject_id,
        score.hadm_id,
        score.stay_id,
        CASE
            WHEN time_before_icu.minutes < 10.2 THEN 5
            WHEN time_before_icu.minutes < 297 THEN 3
            WHEN time_before_icu.minutes < 1440 THEN 0
            WHEN time_before_icu.minutes < 18708 THEN 2
            WHEN time_before_icu.minutes IS NOT NULL THEN 1
            ELSE 0
        END AS preiculos_score,
        coalesce(score.age_score, 0) AS age_score,
        coalesce(score.gcs_score, 0) AS gcs_score,
        coalesce(score.heart_rate_score, 0) AS heart_rate_score,
        coalesce(score.mbp_score, 0) AS mbp_score,
        coalesce(score.resp_rate_score, 0) AS resp_rate_score,
        coalesce(score.temp_score, 0) AS temp_score,
        coalesce(score.urineoutput_score, 0) AS urineoutput_score,
        score.mechvent_score,
        score.electivesurgery_score
    FROM mimiciv_derived.oasis AS score
    INNER JOIN time_before_icu ON score.stay_id = time_before_icu.stay_id
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    preiculos_score
    + age_score
    + gcs_score
    + heart_rate_score
    + mbp_score
    + resp_rate_score
    + temp_score
    + urineoutput_score
    + mechvent_score
    + electivesurgery_score AS oasis,
    * EXCLUDE (subject_id, hadm_id, stay_id)
FROM components
ORDER BY stay_id
