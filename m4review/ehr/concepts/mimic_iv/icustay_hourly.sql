-- icustay_hourly: the hours of an ICU stay and the day before it.
--
-- grain:   one row per stay and hour; stays without heart-rate charting have none
-- sources: icustay_times
-- window:  hour 0 ends at the first heart rate, rounded up to the full hour; hours run from -24 to the number of hour
--          boundaries between the first and the last heart rate
-- units:   hours; endtime is the end of the hour

WITH first_hour AS (
    SELECT
        stay_id,
        CASE
            WHEN intime_hr = date_trunc('hour', intime_hr) THEN intime_hr
            ELSE date_trunc('hour', intime_hr) + INTERVAL 1 HOUR
        END AS endtime,
        date_diff('hour', intime_hr, outtime_hr) AS last_hour
    FROM mimiciv_derived.icustay_times
    WHERE intime_hr IS NOT NULL
),

hours AS (
    SELECT
        stay_id,
        endtime AS first_endtime,
        unnest(generate_series(-24, last_hour)) AS hr
    FROM first_hour
)

SELECT
    stay_id,
    hr,
    first_endtime + to_hours(hr) AS endtime
FROM hours
ORDER BY stay_id, hr
