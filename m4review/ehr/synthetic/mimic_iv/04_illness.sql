-- Illness: how sick each stay is, organ by organ, and what support it gets. Everything charted later follows from here.

CREATE TABLE illness AS
WITH severity AS (
    SELECT
        *,
        CAST(los * 24 AS DOUBLE) AS hours,
        (chance(stay_no, 'severity') + chance(stay_no, 'severity too')) / 2 AS severity,
        greatest(42, least(160, round(normal(patient_no, 'weight', 82, 19), 1))) AS weight
    FROM icustays
),

organs AS (
    SELECT
        *,
        organ_level(stay_no, 'lungs', severity) AS lungs,
        organ_level(stay_no, 'clotting', severity - 0.1) AS clotting,
        organ_level(stay_no, 'liver', severity - 0.2) AS liver,
        organ_level(stay_no, 'circulation', severity) AS circulation,
        organ_level(stay_no, 'brain', severity) AS brain,
        organ_level(stay_no, 'kidneys', severity - 0.05) AS kidneys,
        chance(stay_no, 'inflammation') < 0.3 + 0.4 * severity AS inflamed
    FROM severity
),

supported AS (
    SELECT
        *,
        CASE
            WHEN lungs >= 3 OR brain = 4 THEN 'ventilator'
            WHEN chance(stay_no, 'support') < 0.12 + 0.2 * severity THEN 'ventilator'
            WHEN chance(stay_no, 'support') < 0.16 + 0.2 * severity THEN 'tracheostomy'
            WHEN lungs = 2 THEN one_of(stay_no, 'mask', ['bilevel', 'high flow', 'high flow', 'mask'])
            WHEN lungs = 1 THEN one_of(stay_no, 'oxygen', ['mask', 'cannula', 'cannula'])
            ELSE one_of(stay_no, 'air', ['cannula', 'air', 'air'])
        END AS support,
        chance(stay_no, 'arterial line') < 0.15 + 0.12 * circulation AS arterial_line
    FROM organs
)

SELECT
    *,
    CASE WHEN support = 'ventilator' THEN uniform(stay_no, 'intubation', -3, 4) END AS intubated_at,
    CASE
        WHEN support = 'ventilator' THEN greatest(5, least(hours - 1, exp(normal(stay_no, 'extubation', 3.2, 0.8))))
    END AS extubated_at,
    normal(stay_no, 'heart rate', 72 + 8 * CAST(inflamed AS INTEGER) + 14 * severity, 8) AS usual_heart_rate,
    normal(stay_no, 'breaths', 14 + 2 * CAST(inflamed AS INTEGER) + 3 * severity, 1.8) AS usual_breaths,
    CASE
        WHEN inflamed AND chance(stay_no, 'fever') < 0.45 THEN level_value(stay_no, 'fever height', 38.0, 39.9, 1)
        WHEN inflamed AND chance(stay_no, 'fever') < 0.60 THEN level_value(stay_no, 'cold', 34.4, 36.0, 1)
        ELSE round(normal(stay_no, 'temperature', 36.9, 0.25), 1)
    END AS extreme_temperature,
    uniform(stay_no, 'fever hour', 0, least(hours, 26)) AS extreme_temperature_hour,
    CASE
        WHEN circulation = 0 THEN level_value(stay_no, 'pressure', 70, 82, 0)
        ELSE level_value(stay_no, 'low pressure', 50, 69, 0)
    END AS lowest_pressure,
    uniform(stay_no, 'pressure hour', 0, least(hours, 24)) AS lowest_pressure_hour,
    CASE brain
        WHEN 0 THEN 15
        WHEN 1 THEN 13 + CAST(chance(stay_no, 'coma') < 0.6 AS INTEGER)
        WHEN 2 THEN 10 + CAST(floor(uniform(stay_no, 'coma', 0, 3)) AS INTEGER)
        WHEN 3 THEN 6 + CAST(floor(uniform(stay_no, 'coma', 0, 4)) AS INTEGER)
        ELSE 3 + CAST(floor(uniform(stay_no, 'coma', 0, 3)) AS INTEGER)
    END AS worst_coma,
    CASE kidneys
        WHEN 0 THEN level_value(stay_no, 'creatinine', 0.5, 1.1, 1)
        WHEN 1 THEN level_value(stay_no, 'creatinine', 1.2, 1.9, 1)
        WHEN 2 THEN level_value(stay_no, 'creatinine', 2.0, 3.4, 1)
        WHEN 3 THEN level_value(stay_no, 'creatinine', 3.5, 4.9, 1)
        ELSE level_value(stay_no, 'creatinine', 5.0, 8.8, 1)
    END AS highest_creatinine,
    CASE
        WHEN kidneys >= 3 AND chance(stay_no, 'oliguria') < 0.5 THEN level_value(stay_no, 'oliguria', 20, 490, 0)
        WHEN chance(stay_no, 'oliguria') < 0.06 THEN level_value(stay_no, 'little urine', 200, 500, 0)
        ELSE weight * 24 * uniform(stay_no, 'urine', 0.5, 1.6)
    END AS urine_per_day,
    CASE liver
        WHEN 0 THEN level_value(stay_no, 'bilirubin', 0.2, 1.1, 1)
        WHEN 1 THEN level_value(stay_no, 'bilirubin', 1.2, 1.9, 1)
        WHEN 2 THEN level_value(stay_no, 'bilirubin', 2.0, 5.9, 1)
        WHEN 3 THEN level_value(stay_no, 'bilirubin', 6.0, 11.9, 1)
        ELSE level_value(stay_no, 'bilirubin', 12.0, 28.0, 1)
    END AS highest_bilirubin,
    CASE clotting
        WHEN 0 THEN level_value(stay_no, 'platelets', 150, 360, 0)
        WHEN 1 THEN level_value(stay_no, 'platelets', 100, 149, 0)
        WHEN 2 THEN level_value(stay_no, 'platelets', 50, 99, 0)
        WHEN 3 THEN level_value(stay_no, 'platelets', 20, 49, 0)
        ELSE level_value(stay_no, 'platelets', 6, 19, 0)
    END AS lowest_platelets,
    CASE
        WHEN inflamed AND chance(stay_no, 'white cells') < 0.65 THEN level_value(stay_no, 'leukocytosis', 12.0, 24.0, 1)
        WHEN chance(stay_no, 'white cells') > 0.93 THEN level_value(stay_no, 'leukopenia', 0.8, 4.0, 1)
        ELSE round(normal(stay_no, 'white cells normal', 8.2, 1.6), 1)
    END AS extreme_white_cells,
    CASE lungs
        WHEN 0 THEN level_value(stay_no, 'ratio', 400, 520, 0)
        WHEN 1 THEN level_value(stay_no, 'ratio', 300, 399, 0)
        WHEN 2 THEN level_value(stay_no, 'ratio', 200, 299, 0)
        WHEN 3 THEN level_value(stay_no, 'ratio', 100, 199, 0)
        ELSE level_value(stay_no, 'ratio', 58, 99, 0)
    END AS lowest_ratio
FROM supported;
