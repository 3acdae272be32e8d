-- Dialysis: of those whose kidneys fail, the unstable get a continuous treatment, the others sessions of a few hours;
-- some do it through the abdomen at home and go on here. A catheter is placed before and looked at every day, and some
-- have one without being treated in the unit.

CREATE TABLE dialysis_course AS
WITH treated AS (
    SELECT
        *,
        CASE
            WHEN circulation >= 2 OR chance(stay_no, 'dialysis') < 0.25 THEN one_of(stay_no, 'continuous mode', [
                'CVVHDF', 'CVVHDF', 'CVVHDF', 'CVVHD', 'CVVH', 'CRRT', 'SCUF'
            ])
            WHEN chronic_kidney_disease AND chance(stay_no, 'at home') < 0.3 THEN 'Peritoneal'
            WHEN chance(stay_no, 'dialysis') > 0.9 THEN 'catheter only'
            ELSE 'IHD'
        END AS kind,
        uniform(stay_no, 'dialysis begins', 1, least(hours - 1, 40)) AS begins
    FROM illness
    WHERE
        (kidneys = 4 AND chance(stay_no, 'treated') < 0.55)
        OR (kidneys = 3 AND chance(stay_no, 'treated') < 0.08)
)

SELECT
    *,
    kind IN ('CVVHDF', 'CVVHD', 'CVVH', 'CRRT', 'SCUF') AS continuous,
    CASE
        WHEN kind = 'IHD' THEN least(hours, begins + 3.5)
        ELSE least(hours, begins + uniform(stay_no, 'dialysis hours', 14, 110))
    END AS ends,
    one_of(stay_no, 'anticoagulation', ['citrate', 'citrate', 'heparin', 'none']) AS anticoagulation
FROM treated;

CREATE VIEW dialysis_charting WITH (DEFER_BINDING) AS
WITH on_dialysis AS (
    SELECT
        course.*,
        bedside.hour,
        bedside.charttime,
        bedside.at_hour,
        bedside.hour >= begins AND bedside.hour <= ends AS running
    FROM dialysis_course AS course
    INNER JOIN bedside_hour AS bedside USING (stay_no)
),

reading AS (
    -- one row per item; settings every four hours, pressures every two
    SELECT
        stay_no,
        charttime,
        unnest([
            227290, 224144, 224154, 224153, 228005, 228006, 225183, 228004, 224145, 225958, 225977, 225976, 224191,
            226457,
            224149, 224150, 224151, 224152
        ]) AS itemid,
        unnest([
            CASE WHEN hour % 4 = 0 AND kind <> 'CRRT' THEN kind END,
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            CASE WHEN anticoagulation = 'heparin' AND hour % 12 = 0 THEN '1000' END,
            CASE WHEN kind IN ('CVVHD', 'CVVHDF') AND hour % 12 = 0 THEN 'Prismasate K2' END,
            CASE WHEN kind IN ('CVVH', 'CVVHDF') AND hour % 12 = 0 THEN 'Prismasate K4' END,
            NULL, NULL, NULL, NULL, NULL, NULL
        ]) AS text,
        unnest([
            NULL,
            CASE WHEN hour % 4 = 0 THEN one_of(stay_no, 'blood flow', [120.0, 150.0, 180.0, 200.0]) END,
            CASE
                WHEN hour % 4 = 0 AND kind IN ('CVVHD', 'CVVHDF') THEN one_of(stay_no, 'dialysate', [1000.0, 1500.0])
            END,
            CASE WHEN hour % 4 = 0 AND kind = 'CVVH' THEN one_of(stay_no, 'replacement', [1000.0, 2000.0]) END,
            CASE WHEN hour % 4 = 0 AND kind = 'CVVHDF' THEN one_of(stay_no, 'prefilter', [1000.0, 1200.0, 1500.0]) END,
            CASE WHEN hour % 4 = 0 AND kind = 'CVVHDF' THEN one_of(stay_no, 'postfilter', [200.0, 500.0]) END,
            CASE WHEN hour % 12 = 0 THEN one_of(at_hour, 'goal', [0.0, -50.0, -100.0]) END,
            CASE WHEN hour % 4 = 0 AND anticoagulation = 'citrate' THEN 180.0 END,
            CASE WHEN hour % 4 = 0 AND anticoagulation = 'heparin' THEN one_of(at_hour, 'heparin', [500.0, 800.0]) END,
            NULL, NULL, NULL,
            round(uniform(at_hour, 'removal', 50, 300)),
            round(uniform(at_hour, 'ultrafiltrate', 900, 2600)),
            CASE WHEN hour % 2 = 0 THEN round(normal(at_hour, 'access', -70, 15)) END,
            CASE WHEN hour % 2 = 0 THEN round(normal(at_hour, 'filter', 150, 25)) END,
            CASE WHEN hour % 2 = 0 THEN round(normal(at_hour, 'effluent', 40, 20)) END,
            CASE WHEN hour % 2 = 0 THEN round(normal(at_hour, 'return', 80, 15)) END
        ]) AS number
    FROM on_dialysis
    WHERE continuous AND running
)

