-- age: age in whole years at hospital admission.
--
-- grain:   one row per hospital admission (hadm_id)
-- sources: mimiciv_hosp.admissions, mimiciv_hosp.patients
-- rule:    anchor age plus the calendar years between anchor year and admission; month and day play no part.
--          Patients older than 89 carry an anchor age of 91 by de-identification; nothing is capped here.

SELECT
    admission.subject_id,
    admission.hadm_id,
    admission.admittime,
    patient.anchor_age,
    patient.anchor_year,
    patient.anchor_age + (year(admission.admittime) - patient.anchor_year) AS age
FROM mimiciv_hosp.admissions AS admission
INNER JOIN mimiciv_hosp.patients AS patient USING (subject_id)
ORDER BY admission.subject_id, admission.hadm_id
