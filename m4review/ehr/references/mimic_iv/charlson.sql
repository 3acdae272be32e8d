-- charlson: Charlson Comorbidity Index from discharge codes.
--
-- grain:   one row per hospital admission, every admission
-- sources: charlson (conditions), age
-- window:  none: all diagnoses of the admission; known at discharge only
-- units:   conditions 0 or 1; points
-- rules:   conditions and weights are those of the concept; age points up to and including 50, 60, 70, 80 years: 0,
--          1, 2, 3, else 4
-- differs: the concept charlson gives the next age point already at 50, 60, 70 and 80 years
-- source:  Charlson ME et al. J Chronic Dis 1987;40:373-383; Charlson M et al. J Clin Epidemiol 1994;47:1245-1251;
--          Quan H et al. Med Care 2005;43:1130-1139

WITH age_points AS (
    SELECT
        hadm_id,
        CASE
            WHEN age <= 50 THEN 0
            WHEN age <= 60 THEN 1
            WHEN age <= 70 THEN 2
            WHEN age <= 80 THEN 3
            WHEN age IS NOT NULL THEN 4
        END AS age_score
    FROM mimiciv_derived.age
)

SELECT
    comorbidity.subject_id,
    comorbidity.hadm_id,
    age_points.age_score,
    comorbidity.myocardial_infarct,
    comorbidity.congestive_heart_failure,
    comorbidity.peripheral_vascular_disease,
    comorbidity.cerebrovascular_disease,
    comorbidity.dementia,
    comorbidity.chronic_pulmonary_disease,
    comorbidity.rheumatic_disease,
    comorbidity.peptic_ulcer_disease,
    comorbidity.mild_liver_disease,
    comorbidity.diabetes_without_cc,
    comorbidity.diabetes_with_cc,
    comorbidity.paraplegia,
    comorbidity.renal_disease,
    comorbidity.malignant_cancer,
    comorbidity.severe_liver_disease,
    comorbidity.metastatic_solid_tumor,
    comorbidity.aids,
    comorbidity.charlson_comorbidity_index - comorbidity.age_score + age_points.age_score
        AS charlson_comorbidity_index
FROM mimiciv_derived.charlson AS comorbidity
LEFT JOIN age_points ON comorbidity.hadm_id = age_points.hadm_id
ORDER BY comorbidity.hadm_id
