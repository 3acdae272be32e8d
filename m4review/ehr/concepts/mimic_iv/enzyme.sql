-- enzyme: liver and muscle enzymes, bilirubin.
--
-- grain:   one row per laboratory specimen (specimen_id)
-- sources: mimiciv_hosp.labevents
-- units:   IU/L; bilirubin mg/dL; CK-MB ng/mL
-- rules:   results must be above 0; no cap

SELECT
    max(subject_id) AS subject_id,
    max(hadm_id) AS hadm_id,
    max(charttime) AS charttime,
    specimen_id,
    max(valuenum) FILTER (itemid = 50861) AS alt,
    max(valuenum) FILTER (itemid = 50863) AS alp,
    max(valuenum) FILTER (itemid = 50878) AS ast,
    max(valuenum) FILTER (itemid = 50867) AS amylase,
    max(valuenum) FILTER (itemid = 50885) AS bilirubin_total,
    max(valuenum) FILTER (itemid = 50883) AS bilirubin_direct,
    max(valuenum) FILTER (itemid = 50884) AS bilirubin_indirect,
    max(valuenum) FILTER (itemid = 50910) AS ck_cpk,
    max(valuenum) FILTER (itemid = 50911) AS ck_mb,
    max(valuenum) FILTER (itemid = 50927) AS ggt,
    max(valuenum) FILTER (itemid = 50954) AS ld_ldh
FROM mimiciv_hosp.labevents
WHERE
    itemid IN (50861, 50863, 50878, 50867, 50885, 50884, 50883, 50910, 50911, 50927, 50954)
    AND valuenum > 0
GROUP BY specimen_id
ORDER BY max(subject_id), max(charttime), specimen_id
