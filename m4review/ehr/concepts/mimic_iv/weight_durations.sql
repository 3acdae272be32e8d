-- weight_durations: the body weight that holds over each part of an ICU stay.
--
-- grain:   one row per stay and weight interval; intervals of a stay do not overlap
-- sources: mimiciv_icu.chartevents 226512 Admission Weight (Kg), 224639 Daily Weight; mimiciv_icu.icustays
-- window:  a weight holds from its charting to the next one, the last to ICU discharge + 2 h; the first admission
--          weight already from ICU admission - 2 h. When the first interval starts after ICU admission, one more
--          interval with the same weight reaches back to ICU admission - 2 h.
-- units:   kg, charted value above 0 and below 1500, taken to 9 and then rounded to 3 decimals, half away from zero
-- ties:    admission weights are numbered by charting time, then weight; of intervals with one start the admission
--          weight comes first and gets the empty interval, then the earlier charted, then the lower weight. The
--          public concept leaves this order open: cells of equal starts are to be left out of a comparison with it.

WITH charted_weight AS (
    SELECT
        stay_id,
        charttime,
        CASE WHEN itemid = 226512 THEN 'admit' ELSE 'daily' END AS weight_type,
        round(CAST(valuenum AS DECIMAL(38, 9)), 3) AS weight
    FROM mimiciv_icu.chartevents
    WHERE
        itemid IN (226512, 224639)
        AND valuenum > 0
        AND valuenum < 1500
),

numbered_weight AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY stay_id, weight_type ORDER BY charttime, weight) AS number_of_type
    FROM charted_weight
),

dated_weight AS (
    SELECT
        stay.stay_id,
        stay.intime,
        stay.outtime,
        numbered_weight.charttime,
        numbered_weight.weight,
        numbered_weight.weight_type,
        CASE
            WHEN numbered_weight.weight_type = 'admit' AND numbered_weight.number_of_type = 1
                THEN stay.intime - INTERVAL 2 HOUR
            ELSE numbered_weight.charttime
        END AS starttime
    FROM numbered_weight
    INNER JOIN mimiciv_icu.icustays AS stay ON numbered_weight.stay_id = stay.stay_id
),

weight_interval AS (
    SELECT
        stay_id,
        intime,
        starttime,
        coalesce(lead(starttime) OVER by_start, outtime + INTERVAL 2 HOUR) AS endtime,
        weight,
        weight_type,
        row_number() OVER by_start AS position
    FROM dated_weight
    WINDOW by_start AS (PARTITION BY stay_id ORDER BY starttime, weight_type, charttime, weight)
),

interval_before_first AS (
    SELECT
        stay_id,
        intime - INTERVAL 2 HOUR AS starttime,
        starttime AS endtime,
        weight,
        weight_type
    FROM weight_interval
    WHERE position = 1 AND intime < starttime
)

SELECT
    stay_id,
    starttime,
    endtime,
    weight,
    weight_type
FROM weight_interval
UNION ALL
SELECT
    stay_id,
    starttime,
    endtime,
    weight,
    weight_type
FROM interval_before_first
ORDER BY stay_id, starttime, endtime, weight_type, weight
