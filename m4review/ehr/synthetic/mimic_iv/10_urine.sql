-- Urine: every two hours by catheter, less regularly without; sometimes rinsed with irrigant; some stays have none
-- charted.

CREATE VIEW urine_charting WITH (DEFER_BINDING) AS
WITH emptied AS (
    SELECT
        *,
        hash(stay_no, hour, 'urine') AS at_emptying,
        chance(stay_no, 'catheter') < 0.75 AS has_catheter,
        chance(stay_no, 'irrigated') < 0.05 AS irrigated
    FROM bedside_hour
    WHERE hour % 2 = 0 AND chance(stay_no, 'urine charted') > 0.06
)

SELECT
    stay_no,
    charttime,
    CASE
        WHEN has_catheter THEN 226559
        ELSE one_of(stay_no, 'way', [226560, 226560, 226560, 226561, 226567, 226563, 226584, 226564, 226557])
    END AS itemid,
    round(urine_per_day / 12 * uniform(at_emptying, 'volume', 0.5, 1.5)) AS volume
FROM emptied
WHERE NOT irrigated
UNION ALL
SELECT stay_no, charttime, 227488, round(uniform(at_emptying, 'in', 60, 200)) FROM emptied
WHERE irrigated
UNION ALL
SELECT stay_no, charttime, 227489, round(uniform(at_emptying, 'in', 60, 200) + urine_per_day / 12 - 15) FROM emptied
WHERE irrigated AND chance(at_emptying, 'out') > 0.1
UNION ALL
SELECT stay_no, charttime, 226588, round(uniform(at_emptying, 'drain', 10, 90)) FROM emptied
WHERE chance(stay_no, 'chest tube') < 0.08;
