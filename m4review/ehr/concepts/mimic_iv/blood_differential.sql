-- blood_differential: white cells by kind.
--
-- grain:   one row per laboratory specimen (specimen_id)
-- sources: mimiciv_hosp.labevents
-- units:   absolute counts K/uL with 4 decimals, the rest percent of white cells (nucleated red cells per 100 white
--          cells)
-- rules:   results must be 0 or above; an absolute count that the laboratory did not report is the percentage of the
--          white cells of the same specimen, unless the white cells or all of the main percentages are 0

WITH results AS (
    SELECT
        specimen_id,
        subject_id,
        hadm_id,
        charttime,
        itemid,
        -- these items are reported per uL
        CASE WHEN itemid IN (51199, 52769, 51253, 51218) THEN valuenum / 1000.0 ELSE valuenum END AS result
    FROM mimiciv_hosp.labevents
    WHERE
        itemid IN (
            51300, 51301, 51755,                     -- white cells
            52069, 51146,                            -- basophils: count, percent
            51199, 52073, 51200,                     -- eosinophils: counts, percent
            51133, 52769, 51244, 51245,              -- lymphocytes: counts, percents
            52074, 51253, 51254,                     -- monocytes: counts, percent
            52075, 51218, 51256,                     -- neutrophils: counts, percent
            51143, 51144, 52135, 51251, 51257        -- atypical lymphocytes, bands, immature, metamyelocytes, nRBC
        )
        AND valuenum >= 0
),

specimen_counts AS (
    SELECT
        specimen_id,
        max(subject_id) AS subject_id,
        max(hadm_id) AS hadm_id,
        max(charttime) AS charttime,
        max(result) FILTER (itemid IN (51300, 51301, 51755)) AS wbc,
        max(result) FILTER (itemid = 52069) AS basophils_count,
        max(result) FILTER (itemid IN (52073, 51199)) AS eosinophils_count,
        max(result) FILTER (itemid IN (51133, 52769)) AS lymphocytes_count,
        max(result) FILTER (itemid IN (52074, 51253)) AS monocytes_count,
        max(result) FILTER (itemid IN (52075, 51218)) AS neutrophils_count,
        max(result) FILTER (itemid = 51146) AS basophils,
        max(result) FILTER (itemid = 51200) AS eosinophils,
        max(result) FILTER (itemid IN (51244, 51245)) AS lymphocytes,
        max(result) FILTER (itemid = 51254) AS monocytes,
        max(result) FILTER (itemid = 51256) AS neutrophils,
        max(result) FILTER (itemid = 51143) AS atypical_lymphocytes,
        max(result) FILTER (itemid = 51144) AS bands,
        max(result) FILTER (itemid = 52135) AS immature_granulocytes,
        max(result) FILTER (itemid = 51251) AS metamyelocytes,
        max(result) FILTER (itemid = 51257) AS nrbc,
        coalesce(max(result) FILTER (itemid IN (51146, 51200, 51244, 51245, 51254, 51256)), 0) > 0 AS has_percentages
    FROM results
    GROUP BY specimen_id
),

with_white_cells AS (
    SELECT
        *,
        CASE WHEN wbc > 0 AND has_percentages THEN wbc END AS white_cells
    FROM specimen_counts
)

SELECT
    subject_id,
    hadm_id,
    charttime,
    specimen_id,
    wbc,
    round(CAST(coalesce(basophils_count, basophils * white_cells / 100) AS DECIMAL(38, 9)), 4) AS basophils_abs,
    round(CAST(coalesce(eosinophils_count, eosinophils * white_cells / 100) AS DECIMAL(38, 9)), 4) AS eosinophils_abs,
    round(CAST(coalesce(lymphocytes_count, lymphocytes * white_cells / 100) AS DECIMAL(38, 9)), 4) AS lymphocytes_abs,
    round(CAST(coalesce(monocytes_count, monocytes * white_cells / 100) AS DECIMAL(38, 9)), 4) AS monocytes_abs,
    round(CAST(coalesce(neutrophils_count, neutrophils * white_cells / 100) AS DECIMAL(38, 9)), 4) AS neutrophils_abs,
    basophils,
    eosinophils,
    lymphocytes,
    monocytes,
    neutrophils,
    atypical_lymphocytes,
    bands,
    immature_granulocytes,
    metamyelocytes,
    nrbc
FROM with_white_cells
ORDER BY subject_id, charttime, specimen_id
