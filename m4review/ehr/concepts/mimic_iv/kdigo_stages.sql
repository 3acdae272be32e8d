-- kdigo_stages: KDIGO stage of acute kidney injury over time.
--
-- grain:   one row per stay and time of a creatinine, urine or CRRT charting; a stay without creatinine has one more
--          row without a time
-- sources: mimiciv_icu.icustays, kdigo_creatinine, kdigo_uo, crrt
-- window:  as in the sources; the smoothed stage is the highest of the patient in the 6 hours before, by the seconds
--          since each stay's admission
-- units:   mg/dL, mL/kg/h
-- rules:   creatinine and urine stage: the first line that fits; a missing part makes its comparison fail. A
--          creatinine of 4 or more is stage 3 only with a rise of 0.3 in 48 h or 1.5-fold in 7 days. Urine needs the
--          6-hour rate and a time more than 6 hours after ICU admission; anuria is a 12-hour rate of exactly 0. CRRT
--          is stage 3.
-- edges:   sums and products are binary doubles, so 1.4 is no rise of 0.3 over 1.1
-- source:  KDIGO AKI Work Group. Kidney Int Suppl 2012;2:1-138; Kellum JA, Lameire N. Crit Care 2013;17:204

WITH creatinine_stage AS (
    SELECT
        *,
        CASE
            WHEN creat >= creat_low_past_7day * 3.0 THEN 3
            WHEN creat >= 4 AND (creat >= creat_low_past_48hr + 0.3 OR creat >= 1.5 * creat_low_past_7day) THEN 3
            WHEN creat >= creat_low_past_7day * 2.0 THEN 2
            WHEN creat >= creat_low_past_48hr + 0.3 THEN 1
            WHEN creat >= creat_low_past_7day * 1.5 THEN 1
            ELSE 0
        END AS stage
    FROM mimiciv_derived.kdigo_creatinine
),

urine_stage AS (
    SELECT
        urine.*,
        CASE
            WHEN urine.uo_rt_6hr IS NULL THEN NULL
            WHEN urine.charttime <= stay.intime + INTERVAL 6 HOUR THEN 0
            WHEN urine.uo_tm_24hr >= 24 AND urine.uo_rt_24hr < 0.3 THEN 3
            WHEN urine.uo_tm_12hr >= 12 AND urine.uo_rt_12hr = 0 THEN 3
            WHEN urine.uo_tm_12hr >= 12 AND urine.uo_rt_12hr < 0.5 THEN 2
            WHEN urine.uo_tm_6hr >= 6 AND urine.uo_rt_6hr < 0.5 THEN 1
            ELSE 0
        END AS stage
    FROM mimiciv_derived.kdigo_uo AS urine
    INNER JOIN mimiciv_icu.icustays AS stay ON urine.stay_id = stay.stay_id
),

crrt_stage AS (
    SELECT
        stay_id,
        charttime,
        3 AS stage
    FROM mimiciv_derived.crrt
    WHERE crrt_mode IS NOT NULL
),

staged_time AS (
    SELECT stay_id, charttime FROM creatinine_stage
    UNION
    SELECT stay_id, charttime FROM urine_stage
    UNION
    SELECT stay_id, charttime FROM crrt_stage
),

combined AS (
    SELECT
        stay.subject_id,
        stay.hadm_id,
        stay.stay_id,
        stay.intime,
        staged_time.charttime,
        creatinine.creat_low_past_7day,
        creatinine.creat_low_past_48hr,
        creatinine.creat,
        creatinine.stage AS aki_stage_creat,
        urine.uo_rt_6hr,
        urine.uo_rt_12hr,
        urine.uo_rt_24hr,
        urine.stage AS aki_stage_uo,
        crrt.stage AS aki_stage_crrt,
        greatest(coalesce(creatinine.stage, 0), coalesce(urine.stage, 0), coalesce(crrt.stage, 0)) AS aki_stage
    FROM mimiciv_icu.icustays AS stay
    LEFT JOIN staged_time ON stay.stay_id = staged_time.stay_id
    LEFT JOIN creatinine_stage AS creatinine
        ON staged_time.stay_id = creatinine.stay_id AND staged_time.charttime = creatinine.charttime
    LEFT JOIN urine_stage AS urine
        ON staged_time.stay_id = urine.stay_id AND staged_time.charttime = urine.charttime
    LEFT JOIN crrt_stage AS crrt
        ON staged_time.stay_id = crrt.stay_id AND staged_time.charttime = crrt.charttime
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    charttime,
    creat_low_past_7day,
    creat_low_past_48hr,
    creat,
    aki_stage_creat,
    uo_rt_6hr,
    uo_rt_12hr,
    uo_rt_24hr,
    aki_stage_uo,
    aki_stage_crrt,
    aki_stage,
    max(aki_stage) OVER (
        PARTITION BY subject_id ORDER BY date_diff('second', intime, charttime)
        RANGE BETWEEN 21600 PRECEDING AND CURRENT ROW
    ) AS aki_stage_smoothed
FROM combined
ORDER BY stay_id, charttime
