-- complete_blood_count: the blood count without differential.
--
-- grain:   one row per laboratory specimen (specimen_id)
-- sources: mimiciv_hosp.labevents
-- units:   %, g/dL, pg, fL, K/uL, m/uL
-- rules:   results must be above 0; no upper cap; white cells are item 51301 alone

SELECT
    max(subject_id) AS subject_id,
    max(hadm_id) AS hadm_id,
    max(charttime) AS charttime,
    specimen_id,
    max(valuenum) FILTER (itemid = 51221) AS hematocrit,
    max(valuenum) FILTER (itemid = 51222) AS hemoglobin,
    max(valuenum) FILTER (itemid = 51248) AS mch,
    max(valuenum) FILTER (itemid = 51249) AS mchc,
    max(valuenum) FILTER (itemid = 51250) AS mcv,
    max(valuenum) FILTER (itemid = 51265) AS platelet,
    max(valuenum) FILTER (itemid = 51279) AS rbc,
    max(valuenum) FILTER (itemid = 51277) AS rdw,
    max(valuenum) FILTER (itemid = 52159) AS rdwsd,
    max(valuenum) FILTER (itemid = 51301) AS wbc
FROM mimiciv_hosp.labevents
WHERE
    itemid IN (51221, 51222, 51248, 51249, 51250, 51265, 51279, 51277, 52159, 51301)
    AND valuenum > 0
GROUP BY specimen_id
ORDER BY max(subject_id), max(charttime), specimen_id
