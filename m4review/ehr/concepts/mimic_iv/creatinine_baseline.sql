-- creatinine_baseline: creatinine before the illness, measured or estimated.
--
-- grain:   one row per hospital admission at an age of 18 years or more
-- sources: age, mimiciv_hosp.patients, mimiciv_hosp.diagnoses_icd, chemistry (by admission)
-- window:  none: every creatinine that carries the admission
-- units:   mg/dL, years
-- rules:   the lowest creatinine when it is at most 1.1 or the admission has a code of chronic kidney disease (ICD-9
--          585, ICD-10 N18), else the MDRD estimate solved for a filtration rate of 75 mL/min per 1.73 m2, without a
--          race term; only gender F takes the female form
-- edges:   without creatinine the baseline is the estimate, with chronic kidney disease it is missing
-- source:  KDIGO AKI Work Group. Kidney Int Suppl 2012;2:1-138; Bellomo R et al. Crit Care 2004;8:R204-R212

WITH lowest_creatinine AS (
    SELECT
        hadm_id,
        min(creatinine) AS scr_min
    FROM mimiciv_derived.chemistry
    GROUP BY hadm_id
),

chronic_kidney_disease AS (
    SELECT DISTINCT hadm_id
    FROM mimiciv_hosp.diagnoses_icd
    WHERE
        (icd_version = 9 AND left(icd_code, 3) = '585')
        OR (icd_version = 10 AND left(icd_code, 3) = 'N18')
),

estimated AS (
    SELECT
        age.hadm_id,
        patient.gender,
        age.age,
        lowest_creatinine.scr_min,
        CASE WHEN chronic_kidney_disease.hadm_id IS NULL THEN 0 ELSE 1 END AS ckd,
        CASE
            WHEN patient.gender = 'F'
                THEN pow((75 / 186) / pow(age.age, -0.203) / 0.742, -1 / 1.154)
            ELSE pow((75 / 186) / pow(age.age, -0.203), -1 / 1.154)
        END AS mdrd_est
    FROM mimiciv_derived.age AS age
    INNER JOIN mimiciv_hosp.patients AS patient ON age.subject_id = patient.subject_id
    LEFT JOIN lowest_creatinine ON age.hadm_id = lowest_creatinine.hadm_id
    LEFT JOIN chronic_kidney_disease ON age.hadm_id = chronic_kidney_disease.hadm_id
    WHERE age.age >= 18
)

SELECT
    hadm_id,
    gender,
    age,
    scr_min,
    ckd,
    mdrd_est,
    CASE
        WHEN scr_min <= 1.1 THEN scr_min
        WHEN ckd = 1 THEN scr_min
        ELSE mdrd_est
    END AS scr_baseline
FROM estimated
ORDER BY hadm_id
