-- Illness: how sick each stay is, organ by organ, and what support it gets. Everything charted later follows from here.

CREATE TABLE illness AS
WITH stay AS (
    SELECT
        stay_row.*,
        admission.* EXCLUDE (admission_no),
        hospital.*,
        141000 + stay_no * 9 + CAST(floor(uniform(stay_no, 'stay number', 0, 9)) AS BIGINT) AS patientunitstayid,
        (minute_of_day + minutes_in_hospital) % 60 AS minute_of_admission,
        CASE
            WHEN chance(patient_no, 'over 89') < 0.035 THEN 91
            ELSE CAST(greatest(18, least(89, round(normal(patient_no, 'age', 63, 17)))) AS BIGINT)
        END AS years,
        greatest(40, least(175, round(normal(patient_no, 'weight', 83, 21), 1))) AS weight
    FROM stay_row
    INNER JOIN admission USING (admission_no)
    INNER JOIN hospital ON hospital.hospital_no = floor(uniform(stay_row.patient_no, 'hospital', 0, 24))
),

organs AS (
    SELECT
        *,
        unitadmitsource IN ('Operating Room', 'Recovery Room') AS after_surgery,
        organ_level(stay_no, 'lungs', severity) AS lungs,
        organ_level(stay_no, 'circulation', severity) AS circulation,
        organ_level(stay_no, 'brain', severity) AS brain,
        organ_level(stay_no, 'kidneys', severity - 0.05) AS kidneys,
        chance(stay_no, 'inflammation') < 0.25 + 0.4 * severity AS inflamed
    FROM stay
),

supported AS (
    SELECT
        *,
        lungs = 4 OR (lungs = 3 AND chance(stay_no, 'tube') < 0.6) OR (brain = 4 AND chance(stay_no, 'tube') < 0.8)
        OR (after_surgery AND chance(stay_no, 'tube') < 0.4) OR chance(stay_no, 'tube') < 0.04 AS intubated,
        chance(stay_no, 'arterial line')
        < 0.10 + 0.10 * circulation + 0.25 * CAST(coalesce(after_surgery, false) AS INTEGER) AS arterial_line,
        coalesce(after_surgery, false) AND chance(stay_no, 'elective') < 0.62 AS elective
    FROM organs
)

