-- Consciousness: the Glasgow Coma Scale every four hours, worst early in the stay, charted as the hospital does: total
-- and parts, one score, parts alone, or only by the physician. A tube makes the verbal part 1; sedation leaves a
-- remark.

CREATE VIEW coma_hour AS
WITH scored AS (
    SELECT
        stay_no,
        at_hour,
        charted_at,
        coma_charting,
        charted_at BETWEEN intubated_at AND intubated_at + minutes_of_ventilation AS has_tube,
        CASE
            WHEN hour <= 12 OR chance(at_hour, 'awake') < 0.3 THEN worst_coma
            ELSE least(15, worst_coma + CAST(floor(uniform(at_hour, 'better', 0, 5)) AS INTEGER))
        END AS total
    FROM bedside_hour
    WHERE hour % 4 = 0 AND chance(stay_no, 'no coma scale') > 0.03
),

split AS (
    SELECT
        *,
        least(6, greatest(1, round(1 + 5 * (total - 3) / 12.0 + normal(at_hour, 'motor', 0.15, 0.3)))) AS motor
    FROM scored
),

split_again AS (
    SELECT
        *,
        least(4, greatest(1, total - motor - 5, round((total - motor) * 0.45))) AS eyes
    FROM split
)

SELECT
    * EXCLUDE (total),
    CASE WHEN coalesce(has_tube, false) THEN 1 ELSE least(5, greatest(1, total - motor - eyes)) END AS verbal,
    coalesce(has_tube, false) AND chance(at_hour, 'sedated') < 0.3 AS sedated
FROM split_again;

CREATE VIEW coma_cell AS
WITH charted AS (
    SELECT
        *,
        chance(at_hour, 'coma slip') AS slip,
        CASE WHEN chance(at_hour, 'elsewhere') < 0.006 THEN 'Ordered Protocol' ELSE 'Scores' END AS category,
        CASE
            WHEN sedated THEN 'Unable to score due to medication'
            WHEN chance(at_hour, 'coma slip') < 0.003 THEN one_of(at_hour, 'coma noise', ['0', '1', '16', '51'])
            WHEN chance(at_hour, 'coma slip') < 0.006 THEN as_text(greatest(3, motor + eyes + verbal - 1))
            ELSE as_text(motor + eyes + verbal)
        END AS total
    FROM coma_hour
),

cell AS (
    SELECT
        stay_no,
        charted_at,
        unnest([
            {
                'slot': 20, 'category': category, 'label': 'Glasgow coma score', 'name': 'GCS Total',
                'value': CASE
                    WHEN coma_charting = 'total and parts' AND chance(at_hour, 'no total') > 0.05 THEN total
                END
            },
            -- a second nurse at the same time
            {
                'slot': 21, 'category': category, 'label': 'Glasgow coma score', 'name': 'GCS Total',
                'value': CASE
                    WHEN coma_charting = 'total and parts' AND NOT sedated AND slip > 0.994
                        THEN as_text(least(15, motor + eyes + verbal + 1))
                END
            },
            {
                'slot': 22, 'category': category, 'label': 'Glasgow coma score', 'name': 'Motor',
                'value': CASE
                    WHEN coma_charting IN ('total and parts', 'parts') AND NOT sedated
                        AND chance(at_hour, 'no motor') > 0.04 THEN as_text(motor)
                END
            },
            {
                'slot': 23, 'category': category, 'label': 'Glasgow coma score', 'name': 'Verbal',
                'value': CASE
                    WHEN coma_charting IN ('total and parts', 'parts') AND NOT sedated
                        AND chance(at_hour, 'no verbal') > 0.04 THEN as_text(verbal)
                END
            },
            {
                'slot': 24, 'category': category, 'label': 'Glasgow coma score', 'name': 'Eyes',
                'value': CASE
                    WHEN coma_charting IN ('total and parts', 'parts') AND NOT sedated
                        AND chance(at_hour, 'no eyes') > 0.04 THEN as_text(eyes)
                END
            },
            {
                'slot': 25, 'category': 'Other Vital Signs and Infusions', 'label': 'Score (Glasgow Coma Scale)',
                'name': 'Value', 'value': CASE WHEN coma_charting = 'one score' THEN total END
            }
        ], recursive := true)
    FROM charted
)

SELECT * FROM cell;

-- What physicians note: the total as the last step of the path, or that there is none.
CREATE TABLE physicalexam AS
WITH visited AS (
    SELECT
        illness.*,
        visit_no,
        hash(stay_no, visit_no) AS at_visit,
        CAST(round(uniform(hash(stay_no, visit_no), 'visit', -60, 700)) AS BIGINT) + 1440 * visit_no AS examined_at
    FROM illness, range(0, CAST(least(3, ceil(minutes / 1440)) AS BIGINT)) AS visits (visit_no)
    WHERE chance(hash(stay_no, visit_no), 'visited') < 0.75
),

examined AS (
    SELECT
        *,
        CASE WHEN visit_no = 0 THEN worst_coma ELSE least(15, worst_coma + 2 * visit_no) END AS total,
        coalesce(examined_at BETWEEN intubated_at AND intubated_at + minutes_of_ventilation, false)
        AND chance(at_visit, 'sedated') < 0.5 AS sedated
    FROM visited
    WHERE examined_at <= minutes
),

noted AS (
    SELECT
        stay_no,
        visit_no,
        patientunitstayid,
        examined_at,
        unnest([
            {
                'slot': 1,
                'path': 'Neurologic/GCS/' || CASE WHEN sedated THEN 'score not available' ELSE as_text(total) END,
                'value': CASE WHEN sedated THEN 'score not available due to medication' ELSE as_text(total) END
            },
            {
                'slot': 2,
                'path': 'Neurologic/GCS/Motor Score/' || as_text(least(6, greatest(1, total - 9))),
                'value': CASE WHEN NOT sedated THEN as_text(least(6, greatest(1, total - 9))) END
            },
            {
                'slot': 3, 'path': 'Constitutional/Vital Sign and Physiological Data/HR/HR Current',
                'value': as_text(round(usual_heart_rate))
            }
        ], recursive := true)
    FROM examined
)

SELECT
    stay_no * 100 + visit_no * 10 + slot AS physicalexamid,
    patientunitstayid,
    examined_at AS physicalexamoffset,
    'notes/Progress Notes/Physical Exam/Physical Exam/' || path AS physicalexampath,
    value AS physicalexamvalue,
    value AS physicalexamtext
FROM noted
WHERE value IS NOT NULL;
