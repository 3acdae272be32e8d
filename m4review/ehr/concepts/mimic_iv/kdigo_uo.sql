-- kdigo_uo: urine rates for the KDIGO stage.
--
-- grain:   one row per row of urine_output whose stay is in icustays, also before and after the stay
-- sources: urine_output, weight_durations, mimiciv_icu.icustays
-- window:  the last 6, 12 and 24 hours, both ends included. Collection time of a volume: time since the volume
--          before, for the first volume of a stay always one hour
-- units:   mL, kg, hours with 6 decimals, mL/kg/h with 4 decimals; both half away from zero after 9 decimals
-- rules:   the 6-hour rate needs a collection time of at least 6 and less than 12 hours, the others at least 12 and
--          24; every rate needs a weight. The rounded hours are compared and divided by.
-- edges:   a weight holds for start <= charting time < end; a missing volume adds nothing; a rate that is no finite
--          number is missing
-- ties:    volumes and hours are added from the oldest to the newest
-- differs: urine_output_rate looks back 5, 11 and 23 hours, by the clock, and takes weights at the other edge
-- source:  KDIGO AKI Work Group. Kidney Int Suppl 2012;2:1-138

WITH collection AS (
    SELECT
        urine.stay_id,
        urine.charttime,
        urine.urineoutput,
        coalesce(
            date_diff(
                'second',
                lag(urine.charttime) OVER (PARTITION BY urine.stay_id ORDER BY urine.charttime),
                urine.charttime
            ) / 3600,
            1
        ) AS hours
    FROM mimiciv_derived.urine_output AS urine
    INNER JOIN mimiciv_icu.icustays AS stay ON urine.stay_id = stay.stay_id
),

totals AS (
    SELECT
        stay_id,
        charttime,
        list_sum(list(urineoutput) OVER within_6hr) AS urineoutput_6hr,
        list_sum(list(urineoutput) OVER within_12hr) AS urineoutput_12hr,
        list_sum(list(urineoutput) OVER within_24hr) AS urineoutput_24hr,
        round(CAST(list_sum(list(hours) OVER within_6hr) AS DECIMAL(38, 9)), 6) AS uo_tm_6hr,
        round(CAST(list_sum(list(hours) OVER within_12hr) AS DECIMAL(38, 9)), 6) AS uo_tm_12hr,
        round(CAST(list_sum(list(hours) OVER within_24hr) AS DECIMAL(38, 9)), 6) AS uo_tm_24hr
    FROM collection
    WINDOW
        within_6hr AS (
            PARTITION BY stay_id ORDER BY charttime
            RANGE BETWEEN INTERVAL 6 HOUR PRECEDING AND CURRENT ROW
        ),
        within_12hr AS (
            PARTITION BY stay_id ORDER BY charttime
            RANGE BETWEEN INTERVAL 12 HOUR PRECEDING AND CURRENT ROW
        ),
        within_24hr AS (
            PARTITION BY stay_id ORDER BY charttime
            RANGE BETWEEN INTERVAL 24 HOUR PRECEDING AND CURRENT ROW
        )
)

SELECT
    totals.stay_id,
    totals.charttime,
    body.weight,
    totals.urineoutput_6hr,
    totals.urineoutput_12hr,
    totals.urineoutput_24hr,
    CASE
        WHEN totals.uo_tm_6hr >= 6 AND totals.uo_tm_6hr < 12
            THEN round(TRY_CAST(totals.urineoutput_6hr / body.weight / totals.uo_tm_6hr AS DECIMAL(38, 9)), 4)
    END AS uo_rt_6hr,
    CASE
        WHEN totals.uo_tm_12hr >= 12
            THEN round(TRY_CAST(totals.urineoutput_12hr / body.weight / totals.uo_tm_12hr AS DECIMAL(38, 9)), 4)
    END AS uo_rt_12hr,
    CASE
        WHEN totals.uo_tm_24hr >= 24
            THEN round(TRY_CAST(totals.urineoutput_24hr / body.weight / totals.uo_tm_24hr AS DECIMAL(38, 9)), 4)
    END AS uo_rt_24hr,
    totals.uo_tm_6hr,
    totals.uo_tm_12hr,
    totals.uo_tm_24hr
FROM totals
LEFT JOIN mimiciv_derived.weight_durations AS body
    ON
        totals.stay_id = body.stay_id
        AND totals.charttime >= body.starttime
        AND totals.charttime < body.endtime
ORDER BY totals.stay_id, totals.charttime
