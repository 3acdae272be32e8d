-- chemistry: blood chemistry from the central laboratory.
--
-- grain:   one row per laboratory specimen (specimen_id)
-- sources: mimiciv_hosp.labevents; blood gas analyser and point-of-care results are not used
-- units:   g/dL (proteins), mEq/L, mg/dL
-- rules:   results must be above 0 (the anion gap may be 0 or negative); above the cap of its item a result is
--          missing, though its specimen still makes a row

WITH results AS (
    SELECT specimen_id, subject_id, hadm_id, charttime, itemid, valuenum
    FROM mimiciv_hosp.labevents
    WHERE
        itemid IN (50862, 50930, 50976, 50868, 50882, 50893, 50912, 50902, 50931, 50971, 50983, 51006)
        AND valuenum IS NOT NULL
        AND (valuenum > 0 OR itemid = 50868)
)

SELECT
    max(subject_id) AS subject_id,
    max(hadm_id) AS hadm_id,
    max(charttime) AS charttime,
    specimen_id,
    max(valuenum) FILTER (itemid = 50862 AND valuenum <= 10) AS albumin,
    max(valuenum) FILTER (itemid = 50930 AND valuenum <= 10) AS globulin,
    max(valuenum) FILTER (itemid = 50976 AND valuenum <= 20) AS total_protein,
    max(valuenum) FILTER (itemid = 50868 AND valuenum <= 10000) AS aniongap,
    max(valuenum) FILTER (itemid = 50882 AND valuenum <= 10000) AS bicarbonate,
    max(valuenum) FILTER (itemid = 51006 AND valuenum <= 300) AS bun,
    max(valuenum) FILTER (itemid = 50893 AND valuenum <= 10000) AS calcium,
    max(valuenum) FILTER (itemid = 50902 AND valuenum <= 10000) AS chloride,
    max(valuenum) FILTER (itemid = 50912 AND valuenum <= 150) AS creatinine,
    max(valuenum) FILTER (itemid = 50931 AND valuenum <= 10000) AS glucose,
    max(valuenum) FILTER (itemid = 50983 AND valuenum <= 200) AS sodium,
    max(valuenum) FILTER (itemid = 50971 AND valuenum <= 30) AS potassium
FROM results
GROUP BY specimen_id
ORDER BY max(subject_id), max(charttime), specimen_id
