-- suspicion-infection: antibiotic orders paired with a culture taken around their start.
--
-- grain:   one row per row of antibiotic; ab_id numbers the orders of a patient
-- sources: antibiotic, mimiciv_hosp.microbiologyevents (by patient, any admission)
-- window:  culture first: up to 72 h before the order; antibiotic first: culture less than or exactly 24 h after it.
--          A culture with only a date is compared by calendar day: 3 days before to the same day, or the same day to
--          the next. A culture timed exactly at the order start matches neither direction.
-- rules:   a culture before the order goes before one after it; an infection is suspected when the chosen culture has
--          a specimen text; its time is that of the culture taken before (midnight for a date), else that of the
--          order. A culture is positive when an organism is named with an item other than 90856 (negative); a
--          cancelled culture with an organism entry counts.
-- ties:    cultures of one direction by date, then time (a date-only one before a timed one), then the lowest
--          specimen number; orders are numbered by start, stop, drug, admission, stay and route, missing first
-- differs: the concept suspicion_of_infection, which sepsis3 reads, takes timed before date-only cultures, positive
--          ones first, and never counts a cancelled culture as positive
-- source:  Seymour CW et al. JAMA 2016;315:762-774; Singer M et al. JAMA 2016;315:801-810

WITH numbered_order AS (
    SELECT
        subject_id,
        hadm_id,
        stay_id,
        antibiotic,
        starttime AS antibiotic_time,
        date_trunc('day', starttime) AS antibiotic_day,
        row_number() OVER (
            PARTITION BY subject_id
            ORDER BY
                starttime NULLS FIRST,
                stoptime NULLS FIRST,
                antibiotic NULLS FIRST,
                hadm_id NULLS FIRST,
                stay_id NULLS FIRST,
                route NULLS FIRST
        ) AS ab_id
    FROM mimiciv_derived.antibiotic
),

culture AS (
    SELECT
        micro_specimen_id,
        max(subject_id) AS subject_id,
        date_trunc('day', CAST(max(chartdate) AS TIMESTAMP)) AS chartday,
        max(charttime) AS charttime,
        max(spec_type_desc) AS specimen,
        max(
            CASE
                WHEN org_name <> '' AND org_itemid <> 90856 THEN 1
                ELSE 0
            END
        ) AS positive
    FROM mimiciv_hosp.microbiologyevents
    GROUP BY micro_specimen_id
),

candidate AS (
    SELECT
        numbered_order.subject_id,
        numbered_order.ab_id,
        culture.micro_specimen_id,
        culture.chartday,
        culture.charttime,
        coalesce(culture.charttime, culture.chartday) AS culture_time,
        culture.specimen,
        culture.positive,
        CASE
            WHEN culture.charttime IS NOT NULL THEN
                culture.charttime < antibiotic_time AND antibiotic_time <= culture.charttime + INTERVAL 72 HOUR
            ELSE
                antibiotic_day BETWEEN culture.chartday AND culture.chartday + INTERVAL 3 DAY
        END AS taken_before,
        CASE
            WHEN culture.charttime IS NOT NULL THEN
                antibiotic_time < culture.charttime AND antibiotic_time >= culture.charttime - INTERVAL 24 HOUR
            ELSE
                antibiotic_day BETWEEN culture.chartday - INTERVAL 1 DAY AND culture.chartday
        END AS taken_after
    FROM numbered_order
    INNER JOIN culture ON numbered_order.subject_id = culture.subject_id
    WHERE taken_before OR taken_after
),

culture_before AS (
    SELECT * FROM candidate
    WHERE taken_before
    QUALIFY row_number() OVER (
        PARTITION BY subject_id, ab_id
        ORDER BY chartday NULLS FIRST, charttime NULLS FIRST, micro_specimen_id NULLS FIRST
    ) = 1
),

culture_after AS (
    SELECT * FROM candidate
    WHERE taken_after
    QUALIFY row_number() OVER (
        PARTITION BY subject_id, ab_id
        ORDER BY chartday NULLS FIRST, charttime NULLS FIRST, micro_specimen_id NULLS FIRST
    ) = 1
),

paired AS (
    SELECT
        numbered_order.*,
        culture_before.culture_time AS time_before,
        coalesce(culture_before.culture_time, culture_after.culture_time) AS culture_time,
        coalesce(culture_before.specimen, culture_after.specimen) AS specimen,
        coalesce(culture_before.positive, culture_after.positive) AS positive_culture
    FROM numbered_order
    LEFT JOIN culture_before
        ON numbered_order.subject_id = culture_before.subject_id AND numbered_order.ab_id = culture_before.ab_id
    LEFT JOIN culture_after
        ON numbered_order.subject_id = culture_after.subject_id AND numbered_order.ab_id = culture_after.ab_id
)

SELECT
    subject_id,
    stay_id,
    hadm_id,
    ab_id,
    antibiotic,
    antibiotic_time,
    CASE WHEN specimen IS NULL THEN 0 ELSE 1 END AS suspected_infection,
    CASE WHEN specimen IS NOT NULL THEN coalesce(time_before, antibiotic_time) END AS suspected_infection_time,
    culture_time,
    specimen,
    positive_culture
FROM paired
ORDER BY subject_id, ab_id
