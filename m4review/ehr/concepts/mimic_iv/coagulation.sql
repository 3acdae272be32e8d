-- coagulation: clotting tests.
--
-- grain:   one row per laboratory specimen (specimen_id)
-- sources: mimiciv_hosp.labevents
-- units:   ng/mL, mg/dL, seconds; INR has none
-- rules:   no lower limit and no cap

SELECT
    max(subject_id) AS subject_id,
    max(hadm_id) AS hadm_id,
    max(charttime) AS charttime,
    specimen_id,
    max(valuenum) FILTER (itemid = 51196) AS d_dimer,
    max(valuenum) FILTER (itemid = 51214) AS fibrinogen,
    max(valuenum) FILTER (itemid = 51297) AS thrombin,
    max(valuenum) FILTER (itemid = 51237) AS inr,
    max(valuenum) FILTER (itemid = 51274) AS pt,
    max(valuenum) FILTER (itemid = 51275) AS ptt
FROM mimiciv_hosp.labevents
WHERE
    itemid IN (51196, 51214, 51297, 51237, 51274, 51275)
    AND valuenum IS NOT NULL
GROUP BY specimen_id
ORDER BY max(subject_id), max(charttime), specimen_id
