-- urine_output: urine volume per charting time.
--
-- grain:   one row per (stay_id, charttime)
-- sources: mimiciv_icu.outputevents
-- units:   mL
-- rules:   irrigant that went in (227488) is subtracted; no outlier filter, a sum may be negative;
--          a time with only missing volumes has a missing sum
-- ties:    volumes are added in ascending order

WITH volumes AS (
    SELECT
        stay_id,
        charttime,
        CASE WHEN itemid = 227488 AND value > 0 THEN -1 * value ELSE value END AS volume
    FROM mimiciv_icu.outputevents
    WHERE
        itemid IN (
            226559, 226560, 226561, 226584,          -- Foley, Void, Condom Cath, Ileoconduit
            226563, 226564, 226565, 226567,          -- Suprapubic, R and L Nephrostomy, Straight Cath
            226557, 226558,                          -- R and L Ureteral Stent
            227488, 227489                           -- GU Irrigant Volume In, GU Irrigant/Urine Volume Out
        )
)

SELECT
    stay_id,
    charttime,
    list_sum(list_sort(list(volume))) AS urineoutput
FROM volumes
GROUP BY stay_id, charttime
ORDER BY stay_id, charttime
