-- gcs: Glasgow Coma Scale with the previous charting carried forward once.
--
-- grain:   one row per (subject_id, stay_id, charttime) with any of the three parts charted
-- sources: mimiciv_icu.chartevents 223900 verbal, 223901 motor, 220739 eyes
-- window:  a missing part is taken from the row just before, if that row is less than 6 h older (strictly);
--          only what was charted in that row counts, nothing is carried twice
-- rules:   the verbal text "No Response-ETT" reads as 0 and makes the whole scale 15, now or when carried forward;
--          after a row with verbal 0, a charted verbal is added to the current parts alone;
--          a part that stays missing counts as normal (motor 6, verbal 5, eyes 4) in the sum, but is output as missing
-- source:  Teasdale G, Jennett B. Lancet 1974;304:81-84

WITH charted AS (
    SELECT
        subject_id,
        stay_id,
        charttime,
        max(valuenum) FILTER (itemid = 223901) AS motor,
        max(CASE WHEN value = 'No Response-ETT' THEN 0 ELSE valuenum END) FILTER (itemid = 223900) AS verbal,
        max(valuenum) FILTER (itemid = 220739) AS eyes,
        CAST(coalesce(bool_or(value = 'No Response-ETT') FILTER (itemid = 223900), false) AS INTEGER) AS intubated
    FROM mimiciv_icu.chartevents
    WHERE itemid IN (223900, 223901, 220739)
    GROUP BY subject_id, stay_id, charttime
),

with_row_before AS (
    SELECT
        *,
        lag(charttime) OVER in_time_order > charttime - INTERVAL 6 HOUR AS before_is_recent,
        CASE WHEN before_is_recent THEN lag(motor) OVER in_time_order END AS motor_before,
        CASE WHEN before_is_recent THEN lag(verbal) OVER in_time_order END AS verbal_before,
        CASE WHEN before_is_recent THEN lag(eyes) OVER in_time_order END AS eyes_before
    FROM charted
    WINDOW in_time_order AS (PARTITION BY stay_id ORDER BY charttime, subject_id)
)

SELECT
    subject_id,
    stay_id,
    charttime,
    CASE
        WHEN verbal = 0 THEN 15
        WHEN verbal IS NULL AND verbal_before = 0 THEN 15
        WHEN verbal_before = 0 THEN coalesce(motor, 6) + coalesce(verbal, 5) + coalesce(eyes, 4)
        ELSE
            coalesce(motor, motor_before, 6)
            + coalesce(verbal, verbal_before, 5)
            + coalesce(eyes, eyes_before, 4)
    END AS gcs,
    coalesce(motor, motor_before) AS gcs_motor,
    coalesce(verbal, verbal_before) AS gcs_verbal,
    coalesce(eyes, eyes_before) AS gcs_eyes,
    intubated AS gcs_unable
FROM with_row_before
ORDER BY stay_id, charttime
