-- rrt: any sign of renal replacement therapy, whether it is running, and its kind.
--
-- grain:   one row per stay, time, activity and kind; a time inside several procedures has a row for each
-- sources: mimiciv_icu.chartevents, mimiciv_icu.inputevents, mimiciv_icu.procedureevents
-- window:  a time is a charting time or the start of a procedure or CRRT fluid; one that lies within a procedure or
--          fluid of the stay, both ends included, takes over its activity and kind where they are known
-- rules:   charted rows need a text value, fluids an amount above 0, procedures a value. A catheter, its dressing or
--          its filter change is a sign of dialysis but no running therapy.
-- edges:   a charted peritoneal catheter is active when its status reads "In use"

WITH charted AS (
    SELECT DISTINCT
        stay_id,
        charttime,
        CASE
            WHEN itemid = 225965 AND value = 'In use' THEN 1
            WHEN
                itemid IN (
                    226499, 224154, 225183, 227438, 224191, 225806, 225807, 228004, 228005, 228006, 224144, 224145,
                    224153, 226457
                )
                THEN 1
            ELSE 0
        END AS dialysis_active,
        CASE
            WHEN itemid = 227290 THEN value
            WHEN
                itemid IN (
                    225810, 225806, 225807, 227639, 225959, 225951, 225952, 225961, 225953, 225963, 225965, 227638,
                    227640
                )
                THEN 'Peritoneal'
            WHEN itemid = 226499 THEN 'IHD'
        END AS dialysis_type
    FROM mimiciv_icu.chartevents
    WHERE
        value IS NOT NULL
        AND itemid IN (
            -- check boxes: catheter placed elsewhere, dressing occlusive, tip cultured
            226118, 227357, 225725,
            -- Hemodialysis Output; peritoneal dwell time, added amounts, volumes in and out
            226499, 225810, 225959, 227639, 225806, 225807,
            -- CRRT rates, goals, volumes and pressures; lumen volumes
            224154, 225183, 227438, 224191, 228004, 228005, 228006, 224144, 224145, 224149, 224150, 224151, 224152,
            224153, 224404, 224406, 226457,
            -- access site and appearance; system integrity; catheter site, discontinued, dressing, type, position
            224135, 224139, 224146, 225323, 225740, 225776, 225954, 227124, 227753,
            -- peritoneal fluid, medication, solution, catheter
            225951, 225952, 225953, 225961, 225963, 225965, 227638, 227640,
            -- filter change, heparin concentration, replacement and dialysate fluid, CRRT mode
            225956, 225958, 225976, 225977, 227290
        )
),

procedure_or_fluid AS (
    SELECT DISTINCT
        stay_id,
        starttime,
        endtime,
        1 AS dialysis_active,
        'CRRT' AS dialysis_type
    FROM mimiciv_icu.inputevents
    WHERE
        itemid IN (227536, 227525)                   -- KCl (CRRT), Calcium Gluconate (CRRT)
        AND amount > 0
    UNION
    SELECT DISTINCT
        stay_id,
        starttime,
        endtime,
        CASE WHEN itemid IN (224270, 225436) THEN 0 ELSE 1 END AS dialysis_active,
        CASE itemid
            WHEN 225441 THEN 'IHD'                   -- Hemodialysis
            WHEN 225802 THEN 'CRRT'                  -- Dialysis - CRRT
            WHEN 225803 THEN 'CVVHD'                 -- Dialysis - CVVHD
            WHEN 225805 THEN 'Peritoneal'            -- Peritoneal Dialysis
            WHEN 225809 THEN 'CVVHDF'                -- Dialysis - CVVHDF
            WHEN 225955 THEN 'SCUF'                  -- Dialysis - SCUF
        END AS dialysis_type
    FROM mimiciv_icu.procedureevents
    WHERE
        itemid IN (
            225441, 225802, 225803, 225805, 225809, 225955,
            224270, 225436                           -- Dialysis Catheter, CRRT Filter Change
        )
        AND value IS NOT NULL
),

time_point AS (
    SELECT stay_id, charttime, dialysis_active, dialysis_type FROM charted
    UNION
    SELECT stay_id, starttime AS charttime, dialysis_active, dialysis_type FROM procedure_or_fluid
)

SELECT
    time_point.stay_id,
    time_point.charttime,
    1 AS dialysis_present,
    coalesce(procedure_or_fluid.dialysis_active, time_point.dialysis_active) AS dialysis_active,
    coalesce(procedure_or_fluid.dialysis_type, time_point.dialysis_type) AS dialysis_type
FROM time_point
LEFT JOIN procedure_or_fluid
    ON
        time_point.stay_id = procedure_or_fluid.stay_id
        AND time_point.charttime BETWEEN procedure_or_fluid.starttime AND procedure_or_fluid.endtime
ORDER BY ALL
