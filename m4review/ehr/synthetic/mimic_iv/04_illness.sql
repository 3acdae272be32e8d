-- Illness: how sick each stay is, organ by organ, and what support it gets. Everything charted later follows from here.

CREATE TABLE illness AS
WITH severity AS (
    SELECT
        *,
        CAST(los * 24 AS DOUBLE) AS hours,
        (chance(stay_no, 'severity') + chance(stay_no, 'severity too')) / 2 AS severity,
        greatest(42, least(160, round(normal(patient_no, 'weight', 82, 19), 1))) AS weight,
        chance(patient_no, 'renal_disease') < 0.14 AS chronic_kidney_disease,
        chance(patient_no, 'severe_liver_disease') < 0.06 AS cirrhosis
    FROM icustays
),

organs AS (
    SELECT
        *,
        organ_level(stay_no, 'lungs', severity) AS lungs,
        organ_level(stay_no, 'clotting', severity - 0.1) AS clotting,
        organ_level(stay_no, 'liver', severity - 0.2 + 0.5 * CAST(cirrhosis AS INTEGER)) AS liver,
        organ_level(stay_no, 'circulation', severity) AS circulation,
        organ_level(stay_no, 'brain', severity) AS brain,
        organ_level(stay_no, 'kidneys', severity - 0.05 + 0.6 * CAST(chronic_kidney_disease AS INTEGER)) AS kidneys,
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
        chance(stay_no, 'arterial line') < 0.15 + 0.12 * circulation AS arterial_line,
        -- what brings some of them in: each of these is seen in a few of a hundred
        CASE
            WHEN chance(stay_no, 'rhythm') < 0.02 THEN 'slow'
            WHEN chance(stay_no, 'rhythm') < 0.09 THEN 'fast'
            ELSE 'sinus'
        END AS rhythm,
        CASE
            WHEN chance(stay_no, 'crisis') < 0.02 THEN 'collapse'
            WHEN chance(stay_no, 'crisis') < 0.15 AND circulation = 0 THEN 'hypertensive'
        END AS pressure_crisis,
        CASE
            WHEN chance(stay_no, 'breathing') < 0.015 THEN 'slow'
            WHEN chance(stay_no, 'breathing') < 0.06 + 0.03 * lungs THEN 'fast'
        END AS breathing_crisis,
        CASE
            WHEN chance(stay_no, 'acid or base') < 0.06 + 0.05 * circulation + 0.04 * kidneys THEN 'metabolic acidosis'
            WHEN chance(stay_no, 'acid or base') > 0.96 THEN 'metabolic alkalosis'
            WHEN chance(stay_no, 'acid or base') > 0.90 THEN 'respiratory alkalosis'
            WHEN chance(stay_no, 'acid or base') > 0.87 - 0.03 * lungs THEN 'respiratory acidosis'
            ELSE 'balanced'
        END AS acid_base,
        CASE
            WHEN chance(stay_no, 'salt') < 0.06 THEN level_value(stay_no, 'low sodium', 112, 129, 0)
            WHEN chance(stay_no, 'salt') > 0.95 THEN level_value(stay_no, 'high sodium', 145, 165, 0)
            ELSE round(normal(stay_no, 'usual sodium', 139, 3))
        END AS usual_sodium,
        CASE
            WHEN chance(stay_no, 'sugar') < 0.03 THEN level_value(stay_no, 'low sugar', 24, 60, 0)
            WHEN chance(stay_no, 'sugar') > 0.96 THEN level_value(stay_no, 'high sugar', 300, 720, 0)
        END AS extreme_glucose,
        CASE
            WHEN chance(stay_no, 'potash') < 0.05 THEN level_value(stay_no, 'low potassium', 2.4, 3.1, 1)
            WHEN chance(stay_no, 'potash') > 0.93 THEN level_value(stay_no, 'high potassium', 5.0, 7.1, 1)
        END AS extreme_potassium,
        uniform(stay_no, 'crisis hour', 0.5, least(hours - 1, 22)) AS crisis_hour
    FROM organs
)

