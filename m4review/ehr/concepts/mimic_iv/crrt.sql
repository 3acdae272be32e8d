-- crrt: settings and readings of continuous renal replacement therapy.
--
-- grain:   one row per stay and charting time with any listed item
-- sources: mimiciv_icu.chartevents
-- units:   as charted: mmHg, mL/min, mL/h, mL
-- rules:   rows need a text value. System Integrity is split into flags: running (1) or not (0), clots seen (1) or
--          not (0), clots increasing, clotted; any other text leaves them missing
-- ties:    several values of one item at one time: the highest (texts: the last in byte order)

SELECT
    stay_id,
    charttime,
    max(value) FILTER (itemid = 227290) AS crrt_mode,
    max(valuenum) FILTER (itemid = 224149) AS access_pressure,
    max(valuenum) FILTER (itemid = 224144) AS blood_flow,
    max(valuenum) FILTER (itemid = 228004) AS citrate,
    max(valuenum) FILTER (itemid = 225183) AS current_goal,
    max(value) FILTER (itemid = 225977) AS dialysate_fluid,
    max(valuenum) FILTER (itemid = 224154) AS dialysate_rate,
    max(valuenum) FILTER (itemid = 224151) AS effluent_pressure,
    max(valuenum) FILTER (itemid = 224150) AS filter_pressure,
    max(value) FILTER (itemid = 225958) AS heparin_concentration,
    max(valuenum) FILTER (itemid = 224145) AS heparin_dose,
    max(valuenum) FILTER (itemid = 224191) AS hourly_patient_fluid_removal,
    max(valuenum) FILTER (itemid = 228005) AS prefilter_replacement_rate,
    max(valuenum) FILTER (itemid = 228006) AS postfilter_replacement_rate,
    max(value) FILTER (itemid = 225976) AS replacement_fluid,
    max(valuenum) FILTER (itemid = 224153) AS replacement_rate,
    max(valuenum) FILTER (itemid = 224152) AS return_pressure,
    max(valuenum) FILTER (itemid = 226457) AS ultrafiltrate_output,
    max(
        CASE
            WHEN value IN ('Active', 'Initiated', 'Reinitiated', 'New Filter') THEN 1
            WHEN value IN ('Recirculating', 'Discontinued') THEN 0
        END
    ) FILTER (itemid = 224146) AS system_active,
    max(
        CASE
            WHEN value = 'Clots Present' THEN 1
            WHEN value = 'No Clot Present' THEN 0
        END
    ) FILTER (itemid = 224146) AS clots,
    max(CASE WHEN value IN ('Clots Increasing', 'Clot Increasing') THEN 1 END) FILTER (itemid = 224146)
        AS clots_increasing,
    max(CASE WHEN value = 'Clotted' THEN 1 END) FILTER (itemid = 224146) AS clotted
FROM mimiciv_icu.chartevents
WHERE
    value IS NOT NULL
    AND itemid IN (
        227290, 224146,                              -- CRRT Mode, System Integrity
        224149, 224144, 228004, 225183,              -- Access Pressure, Blood Flow, Citrate, Current Goal
        225977, 224154, 224151, 224150,              -- Dialysate Fluid and Rate, Effluent and Filter Pressure
        225958, 224145, 224191,                      -- Heparin Concentration and Dose, Hourly Patient Fluid Removal
        228005, 228006, 225976, 224153,              -- Prefilter and Post Filter Rate, Replacement Fluid and Rate
        224152, 226457                               -- Return Pressure, Ultrafiltrate Output
    )
GROUP BY stay_id, charttime
ORDER BY stay_id, charttime
