-- sapsii-24h: Simplified Acute Physiology Score II of the first ICU day.
--
-- grain:   one row per ICU stay
-- sources: sapsii
-- window:  after ICU admission up to 24 h later, the start excluded
-- units:   points, 0 to 163
-- rules:   those of the concept; a missing component scores 0
-- source:  Le Gall JR, Lemeshow S, Saulnier F. JAMA 1993;270:2957-2963

SELECT
    subject_id,
    hadm_id,
    stay_id,
    sapsii,
    coalesce(age_score, 0) AS age_score,
    coalesce(hr_score, 0) AS hr_score,
    coalesce(sysbp_score, 0) AS sysbp_score,
    coalesce(temp_score, 0) AS temp_score,
    coalesce(pao2fio2_score, 0) AS pao2fio2_score,
    coalesce(uo_score, 0) AS uo_score,
    coalesce(bun_score, 0) AS bun_score,
    coalesce(wbc_score, 0) AS wbc_score,
    coalesce(potassium_score, 0) AS potassium_score,
    coalesce(sodium_score, 0) AS sodium_score,
    coalesce(bicarbonate_score, 0) AS bicarbonate_score,
    coalesce(bilirubin_score, 0) AS bilirubin_score,
    coalesce(gcs_score, 0) AS gcs_score,
    comorbidity_score,
    admissiontype_score
FROM mimiciv_derived.sapsii
ORDER BY stay_id
