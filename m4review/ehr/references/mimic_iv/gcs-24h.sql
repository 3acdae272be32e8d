-- gcs-24h: lowest Glasgow Coma Scale of the first ICU day with its parts.
--
-- grain:   one row per ICU stay, every stay
-- sources: mimiciv_icu.icustays, gcs (by stay)
-- window:  ICU admission - 6 h to + 24 h, both ends included; a part carried forward may come from before
-- units:   points; verbal 0 means untestable because of a tube
-- rules:   whatever is missing counts as normal: total 15, motor 6, verbal 5, eyes 4. The total need not be the sum
--          of the parts
-- ties:    of several rows with the lowest total the earliest, then the lowest motor, verbal and eyes part
-- differs: first_day_gcs takes the latest of several rows with the lowest total
-- source:  Teasdale G, Jennett B. Lancet 1974;304:81-84; Teasdale G et al. Lancet Neurol 2014;13:844-854

WITH lowest AS (
    SELECT
        stay.stay_id,
        scale.gcs,
        scale.gcs_motor,
        scale.gcs_verbal,
        scale.gcs_eyes
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.gcs AS scale
        ON
            stay.stay_id = scale.stay_id
            AND scale.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
    QUALIFY row_number() OVER (
        PARTITION BY stay.stay_id
        ORDER BY
            scale.gcs, scale.charttime, scale.gcs_motor, scale.gcs_verbal, scale.gcs_eyes, scale.gcs_unable
    ) = 1
)

SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    coalesce(lowest.gcs, 15) AS gcs_min,
    coalesce(lowest.gcs_motor, 6) AS gcs_motor,
    coalesce(lowest.gcs_verbal, 5) AS gcs_verbal,
    coalesce(lowest.gcs_eyes, 4) AS gcs_eyes
FROM mimiciv_icu.icustays AS stay
LEFT JOIN lowest ON stay.stay_id = lowest.stay_id
ORDER BY stay.stay_id
