-- sirs: systemic inflammatory response syndrome on the first ICU day.
--
-- grain:   one row per ICU stay, every stay
-- sources: mimiciv_icu.icustays, first_day_vitalsign, first_day_bg_art, first_day_lab
-- window:  ICU admission - 6 h to + 24 h, both ends included
-- units:   degrees Celsius, /min, mmHg, K/uL, percent bands
-- rules:   four criteria of one point each, all cut-offs strict; either half of a criterion is enough; a criterion
--          without data is missing and adds nothing
-- differs: the reference sirs-24h puts out 0 for a missing criterion
-- source:  Bone RC et al. Chest 1992;101:1644-1655

WITH criteria AS (
    SELECT
        stay.subject_id,
        stay.hadm_id,
        stay.stay_id,
        CASE
            WHEN vital.temperature_min < 36.0 OR vital.temperature_max > 38.0 THEN 1
            WHEN vital.temperature_min IS NOT NULL THEN 0
        END AS temp_score,
        CASE
            WHEN vital.heart_rate_max > 90 THEN 1
            WHEN vital.heart_rate_max IS NOT NULL THEN 0
        END AS heart_rate_score,
        CASE
            WHEN vital.resp_rate_max > 20 OR gas.pco2_min < 32 THEN 1
            WHEN coalesce(vital.resp_rate_max, gas.pco2_min) IS NOT NULL THEN 0
        END AS resp_score,
        CASE
            WHEN lab.wbc_min < 4.0 OR lab.wbc_max > 12.0 OR lab.bands_max > 10 THEN 1
            WHEN coalesce(lab.wbc_min, lab.bands_max) IS NOT NULL THEN 0
        END AS wbc_score
    FROM mimiciv_icu.icustays AS stay
    LEFT JOIN mimiciv_derived.first_day_vitalsign AS vital ON stay.stay_id = vital.stay_id
    LEFT JOIN mimiciv_derived.first_day_bg_art AS gas ON stay.stay_id = gas.stay_id
    LEFT JOIN mimiciv_derived.first_day_lab AS lab ON stay.stay_id = lab.stay_id
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    coalesce(temp_score, 0)
    + coalesce(heart_rate_score, 0)
    + coalesce(resp_score, 0)
    + coalesce(wbc_score, 0) AS sirs,
    temp_score,
    heart_rate_score,
    resp_score,
    wbc_score
FROM criteria
ORDER BY stay_id
