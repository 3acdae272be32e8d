-- Urine: every two hours by catheter, less regularly without; sometimes rinsed with irrigant; some stays have none
-- charted.

CREATE VIEW urine_charting WITH (DEFER_BINDING) AS
WITH emptied AS (
    SELECT
        *,
        hash(stay_no, hour, 'urine') AS at_emptying,
        chance(stay_no, 'catheter') < 0.75 AS has_catheter,
        chance(stay_no, 'irrigated') < 0.05 AS irrigated,
        urine_per_day / 12 * CASE
            WHEN hour BETWEEN crisis_hour AND crisis_hour + dry_hours THEN uniform(stay_no, 'dryness', 0.05, 0.6)
            ELSE 1
        END AS usual_volume
    FROM bedside_hour
    WHERE
        hour % 2 = 0
        AND chance(stay_no, 'urine charted') > 0.06
        -- without a catheter a patient does not pass water every two hours, nor is all of it measured
        AND (chance(stay_no, 'catheter') < 0.75 OR chance(hash(stay_no, hour), 'passed') < 0.45)
)

SELECT
    stay_no,
    charttime,
    CASE
        WHEN has_catheter THEN 226559
        ELSE one_of(stay_no, 'way', [226560, 226560, 226560, 226561, 226567, 226563, 226584, 226564, 226557])
    END AS itemid,
    round(
        usual_volume * CASE WHEN has_catheter THEN 1 ELSE 2.2 END * uniform(at_emptying, 'volume', 0.5, 1.5)
    ) AS volume
FROM emptied
WHERE NOT irrigated
UNION ALL
SELECT stay_no, charttime, 227488, round(uniform(at_emptying, 'in', 60, 200)) FROM emptied
WHERE irrigated
UNION ALL
SELECT stay_no, charttime, 227489, round(uniform(at_emptying, 'in', 60, 200) + usual_volume - 15) FROM emptied
WHERE irrigated AND chance(at_emptying, 'out') > 0.1
UNION ALL
SELECT stay_no, charttime, 226588, round(uniform(at_emptying, 'drain', 10, 90)) FROM emptied
WHERE chance(stay_no, 'chest tube') < 0.08;