SELECT
    *,
    -- most come with the tube or get it soon, some later in the stay
    CASE
        WHEN NOT coalesce(intubated, false) THEN NULL
        WHEN chance(stay_no, 'late tube') < 0.08 THEN CAST(uniform(stay_no, 'intubation', 1300, 3000) AS BIGINT)
        ELSE CAST(uniform(stay_no, 'intubation', -180, 400) AS BIGINT)
    END AS intubated_at,
    CAST(exp(normal(stay_no, 'minutes of ventilation', ln(2000), 0.9)) AS BIGINT) AS minutes_of_ventilation,

    normal(stay_no, 'heart rate', 68 + 7 * CAST(inflamed AS INTEGER) + 18 * severity, 9) AS usual_heart_rate,
    CASE
        WHEN chance(stay_no, 'rhythm') < 0.025 THEN level_value(stay_no, 'slow', 26, 32, 0)
        WHEN chance(stay_no, 'rhythm') < 0.125 THEN level_value(stay_no, 'fast', 107, 125, 0)
        WHEN chance(stay_no, 'rhythm') < 0.185 THEN level_value(stay_no, 'very fast', 126, 172, 0)
        WHEN chance(stay_no, 'rhythm') < 0.235 THEN level_value(stay_no, 'rather fast', 88, 106, 0)
    END AS heart_rate_of_event,

    CASE
        WHEN chance(stay_no, 'tachypnea') < 0.025 THEN uniform(stay_no, 'breaths', 25, 27)
        WHEN chance(stay_no, 'tachypnea') < 0.075 THEN uniform(stay_no, 'breaths', 27, 36)
        ELSE normal(stay_no, 'breaths', 15.5 + 2 * CAST(inflamed AS INTEGER) + 3 * severity, 1.7)
    END AS usual_breaths,
    CASE
        WHEN chance(stay_no, 'tachypnea') BETWEEN 0.050 AND 0.075 THEN level_value(stay_no, 'panting', 44, 56, 0)
        WHEN chance(stay_no, 'tachypnea') > 0.975 THEN level_value(stay_no, 'apnea', 2, 5, 0)
        WHEN chance(stay_no, 'tachypnea') > 0.925 THEN level_value(stay_no, 'slow breaths', 6, 12, 0)
    END AS breaths_of_event,

    -- degrees Celsius: normal, cooled after an arrest or found cold, cold after surgery, feverish
    CASE
        WHEN brain >= 3 AND chance(stay_no, 'warmth') < 0.12 THEN level_value(stay_no, 'cooled', 31.8, 33.2, 1)
        WHEN coalesce(after_surgery, false) AND chance(stay_no, 'warmth') < 0.4
            THEN level_value(stay_no, 'cold', 34.2, 35.9, 1)
        WHEN inflamed AND chance(stay_no, 'warmth') < 0.45 THEN level_value(stay_no, 'fever', 38.0, 39.8, 1)
        WHEN inflamed AND chance(stay_no, 'warmth') < 0.53 THEN level_value(stay_no, 'high fever', 39.9, 40.9, 1)
        WHEN inflamed AND chance(stay_no, 'warmth') < 0.63 THEN level_value(stay_no, 'low', 33.3, 35.9, 1)
        ELSE round(normal(stay_no, 'temperature', 36.9, 0.3), 1)
    END AS extreme_temperature,
    greatest(36.3, least(37.2, normal(stay_no, 'usual temperature', 36.72, 0.16))) AS usual_temperature,

    -- mmHg, mean arterial pressure
    CASE
        WHEN hypertensive_emergency THEN level_value(stay_no, 'crisis', 147, 168, 0)
        WHEN arterial_line AND chance(stay_no, 'damped') < 0.06 THEN level_value(stay_no, 'damped line', 7, 20, 0)
        WHEN circulation >= 3 THEN level_value(stay_no, 'shock', 34, 50, 0)
        WHEN circulation >= 1 THEN level_value(stay_no, 'low pressure', 51, 61, 0)
        ELSE level_value(stay_no, 'pressure', 62, 84, 0)
    END AS lowest_pressure,

    -- within the first day where the stay lasts that long
    floor(uniform(stay_no, 'heart hour', 1, 1 + least(minutes, 1380) / 60)) AS heart_hour,
    floor(uniform(stay_no, 'breath hour', 1, 1 + least(minutes, 1380) / 60)) AS breath_hour,
    4 * floor(uniform(stay_no, 'temperature hour', 0, 1 + least(minutes, 1200) / 240)) AS temperature_hour,
    floor(uniform(stay_no, 'pressure hour', 1, 1 + least(minutes, 1380) / 60)) AS pressure_hour,

    CASE brain
        WHEN 0 THEN 15
        WHEN 1 THEN 13 + CAST(chance(stay_no, 'coma') < 0.6 AS INTEGER)
        WHEN 2 THEN 10 + CAST(floor(uniform(stay_no, 'coma', 0, 3)) AS INTEGER)
        WHEN 3 THEN 6 + CAST(floor(uniform(stay_no, 'coma', 0, 4)) AS INTEGER)
        ELSE 3 + CAST(floor(uniform(stay_no, 'coma', 0, 3)) AS INTEGER)
    END AS worst_coma,

    -- mL
    CASE
        WHEN kidneys = 4 AND chance(stay_no, 'urine amount') < 0.25 THEN 0
        WHEN kidneys >= 3 THEN level_value(stay_no, 'oliguria', 60, 670, 0)
        WHEN chance(stay_no, 'urine amount') > 0.972 THEN level_value(stay_no, 'polyuria', 6897, 9900, 0)
        ELSE greatest(300, weight * 24 * uniform(stay_no, 'urine', 0.4, 1.7))
    END AS urine_per_day
FROM supported;
