-- first_day_gcs: the lowest Glasgow Coma Scale of the first day.
--
-- grain:   one row per ICU stay; missing where nothing was charted in the window
-- sources: mimiciv_icu.icustays, gcs (by stay)
-- window:  ICU admission - 6 h to + 24 h, both ends included
-- ties:    of several rows with the lowest score, the latest

WITH lowest AS (
    SELECT
        stay.stay_id,
        scale.gcs,
        scale.gcs_motor,
        scale.gcs_verbal,
        scale.gcs_eyes,
        scale.gcs_unable
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.gcs AS scale
        ON
            stay.stay_id = scale.stay_id
            AND scale.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
    QUALIFY row_number() OVER (PARTITION BY stay.stay_id ORDER BY scale.gcs, scale.charttime DESC) = 1
)

SELECT
    stay.subject_id,
    stay.stay_id,
    lowest.gcs AS gcs_min,
    lowest.gcs_motor,
    lowest.gcs_verbal,
    lowest.gcs_eyes,
    lowest.gcs_unable
FROM mimiciv_icu.icustays AS stay
LEFT JOIN lowest ON stay.stay_id = lowest.stay_id
ORDER BY stay.stay_id
