-- urine-output-rate: urine volume and rate over the last 6, 12 and 24 hours, in exact time.
--
-- grain:   one row per row of urine_output whose stay has a heart rate within a month of the stay
-- sources: urine_output, weight_durations, mimiciv_icu.icustays, mimiciv_icu.chartevents 220045 Heart Rate
-- window:  volumes charted up to 5, 11 and 23 hours before, both ends included, each standing for the hour before it.
--          Collection time of a volume: minutes since the volume before, or since the first heart rate, not rounded.
--          The heart rate must lie after ICU admission - 1 month and before ICU discharge + 1 month
-- units:   mL, kg, hours with 2 decimals, mL/kg/h with 3 decimals; both half away from zero after 3 decimals
-- rules:   a rate needs a weight and at least 6, 12 or 24 hours of collection time
-- edges:   a weight holds for start < charting time <= end; urine before the first heart rate has a negative
--          collection time; a missing volume adds nothing; no cap on the collection time
-- ties:    volumes and minutes are added from the newest to the oldest, which decides their last digit and with it
--          whether 24 hours are reached
-- differs: the concept urine_output_rate counts clock hours and minutes
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
        (
            epoch_us(urine.charttime)
            - epoch_us(
                lag(urine.charttime, 1, first_heart_rate.intime_hr)
                    OVER (PARTITION BY urine.stay_id ORDER BY urine.charttime)
            )
        ) / 60000000 AS minutes
    FROM mimiciv_derived.urine_output AS urine
    INNER JOIN first_heart_rate ON urine.stay_id = first_heart_rate.stay_id
),

totals AS (
    SELECT
        stay_id,
        charttime,
        urineoutput AS uo,
        list_sum(list(urineoutput) OVER within_6hr) AS urineoutput_6hr,
        list_sum(list(urineoutput) OVER within_12hr) AS urineoutput_12hr,
        list_sum(list(urineoutput) OVER within_24hr) AS urineoutput_24hr,
        list_sum(list(minutes) OVER within_6hr) / 60 AS hours_6hr,
        list_sum(list(minutes) OVER within_12hr) / 60 AS hours_12hr,
        list_sum(list(minutes) OVER within_24hr) / 60 AS hours_24hr
    FROM collection
    WINDOW
        within_6hr AS (
            PARTITION BY stay_id ORDER BY charttime DESC
            RANGE BETWEEN CURRENT ROW AND INTERVAL 5 HOUR FOLLOWING
        ),
        within_12hr AS (
            PARTITION BY stay_id ORDER BY charttime DESC
            RANGE BETWEEN CURRENT ROW AND INTERVAL 11 HOUR FOLLOWING
        ),
        within_24hr AS (
            PARTITION BY stay_id ORDER BY charttime DESC
            RANGE BETWEEN CURRENT ROW AND INTERVAL 23 HOUR FOLLOWING
        )
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
        WHEN totals.hours_6hr >= 6
            THEN TRY_CAST(totals.urineoutput_6hr / body.weight / totals.hours_6hr AS DECIMAL(18, 3))
    END AS uo_mlkghr_6hr,
    CASE
        WHEN totals.hours_12hr >= 12
            THEN TRY_CAST(totals.urineoutput_12hr / body.weight / totals.hours_12hr AS DECIMAL(18, 3))
    END AS uo_mlkghr_12hr,
    CASE
        WHEN totals.hours_24hr >= 24
            THEN TRY_CAST(totals.urineoutput_24hr / body.weight / totals.hours_24hr AS DECIMAL(18, 3))
    END AS uo_mlkghr_24hr,
    round(TRY_CAST(totals.hours_6hr AS DECIMAL(18, 3)), 2) AS uo_tm_6hr,
    round(TRY_CAST(totals.hours_12hr AS DECIMAL(18, 3)), 2) AS uo_tm_12hr,
    round(TRY_CAST(totals.hours_24hr AS DECIMAL(18, 3)), 2) AS uo_tm_24hr
FROM totals
LEFT JOIN mimiciv_derived.weight_durations AS body
    ON
        totals.stay_id = body.stay_id
        AND totals.charttime > body.starttime
        AND totals.charttime <= body.endtime
        AND body.weight > 0
ORDER BY totals.stay_id, totals.charttime
