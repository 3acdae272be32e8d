-- sirs-24h: systemic inflammatory response syndrome on the first ICU day.
--
-- grain:   one row per ICU stay, every stay
-- sources: mimiciv_icu.icustays, first_day_vitalsign, first_day_bg_art, first_day_lab
-- window:  ICU admission - 6 h to + 24 h, both ends included
-- units:   degrees Celsius, /min, mmHg, K/uL, percent bands
-- rules:   four criteria of one point each, all cut-offs strict; either half of a criterion is enough;
--          a criterion without data scores 0
-- source:  Bone RC et al. Chest 1992;101:1644-1655 (ACCP/SCCM consensus)

WITH findings AS (
    SELECT
        stay.subject_id,
        stay.hadm_id,
        stay.stay_id,
        vital.temperature_min,
        vital.temperature_max,
        vital.heart_rate_max,
        vital.resp_rate_max,
        gas.pco2_min AS paco2_min,
        lab.wbc_min,
        lab.wbc_max,
        lab.bands_max
    FROM mimiciv_icu.icustays AS stay
    LEFT JOIN mimiciv_derived.first_day_vitalsign AS vital ON stay.stay_id = vital.stay_id
    LEFT JOIN mimiciv_derived.first_day_bg_art AS gas ON stay.stay_id = gas.stay_id
    LEFT JOIN mimiciv_derived.first_day_lab AS lab ON stay.stay_id = lab.stay_id
),

criteria AS (
    SELECT
        subject_id,
        hadm_id,
        stay_id,
        CASE WHEN temperature_min < 36.0 OR temperature_max > 38.0 THEN 1 ELSE 0 END AS temp_score,
        CASE WHEN heart_rate_max > 90 THEN 1 ELSE 0 END AS heart_rate_score,
        CASE WHEN resp_rate_max > 20 OR paco2_min < 32 THEN 1 ELSE 0 END AS resp_score,
        CASE WHEN wbc_min < 4.0 OR wbc_max > 12.0 OR bands_max > 10 THEN 1 ELSE 0 END AS wbc_score
    FROM findings
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    temp_score + heart_rate_score + resp_score + wbc_score AS sirs,
    temp_score,
    heart_rate_score,
    resp_score,
    wbc_score
FROM criteria
ORDER BY stay_id