SELECT stay_no, charttime, itemid, text, number FROM reading
WHERE text IS NOT NULL OR number IS NOT NULL
UNION ALL
SELECT
    stay_no,
    charttime,
    224146,
    CASE
        WHEN hour = ceil(begins) THEN 'Initiated'
        WHEN hour = floor(ends) THEN 'Discontinued'
        ELSE one_of(at_hour, 'circuit', [
            'Active', 'Active', 'Active', 'Active', 'No Clot Present', 'No Clot Present', 'Clots Present',
            'Clots Increasing', 'Clotted', 'New Filter', 'Recirculating'
        ])
    END,
    NULL
FROM on_dialysis
WHERE continuous AND running AND (hour % 4 = 2 OR hour IN (ceil(begins), floor(ends)))
UNION ALL
SELECT stay_no, charttime, 226499, NULL, round(uniform(at_hour, 'taken off', 1000, 3500)) FROM on_dialysis
WHERE kind = 'IHD' AND hour >= begins AND (hour - CAST(floor(begins) AS INTEGER)) % 48 = 3
UNION ALL
SELECT
    stay_no,
    charttime,
    unnest([225806, 225807, 225810, 225965]),
    unnest([NULL, NULL, NULL, CASE WHEN chance(at_hour, 'capped') < 0.3 THEN 'Capped' ELSE 'In use' END]),
    unnest([2000.0, round(uniform(at_hour, 'drained', 1900, 2600)), 240.0, NULL])
FROM on_dialysis
WHERE kind = 'Peritoneal' AND running AND hour % 6 = 0
UNION ALL
SELECT
    stay_no,
    charttime,
    unnest([227124, 225323]),
    unnest([
        one_of(stay_no, 'catheter', ['Temporary', 'Tunneled (Hickman)']),
        one_of(at_hour, 'site', ['WNL', 'WNL', 'Bruised', 'Oozing'])
    ]),
    NULL
FROM on_dialysis
WHERE kind <> 'Peritoneal' AND hour >= begins - 1 AND hour % 12 = 8;

-- value is the length in minutes
CREATE VIEW bedside_procedure WITH (DEFER_BINDING) AS
SELECT
    stay_no,
    CASE kind
        WHEN 'IHD' THEN 225441 WHEN 'CVVHD' THEN 225803 WHEN 'CVVHDF' THEN 225809 WHEN 'SCUF' THEN 225955
        WHEN 'Peritoneal' THEN 225805 ELSE 225802
    END AS itemid,
    begins,
    ends,
    0 AS number
FROM dialysis_course
WHERE kind <> 'catheter only'
UNION ALL
-- further sessions every second day
SELECT stay_no, 225441, begins + 48 * session, begins + 48 * session + 3.5, CAST(session AS INTEGER)
FROM dialysis_course, range(1, 8) AS sessions (session)
WHERE kind = 'IHD' AND begins + 48 * session + 3.5 < hours
UNION ALL
SELECT stay_no, 225436, begins + (ends - begins) * 0.6, begins + (ends - begins) * 0.6 + 0.25, 8 FROM dialysis_course
WHERE continuous AND chance(stay_no, 'filter change') < 0.4
UNION ALL
SELECT stay_no, 224270, begins - 1.5, hours, 9 FROM dialysis_course
WHERE kind <> 'Peritoneal'
UNION ALL
SELECT stay_no, 225792, greatest(intubated_at, 0), extubated_at, 10 FROM illness
WHERE support = 'ventilator'
UNION ALL
SELECT
    stay_no, 225459, uniform(stay_no, 'chest film', 0.5, 3.5), uniform(stay_no, 'chest film', 0.5, 3.5) + 1 / 60.0, 11
FROM illness;

-- potassium and calcium that a continuous treatment takes out are given back
CREATE VIEW dialysis_fluid WITH (DEFER_BINDING) AS
SELECT
    *,
    CASE fluid WHEN 227536 THEN 'mEq' ELSE 'grams' END AS unit,
    CASE fluid WHEN 227536 THEN 5.0 ELSE 1.2 END AS rate
FROM (
    SELECT
        *,
        unnest([227536, 227525]) AS fluid,
        begins + bag * 8 AS bag_begins,
        least(ends, begins + bag * 8 + 8) AS bag_ends
    FROM dialysis_course, range(0, 14) AS bags (bag)
    WHERE continuous AND anticoagulation = 'citrate' AND begins + bag * 8 + 1 < ends
);
