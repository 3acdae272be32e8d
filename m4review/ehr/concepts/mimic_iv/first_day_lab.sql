-- first_day_lab: lowest and highest laboratory results of the first day.
--
-- grain:   one row per ICU stay; missing where nothing was drawn in the window
-- sources: mimiciv_icu.icustays; complete_blood_count, chemistry, blood_differential, coagulation, enzyme
-- window:  ICU admission - 6 h to + 24 h, both ends included, by the time of the draw
-- rules:   a draw belongs to every stay of the patient in whose window it lies, wherever it was taken
-- units:   as in the five sources

WITH complete_blood_count_extremes AS (
    SELECT
        stay.stay_id,
        min(lab.hematocrit) AS hematocrit_min,
        max(lab.hematocrit) AS hematocrit_max,
        min(lab.hemoglobin) AS hemoglobin_min,
        max(lab.hemoglobin) AS hemoglobin_max,
        min(lab.platelet) AS platelets_min,
        max(lab.platelet) AS platelets_max,
        min(lab.wbc) AS wbc_min,
        max(lab.wbc) AS wbc_max
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.complete_blood_count AS lab
        ON
            stay.subject_id = lab.subject_id
            AND lab.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
    GROUP BY stay.stay_id
),

chemistry_extremes AS (
    SELECT
        stay.stay_id,
        min(lab.albumin) AS albumin_min,
        max(lab.albumin) AS albumin_max,
        min(lab.globulin) AS globulin_min,
        max(lab.globulin) AS globulin_max,
        min(lab.total_protein) AS total_protein_min,
        max(lab.total_protein) AS total_protein_max,
        min(lab.aniongap) AS aniongap_min,
        max(lab.aniongap) AS aniongap_max,
        min(lab.bicarbonate) AS bicarbonate_min,
        max(lab.bicarbonate) AS bicarbonate_max,
        min(lab.bun) AS bun_min,
        max(lab.bun) AS bun_max,
        min(lab.calcium) AS calcium_min,
        max(lab.calcium) AS calcium_max,
        min(lab.chloride) AS chloride_min,
        max(lab.chloride) AS chloride_max,
        min(lab.creatinine) AS creatinine_min,
        max(lab.creatinine) AS creatinine_max,
        min(lab.glucose) AS glucose_min,
        max(lab.glucose) AS glucose_max,
        min(lab.sodium) AS sodium_min,
        max(lab.sodium) AS sodium_max,
        min(lab.potassium) AS potassium_min,
        max(lab.potassium) AS potassium_max
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.chemistry AS lab
        ON
            stay.subject_id = lab.subject_id
            AND lab.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
    GROUP BY stay.stay_id
),

blood_differential_extremes AS (
    SELECT
        stay.stay_id,
        min(lab.basophils_abs) AS abs_basophils_min,
        max(lab.basophils_abs) AS abs_basophils_max,
        min(lab.eosinophils_abs) AS abs_eosinophils_min,
        max(lab.eosinophils_abs) AS abs_eosinophils_max,
        min(lab.lymphocytes_abs) AS abs_lymphocytes_min,
        max(lab.lymphocytes_abs) AS abs_lymphocytes_max,
        min(lab.monocytes_abs) AS abs_monocytes_min,
        max(lab.monocytes_abs) AS abs_monocytes_max,
        min(lab.neutrophils_abs) AS abs_neutrophils_min,
        max(lab.neutrophils_abs) AS abs_neutrophils_max,
        min(lab.atypical_lymphocytes) AS atyps_min,
        max(lab.atypical_lymphocytes) AS atyps_max,
        min(lab.bands) AS bands_min,
        max(lab.bands) AS bands_max,
        min(lab.immature_granulocytes) AS imm_granulocytes_min,
        max(lab.immature_granulocytes) AS imm_granulocytes_max,
        min(lab.metamyelocytes) AS metas_min,
        max(lab.metamyelocytes) AS metas_max,
        min(lab.nrbc) AS nrbc_min,
        max(lab.nrbc) AS nrbc_max
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.blood_differential AS lab
        ON
            stay.subject_id = lab.subject_id
            AND lab.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
    GROUP BY stay.stay_id
),

coagulation_extremes AS (
    SELECT
        stay.stay_id,
        min(lab.d_dimer) AS d_dimer_min,
        max(lab.d_dimer) AS d_dimer_max,
        min(lab.fibrinogen) AS fibrinogen_min,
        max(lab.fibrinogen) AS fibrinogen_max,
        min(lab.thrombin) AS thrombin_min,
        max(lab.thrombin) AS thrombin_max,
        min(lab.inr) AS inr_min,
        max(lab.inr) AS inr_max,
        min(lab.pt) AS pt_min,
        max(lab.pt) AS pt_max,
        min(lab.ptt) AS ptt_min,
        max(lab.ptt) AS ptt_max
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.coagulation AS lab
        ON
            stay.subject_id = lab.subject_id
            AND lab.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
    GROUP BY stay.stay_id
),

enzyme_extremes AS (
    SELECT
        stay.stay_id,
        min(lab.alt) AS alt_min,
        max(lab.alt) AS alt_max,
        min(lab.alp) AS alp_min,
        max(lab.alp) AS alp_max,
        min(lab.ast) AS ast_min,
        max(lab.ast) AS ast_max,
        min(lab.amylase) AS amylase_min,
        max(lab.amylase) AS amylase_max,
        min(lab.bilirubin_total) AS bilirubin_total_min,
        max(lab.bilirubin_total) AS bilirubin_total_max,
        min(lab.bilirubin_direct) AS bilirubin_direct_min,
        max(lab.bilirubin_direct) AS bilirubin_direct_max,
        min(lab.bilirubin_indirect) AS bilirubin_indirect_min,
        max(lab.bilirubin_indirect) AS bilirubin_indirect_max,
        min(lab.ck_cpk) AS ck_cpk_min,
        max(lab.ck_cpk) AS ck_cpk_max,
        min(lab.ck_mb) AS ck_mb_min,
        max(lab.ck_mb) AS ck_mb_max,
        min(lab.ggt) AS ggt_min,
        max(lab.ggt) AS ggt_max,
        min(lab.ld_ldh) AS ld_ldh_min,
        max(lab.ld_ldh) AS ld_ldh_max
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.enzyme AS lab
        ON
            stay.subject_id = lab.subject_id
            AND lab.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
    GROUP BY stay.stay_id
)

SELECT
    stay.subject_id,
    stay.stay_id,
    complete_blood_count_extremes.* EXCLUDE (stay_id),
    chemistry_extremes.* EXCLUDE (stay_id),
    blood_differential_extremes.* EXCLUDE (stay_id),
    coagulation_extremes.* EXCLUDE (stay_id),
    enzyme_extremes.* EXCLUDE (stay_id)
FROM mimiciv_icu.icustays AS stay
LEFT JOIN complete_blood_count_extremes USING (stay_id)
LEFT JOIN chemistry_extremes USING (stay_id)
LEFT JOIN blood_differential_extremes USING (stay_id)
LEFT JOIN coagulation_extremes USING (stay_id)
LEFT JOIN enzyme_extremes USING (stay_id)
ORDER BY stay.stay_id
