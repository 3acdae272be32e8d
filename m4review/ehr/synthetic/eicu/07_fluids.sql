-- Fluids: urine every two hours by catheter, by shift, or once a day; drains, losses and infusions in the same
-- flowsheet under other cells; some stays have no urine charted.

CREATE VIEW output_hour AS
SELECT
    *,
    CASE
        WHEN urine_way < 0.62 THEN one_of(stay_no, 'catheter cell', [
            'Urine', 'Urine', 'Urine', 'Urine', 'Urine Output-Foley', 'Urine Output-Foley', 'Foley', 'foley cath',
            'Urine Output (mL) Urethral Catheter', 'Output (mL) Urethral Catheter Double-lumen 16 Fr.',
            'Output (ml) Indwelling Urinary Catheter', 'Urinary Catheter Output: Foley', 'Indwelling Foley'
        ])
        ELSE one_of(stay_no, 'other cell', [
            'Urine', 'Urine', 'Urine', 'urine output', 'Urine, void:', 'Condom Catheter', 'Straight  Cath',
            'Straight Cath Urine', 'Suprapubic Urine Output', 'Urine Output-external catheter',
            'Output (mL) External Urethral Catheter', 'Urine Output-Nephrostomy', 'URINE'
        ])
    END AS urine_cell,
    CASE
        WHEN collected THEN hour = 12
        WHEN urine_way < 0.62 THEN hour % 2 = 0
        ELSE hour % 6 = 0 OR (hour % 3 = 0 AND chance(at_hour, 'passed') < 0.5)
    END AS urine_now
FROM (
    SELECT
        *,
        chance(stay_no, 'urine way') AS urine_way,
        chance(stay_no, 'collected') < 0.05 AS collected,
        chance(stay_no, 'urine charted') > 0.12 AS urine_charted
    FROM bedside_hour
    WHERE hour >= -2
) AS hour_of_stay;

CREATE VIEW fluid_cell AS
WITH measured AS (
    SELECT
        *,
        CASE WHEN urine_charted AND urine_now THEN round(CASE
            -- one volume for the day, often at a limit
            WHEN collected AND chance(stay_no, 'at a limit') < 0.6
                THEN one_of(stay_no, 'limit', [670, 671, 1426, 1427, 2543, 2544, 6896, 6897])
            WHEN collected THEN urine_per_day
            WHEN urine_way < 0.62 THEN urine_per_day / 12 * uniform(at_hour, 'volume', 0.5, 1.5)
            ELSE urine_per_day / 5.8 * uniform(at_hour, 'volume', 0.5, 1.5)
        END) END AS urine,
        one_of(stay_no, 'drain cell', [
            'Chest tube', 'JP drain', 'Emesis', 'Stool', 'Est Blood Loss', 'Urine Count', 'Foley irrigation',
            'foley-OR', 'Foley PACU', 'NG Output', 'Gastric (NG)-LIS'
        ]) AS other_cell,
        CASE
            WHEN hour % 4 <> 0 OR chance(stay_no, 'other losses') > 0.25 THEN NULL
            WHEN other_cell = 'Urine Count' THEN 1
            ELSE round(uniform(at_hour, 'loss', 5, 140))
        END AS other_loss,
        CASE WHEN hour % 2 = 0 AND circulation > 0 THEN round(uniform(at_hour, 'infused', 20, 160)) END AS infused,
        CASE WHEN hour % 6 = 0 AND brain < 2 THEN round(uniform(at_hour, 'drunk', 60, 360)) END AS drunk
    FROM output_hour
),

added AS (
    SELECT
        *,
        coalesce(infused, 0) + coalesce(drunk, 0) AS taken_in,
        coalesce(urine, 0) + coalesce(other_loss, 0) AS put_out
    FROM measured
)

SELECT
    stay_no,
    patientunitstayid,
    charted_at,
    taken_in,
    put_out,
    unnest([
        {'slot': 1, 'path': 'Output (ml)|', 'cell': urine_cell, 'volume': urine},
        {'slot': 2, 'path': 'Output (ml)|', 'cell': other_cell, 'volume': other_loss},
        {'slot': 3, 'path': 'Crystalloids (ml)|', 'cell': 'Continuous infusion meds', 'volume': infused},
        {'slot': 4, 'path': 'Enteral (ml)|', 'cell': 'P.O.', 'volume': drunk}
    ], recursive := true)
FROM added;