SELECT
    *,
    CASE WHEN support = 'ventilator' THEN uniform(stay_no, 'intubation', -3, 4) END AS intubated_at,
    CASE
        WHEN support = 'ventilator' THEN greatest(5, least(hours - 1, exp(normal(stay_no, 'extubation', 3.2, 0.8))))
    END AS extubated_at,
    normal(stay_no, 'heart rate', 72 + 8 * CAST(inflamed AS INTEGER) + 14 * severity, 8)
    - CASE WHEN rhythm = 'slow' THEN 22 ELSE 0 END AS usual_heart_rate,
    CASE rhythm
        WHEN 'slow' THEN level_value(stay_no, 'slowest', 26, 49, 0)
        WHEN 'fast' THEN level_value(stay_no, 'fastest', 118, 186, 0)
    END AS extreme_heart_rate,
    CASE breathing_crisis
        WHEN 'slow' THEN level_value(stay_no, 'fewest breaths', 3, 9, 0)
        WHEN 'fast' THEN level_value(stay_no, 'most breaths', 26, 54, 0)
    END AS extreme_breaths,
    normal(stay_no, 'breaths', 14 + 2 * CAST(inflamed AS INTEGER) + 3 * severity, 1.8) AS usual_breaths,
    CASE
        WHEN chance(stay_no, 'exposure') < 0.025 THEN level_value(stay_no, 'cooled', 31.6, 34.4, 1)
        WHEN chance(stay_no, 'exposure') > 0.975 THEN level_value(stay_no, 'heat', 39.9, 41.2, 1)
        WHEN inflamed AND chance(stay_no, 'fever') < 0.45 THEN level_value(stay_no, 'fever height', 38.0, 39.9, 1)
        WHEN inflamed AND chance(stay_no, 'fever') < 0.60 THEN level_value(stay_no, 'cold', 34.4, 36.0, 1)
        ELSE round(normal(stay_no, 'temperature', 36.9, 0.25), 1)
    END AS extreme_temperature,
    uniform(stay_no, 'fever hour', 0, least(hours, 26)) AS extreme_temperature_hour,
    CASE
        WHEN pressure_crisis = 'collapse' THEN level_value(stay_no, 'collapse', 14, 49, 0)
        WHEN pressure_crisis = 'hypertensive' THEN round(uniform(stay_no, 'pressure', 80, 100))
        WHEN circulation = 0 THEN level_value(stay_no, 'pressure', 70, 82, 0)
        ELSE level_value(stay_no, 'low pressure', 50, 69, 0)
    END AS lowest_pressure,
    CASE WHEN pressure_crisis = 'hypertensive' THEN level_value(stay_no, 'highest pressure', 118, 160, 0) END
        AS highest_pressure,
    uniform(stay_no, 'pressure hour', 0, least(hours, 24)) AS lowest_pressure_hour,
    CASE brain
        WHEN 0 THEN 15
        WHEN 1 THEN 13 + CAST(chance(stay_no, 'coma') < 0.6 AS INTEGER)
        WHEN 2 THEN 10 + CAST(floor(uniform(stay_no, 'coma', 0, 3)) AS INTEGER)
        WHEN 3 THEN 6 + CAST(floor(uniform(stay_no, 'coma', 0, 4)) AS INTEGER)
        ELSE 3 + CAST(floor(uniform(stay_no, 'coma', 0, 3)) AS INTEGER)
    END AS worst_coma,
    CASE kidneys
        WHEN 0 THEN level_value(stay_no, 'creatinine', 0.3, 1.1, 1)
        WHEN 1 THEN level_value(stay_no, 'creatinine', 1.2, 1.9, 1)
        WHEN 2 THEN level_value(stay_no, 'creatinine', 2.0, 3.4, 1)
        WHEN 3 THEN level_value(stay_no, 'creatinine', 3.5, 4.9, 1)
        ELSE level_value(stay_no, 'creatinine', 5.0, 8.8, 1)
    END AS highest_creatinine,
    -- before the illness, as a share of the highest value: chronic disease is there before
    CASE
        WHEN kidneys = 0 THEN uniform(stay_no, 'creatinine before', 0.8, 1)
        WHEN chronic_kidney_disease THEN uniform(stay_no, 'creatinine before', 0.5, 0.97)
        WHEN kidneys = 1 THEN uniform(stay_no, 'creatinine before', 0.4, 0.95)
        ELSE uniform(stay_no, 'creatinine before', 0.5, 1.2) / (2 * kidneys - 1)
    END AS creatinine_share_before,
    uniform(stay_no, 'creatinine peak', -3, 26) AS creatinine_peak_hour,
    uniform(stay_no, 'recovery', 60, 300) AS recovery_hours,
    CASE
        WHEN kidneys = 4 AND chance(stay_no, 'oliguria') > 0.75 THEN 0
        WHEN chance(stay_no, 'oliguria') > 0.99 THEN uniform(stay_no, 'diabetes insipidus', 6000, 11000)
        WHEN chance(stay_no, 'oliguria') > 0.96 THEN uniform(stay_no, 'polyuria', 3500, 6500)
        WHEN kidneys >= 3 AND chance(stay_no, 'oliguria') < 0.5 THEN level_value(stay_no, 'oliguria', 20, 490, 0)
        WHEN chance(stay_no, 'oliguria') < 0.06 THEN level_value(stay_no, 'little urine', 200, 500, 0)
        ELSE weight * 24 * uniform(stay_no, 'urine', 0.5, 1.6)
    END AS urine_per_day,
    -- hours of less urine, as in shock or after a long operation; 0 for most
    CASE WHEN chance(stay_no, 'dry') < 0.3 THEN uniform(stay_no, 'dry hours', 5, 30) ELSE 0 END AS dry_hours,
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
        WHEN inflamed AND chance(stay_no, 'white cells') < 0.10 THEN level_value(stay_no, 'leukaemoid', 20.0, 36.0, 1)
        WHEN inflamed AND chance(stay_no, 'white cells') < 0.65 THEN level_value(stay_no, 'leukocytosis', 12.0, 24.0, 1)
        WHEN chance(stay_no, 'white cells') > 0.93 THEN level_value(stay_no, 'leukopenia', 0.2, 4.0, 1)
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
