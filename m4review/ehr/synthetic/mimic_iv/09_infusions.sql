-- Infusions: vasoactive drugs in steps of dose, some begun before the unit; propofol and saline beside them. Some
-- norepinephrine is charted in mg/kg/min, some of that with a weight of 1 kg that marks a mislabelled unit; some rows
-- are boluses without a rate, some are stopped at a rate of 0.

CREATE TABLE drug_course AS
WITH chosen AS (
    SELECT
        *,
        CASE
            WHEN circulation = 4 THEN one_of(stay_no, 'pressor', [
                ['norepinephrine'], ['norepinephrine', 'vasopressin'], ['norepinephrine', 'epinephrine'],
                ['epinephrine'],
                ['dopamine'], ['norepinephrine', 'dobutamine'], ['norepinephrine', 'vasopressin', 'phenylephrine'],
                ['norepinephrine', 'vasopressin', 'epinephrine', 'milrinone']
            ])
            WHEN circulation = 3 THEN one_of(stay_no, 'pressor', [
                ['norepinephrine'], ['norepinephrine'], ['epinephrine'], ['dopamine'],
                ['norepinephrine', 'phenylephrine']
            ])
            WHEN circulation = 2 THEN one_of(stay_no, 'pressor', [
                ['dobutamine'], ['dopamine'], ['dobutamine', 'dopamine'], ['dobutamine', 'milrinone']
            ])
            WHEN circulation = 1 AND chance(stay_no, 'late pressor') < 0.12 THEN one_of(stay_no, 'light pressor', [
                ['phenylephrine'], ['phenylephrine'], ['milrinone'], ['vasopressin']
            ])
            WHEN chance(stay_no, 'late pressor') < 0.03 THEN ['phenylephrine']
            ELSE []
        END AS pressors
    FROM illness
)

SELECT *, unnest(pressors) AS drug FROM chosen
UNION ALL
SELECT *, 'propofol' FROM chosen WHERE support = 'ventilator'
UNION ALL
SELECT *, 'saline' FROM chosen WHERE chance(stay_no, 'saline') < 0.5;

CREATE VIEW infusion WITH (DEFER_BINDING) AS
WITH course AS (
    SELECT
        *,
        hash(stay_no, drug) AS at_course,
        CASE drug
            WHEN 'norepinephrine' THEN
                CASE
                    WHEN circulation = 4 THEN level_value(hash(stay_no, drug), 'dose', 0.11, 0.6, 2)
                    ELSE level_value(hash(stay_no, drug), 'dose', 0.01, 0.1, 2)
                END
            WHEN 'epinephrine' THEN
                CASE
                    WHEN circulation = 4 THEN level_value(hash(stay_no, drug), 'dose', 0.11, 0.4, 2)
                    ELSE level_value(hash(stay_no, drug), 'dose', 0.01, 0.1, 2)
                END
            WHEN 'dopamine' THEN
                CASE circulation
                    WHEN 4 THEN level_value(hash(stay_no, drug), 'dose', 15.5, 20, 1)
                    WHEN 3 THEN level_value(hash(stay_no, drug), 'dose', 5.5, 15, 1)
                    ELSE level_value(hash(stay_no, drug), 'dose', 2, 5, 1)
                END
            WHEN 'dobutamine' THEN level_value(hash(stay_no, drug), 'dose', 2.5, 10, 1)
            WHEN 'phenylephrine' THEN round(uniform(hash(stay_no, drug), 'dose', 0.3, 3), 2)
            WHEN 'vasopressin' THEN one_of(hash(stay_no, drug), 'dose', [1.2, 2.4])
            WHEN 'milrinone' THEN one_of(hash(stay_no, drug), 'dose', [0.25, 0.375, 0.5])
            WHEN 'propofol' THEN round(uniform(hash(stay_no, drug), 'dose', 10, 60))
        END AS highest_rate,
        CASE
            WHEN chance(hash(stay_no, drug), 'begins') < 0.08 THEN uniform(hash(stay_no, drug), 'early', -9, -6.1)
            WHEN chance(hash(stay_no, drug), 'begins') < 0.14 THEN uniform(hash(stay_no, drug), 'late', 24.2, 40)
            ELSE uniform(hash(stay_no, drug), 'first', -2, 12)
        END AS begins,
        CAST(2 + floor(uniform(hash(stay_no, drug), 'steps', 0, 6)) AS BIGINT) AS steps,
        one_of(hash(stay_no, drug), 'step length', [1.0, 1.5, 1.5, 2.0, 3.5]) AS step_hours
    FROM drug_course
),

