-- urine_output_rate: urine volume and rate over the last 6, 12 and 24 hours, by the clock.
--
-- grain:   one row per row of urine_output whose stay has a heart rate within a month of the stay
-- sources: urine_output, weight_durations, mimiciv_icu.icustays, mimiciv_icu.chartevents 220045 Heart Rate
-- window:  volumes charted up to 5, 11 and 23 hours before, each standing for the hour before it: hour boundaries
--          crossed for the first two, within 23 hours of exact time for all three. Collection time of a volume:
--          minute boundaries crossed since the volume before, or since the first heart rate
-- units:   mL, kg, hours, mL/kg/h; hours are rounded to 6 decimals before use and put out with 2, rates with 4, each
--          half away from zero after 9 decimals
-- rules:   a rate needs a weight and at least 6, 12 or 24 hours of collection time
-- edges:   a weight holds for start < charting time <= end; urine before the first heart rate has a negative
--          collection time; a missing volume adds nothing
-- ties:    volumes are added from the newest to the oldest
-- differs: the reference urine-output-rate takes exact time and 3 decimals; hourly SOFA reads this table
-- source:  KDIGO AKI Work Group. Kidney Int Suppl 2012;2:1-138; Kellum JA et al. J Am Soc Nephrol
--          2015;26:2231-2238

WITH first_heart_rate AS (
    SELECT
        stay.stay_id,
        min(charted.charttime) AS intime_hr
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_icu.chartevents AS charted
        ON
            stay.stay_id = charted.stay_id
            AND charted.itemid = 220045
            AND charted.charttime > stay.intime - INTERVAL 1 MONTH
            AND charted.charttime < stay.outtime + INTERVAL 1 MONTH
    GROUP BY stay.stay_id
),

collection AS (
    SELECT
        urine.stay_id,
        urine.charttime,
        urine.urineoutput,
        date_diff(
            'minute',
            lag(urine.charttime, 1, first_heart_rate.intime_hr)
                OVER (PARTITION BY urine.stay_id ORDER BY urine.charttime),
            urine.charttime
        ) AS minutes
    FROM mimiciv_derived.urine_output AS urine
    INNER JOIN first_heart_rate ON urine.stay_id = first_heart_rate.stay_id
),

look_back AS (
    SELECT
        stay_id,
        charttime,
        urineoutput,
        list({'charttime': charttime, 'urineoutput': urineoutput, 'minutes': minutes}) OVER (
            PARTITION BY stay_id
            ORDER BY charttime DESC
            RANGE BETWEEN CURRENT ROW AND INTERVAL 23 HOUR FOLLOWING
        ) AS newest_to_oldest
    FROM collection
),

within_hours AS (
    SELECT
        stay_id,
        charttime,
        urineoutput,
        [past FOR past IN newest_to_oldest IF date_diff('hour', past.charttime, charttime) <= 5] AS within_6hr,
        [past FOR past IN newest_to_oldest IF date_diff('hour', past.charttime, charttime) <= 11] AS within_12hr,
        newest_to_oldest AS within_24hr
    FROM look_back
),

totals AS (
    SELECT
        stay_id,
        charttime,
        urineoutput AS uo,
        list_sum([past.urineoutput FOR past IN within_6hr]) AS urineoutput_6hr,
        list_sum([past.urineoutput FOR past IN within_12hr]) AS urineoutput_12hr,
        list_sum([past.urineoutput FOR past IN within_24hr]) AS urineoutput_24hr,
        round(CAST(list_sum([past.minutes FOR past IN within_6hr]) / 60 AS DECIMAL(38, 9)), 6) AS uo_tm_6hr,
        round(CAST(list_sum([past.minutes FOR past IN within_12hr]) / 60 AS DECIMAL(38, 9)), 6) AS uo_tm_12hr,
        round(CAST(list_sum([past.minutes FOR past IN within_24hr]) / 60 AS DECIMAL(38, 9)), 6) AS uo_tm_24hr
    FROM within_hours
)

SELECT
    totals.stay_id,
    totals.charttime,
    body.weight,
    totals.uo,
    totals.urineoutput_6hr,
    totals.urineoutput_12hr,
    totals.urineoutput_24hr,
    CASE
        WHEN totals.uo_tm_6hr >= 6
            THEN round(CAST(totals.urineoutput_6hr / body.weight / totals.uo_tm_6hr AS DECIMAL(38, 9)), 4)
    END AS uo_mlkghr_6hr,
    CASE
        WHEN totals.uo_tm_12hr >= 12
            THEN round(CAST(totals.urineoutput_12hr / body.weight / totals.uo_tm_12hr AS DECIMAL(38, 9)), 4)
    END AS uo_mlkghr_12hr,
    CASE
        WHEN totals.uo_tm_24hr >= 24
            THEN round(CAST(totals.urineoutput_24hr / body.weight / totals.uo_tm_24hr AS DECIMAL(38, 9)), 4)
    END AS uo_mlkghr_24hr,
    round(totals.uo_tm_6hr, 2) AS uo_tm_6hr,
    round(totals.uo_tm_12hr, 2) AS uo_tm_12hr,
    round(totals.uo_tm_24hr, 2) AS uo_tm_24hr
FROM totals
LEFT JOIN mimiciv_derived.weight_durations AS body
    ON
        totals.stay_id = body.stay_id
        AND totals.charttime > body.starttime
        AND totals.charttime <= body.endtime
        AND body.weight > 0
ORDER BY totals.stay_id, totals.charttime
