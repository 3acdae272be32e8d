-- icustay_times: the span of an ICU stay by its heart-rate charting.
--
-- grain:   one row per ICU stay; missing times where no heart rate was charted
-- sources: mimiciv_icu.icustays, mimiciv_icu.chartevents 220045 Heart Rate
-- window:  none; every heart-rate row of the stay counts, whatever its value

WITH heart_rate AS (
    SELECT
        stay_id,
        min(charttime) AS first_time,
        max(charttime) AS last_time
    FROM mimiciv_icu.chartevents
    WHERE itemid = 220045
    GROUP BY stay_id
)

SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    heart_rate.first_time AS intime_hr,
    heart_rate.last_time AS outtime_hr
FROM mimiciv_icu.icustays AS stay
LEFT JOIN heart_rate ON stay.stay_id = heart_rate.stay_id
ORDER BY stay.stay_id