stepped AS (
    SELECT
        *,
        hash(stay_no, drug, step) AS at_step,
        CASE
            WHEN step = steps - 1 AND chance(at_course, 'stopped') < 0.15 THEN 0
            WHEN step = 1 THEN highest_rate
            ELSE round(highest_rate * uniform(hash(stay_no, drug, step), 'titrated', 0.4, 1.0), 3)
        END AS rate,
        begins + step * step_hours AS step_begins
    FROM course, range(0, steps) AS steps_of_course (step)
    WHERE begins + step * step_hours < hours
)

SELECT
    stay_no,
    subject_id,
    hadm_id,
    stay_id,
    drug,
    step,
    CASE drug
        WHEN 'norepinephrine' THEN 221906 WHEN 'epinephrine' THEN 221289 WHEN 'dopamine' THEN 221662
        WHEN 'dobutamine' THEN 221653 WHEN 'phenylephrine' THEN 221749 WHEN 'vasopressin' THEN 222315
        WHEN 'milrinone' THEN 221986
        WHEN 'propofol' THEN 222168 ELSE 225158
    END AS itemid,
    moment(intime, step_begins) AS starttime,
    moment(intime, step_begins + step_hours) AS endtime,
    chance(at_step, 'bolus') < 0.03 OR drug = 'saline' AS is_bolus,
    CASE
        WHEN drug = 'vasopressin' AND chance(at_course, 'by the minute') < 0.2 THEN 'units/min'
        WHEN drug = 'vasopressin' THEN 'units/hour'
        WHEN drug = 'phenylephrine' AND chance(at_course, 'not by weight') < 0.3 THEN 'mcg/min'
        WHEN drug = 'norepinephrine' AND chance(at_course, 'in milligrams') < 0.1 THEN 'mg/kg/min'
        ELSE 'mcg/kg/min'
    END AS rate_unit,
    CASE
        WHEN drug = 'norepinephrine' AND chance(at_course, 'in milligrams') < 0.04 THEN 1
        ELSE weight
    END AS charted_weight,
    CASE
        WHEN drug = 'norepinephrine' AND chance(at_course, 'in milligrams') < 0.04 THEN rate
        WHEN drug = 'norepinephrine' AND chance(at_course, 'in milligrams') < 0.1 THEN rate / 1000
        WHEN drug = 'vasopressin' AND chance(at_course, 'by the minute') < 0.2 THEN rate / 60
        WHEN drug = 'phenylephrine' AND chance(at_course, 'not by weight') < 0.3 THEN round(rate * weight)
        ELSE rate
    END AS charted_rate,
    CASE
        WHEN drug = 'saline' THEN one_of(at_step, 'volume', [250.0, 500.0, 1000.0])
        WHEN drug = 'vasopressin' THEN round(rate * step_hours, 2)
        ELSE round(rate * weight * step_hours * 60 / 1000, 3)
    END AS amount
FROM stepped
UNION ALL
-- a new syringe starts before the old one is empty: two rows of one drug side by side
SELECT
    stay_no,
    subject_id,
    hadm_id,
    stay_id,
    drug,
    step + 8,
    221906,
    moment(intime, step_begins + 0.8 * step_hours),
    moment(intime, step_begins + 1.2 * step_hours),
    false,
    'mcg/kg/min',
    weight,
    round(highest_rate / 2, 3),
    round(highest_rate / 2 * weight * 0.4 * step_hours * 60 / 1000, 3)
FROM stepped
WHERE drug = 'norepinephrine' AND step = 1 AND chance(at_course, 'second syringe') < 0.15;
