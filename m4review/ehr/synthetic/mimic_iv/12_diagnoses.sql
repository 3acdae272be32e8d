-- Diagnoses: chronic conditions belong to the patient and are coded in most of the admissions, likelier with age; acute
-- ones follow from the illness. Admissions of the early years are coded in ICD-9, of the late years in ICD-10.

CREATE TABLE condition_code AS
SELECT * FROM (
    VALUES
    ('myocardial_infarct', 9, 1, '41071', 'Subendocardial infarction, initial episode of care'),
    (
        'myocardial_infarct', 9, 2, '41041',
        'Acute myocardial infarction of other inferior wall, initial episode of care'
    ),
    ('myocardial_infarct', 9, 3, '412', 'Old myocardial infarction'),
    ('myocardial_infarct', 10, 1, 'I214', 'Non-ST elevation (NSTEMI) myocardial infarction'),
    (
        'myocardial_infarct', 10, 2, 'I2119',
        'ST elevation (STEMI) myocardial infarction involving other coronary artery of inferior wall'
    ),
    ('myocardial_infarct', 10, 3, 'I252', 'Old myocardial infarction'),
    ('congestive_heart_failure', 9, 1, '4280', 'Congestive heart failure, unspecified'),
    ('congestive_heart_failure', 9, 2, '42823', 'Acute on chronic systolic heart failure'),
    ('congestive_heart_failure', 9, 3, '42833', 'Acute on chronic diastolic heart failure'),
    ('congestive_heart_failure', 9, 4, '4254', 'Other primary cardiomyopathies'),
    ('congestive_heart_failure', 10, 1, 'I509', 'Heart failure, unspecified'),
    ('congestive_heart_failure', 10, 2, 'I5023', 'Acute on chronic systolic (congestive) heart failure'),
    ('congestive_heart_failure', 10, 3, 'I5033', 'Acute on chronic diastolic (congestive) heart failure'),
    ('congestive_heart_failure', 10, 4, 'I110', 'Hypertensive heart disease with heart failure'),
    ('congestive_heart_failure', 10, 5, 'I420', 'Dilated cardiomyopathy'),
    ('peripheral_vascular_disease', 9, 1, '4439', 'Peripheral vascular disease, unspecified'),
    ('peripheral_vascular_disease', 9, 2, '4414', 'Abdominal aneurysm without mention of rupture'),
    (
        'peripheral_vascular_disease', 9, 3, '44021',
        'Atherosclerosis of native arteries of the extremities with intermittent claudication'
    ),
    ('peripheral_vascular_disease', 10, 1, 'I739', 'Peripheral vascular disease, unspecified'),
    ('peripheral_vascular_disease', 10, 2, 'I714', 'Abdominal aortic aneurysm, without rupture'),
    (
        'peripheral_vascular_disease', 10, 3, 'I70213',
        'Atherosclerosis of native arteries of extremities with intermittent claudication, bilateral legs'
    ),
    ('cerebrovascular_disease', 9, 1, '43491', 'Cerebral artery occlusion, unspecified with cerebral infarction'),
    ('cerebrovascular_disease', 9, 2, '431', 'Intracerebral hemorrhage'),
    ('cerebrovascular_disease', 9, 3, '4359', 'Unspecified transient cerebral ischemia'),
    ('cerebrovascular_disease', 9, 4, '430', 'Subarachnoid hemorrhage'),
    ('cerebrovascular_disease', 10, 1, 'I639', 'Cerebral infarction, unspecified'),
    ('cerebrovascular_disease', 10, 2, 'I619', 'Nontraumatic intracerebral hemorrhage, unspecified'),
    ('cerebrovascular_disease', 10, 3, 'G459', 'Transient cerebral ischemic attack, unspecified'),
    ('cerebrovascular_disease', 10, 4, 'I609', 'Nontraumatic subarachnoid hemorrhage, unspecified'),
    ('dementia', 9, 1, '29420', 'Dementia, unspecified, without behavioral disturbance'),
    ('dementia', 9, 2, '3310', 'Alzheimer''s disease'),
    ('dementia', 9, 3, '2900', 'Senile dementia, uncomplicated'),
    ('dementia', 9, 4, '29410', 'Dementia in conditions classified elsewhere without behavioral disturbance'),
    ('dementia', 10, 1, 'F0390', 'Unspecified dementia without behavioral disturbance'),
    ('dementia', 10, 2, 'G309', 'Alzheimer''s disease, unspecified'),
    ('dementia', 10, 3, 'F0150', 'Vascular dementia without behavioral disturbance'),
    ('chronic_pulmonary_disease', 9, 1, '496', 'Chronic airway obstruction, not elsewhere classified'),
    ('chronic_pulmonary_disease', 9, 2, '49390', 'Asthma, unspecified type, unspecified'),
    ('chronic_pulmonary_disease', 9, 3, '49121', 'Obstructive chronic bronchitis with (acute) exacerbation'),
    ('chronic_pulmonary_disease', 10, 1, 'J449', 'Chronic obstructive pulmonary disease, unspecified'),
    ('chronic_pulmonary_disease', 10, 2, 'J45909', 'Unspecified asthma, uncomplicated'),
    ('chronic_pulmonary_disease', 10, 3, 'J441', 'Chronic obstructive pulmonary disease with (acute) exacerbation'),
    ('rheumatic_disease', 9, 1, '7140', 'Rheumatoid arthritis'),
    ('rheumatic_disease', 9, 2, '7100', 'Systemic lupus erythematosus'),
    ('rheumatic_disease', 9, 3, '725', 'Polymyalgia rheumatica'),
    ('rheumatic_disease', 10, 1, 'M069', 'Rheumatoid arthritis, unspecified'),
    ('rheumatic_disease', 10, 2, 'M329', 'Systemic lupus erythematosus, unspecified'),
    ('rheumatic_disease', 10, 3, 'M353', 'Polymyalgia rheumatica'),
    (
        'peptic_ulcer_disease', 9, 1, '53140',
        'Chronic or unspecified gastric ulcer with hemorrhage, without mention of obstruction'
    ),
    (
        'peptic_ulcer_disease', 9, 2, '53240',
        'Chronic or unspecified duodenal ulcer with hemorrhage, without mention of obstruction'
    ),
    (
        'peptic_ulcer_disease', 9, 3, '53390',
        'Peptic ulcer of unspecified site, unspecified as acute or chronic, without mention of hemorrhage, '
        || 'perforation, or obstruction'
    ),
    ('peptic_ulcer_disease', 10, 1, 'K254', 'Chronic or unspecified gastric ulcer with hemorrhage'),
    ('peptic_ulcer_disease', 10, 2, 'K264', 'Chronic or unspecified duodenal ulcer with hemorrhage'),
    (
        'peptic_ulcer_disease', 10, 3, 'K279',
        'Peptic ulcer, site unspecified, unspecified as acute or chronic, without hemorrhage or perforation'
    ),
    ('mild_liver_disease', 9, 1, '5715', 'Cirrhosis of liver without mention of alcohol'),
    ('mild_liver_disease', 9, 2, '5712', 'Alcoholic cirrhosis of liver'),
    ('mild_liver_disease', 9, 3, '07054', 'Chronic hepatitis C without mention of hepatic coma'),
    ('mild_liver_disease', 10, 1, 'K7460', 'Unspecified cirrhosis of liver'),
    ('mild_liver_disease', 10, 2, 'K7030', 'Alcoholic cirrhosis of liver without ascites'),
    ('mild_liver_disease', 10, 3, 'B182', 'Chronic viral hepatitis C'),
    ('mild_liver_disease', 10, 4, 'K760', 'Fatty (change of) liver, not elsewhere classified'),
    ('severe_liver_disease', 9, 1, '5722', 'Hepatic encephalopathy'),
    ('severe_liver_disease', 9, 2, '4560', 'Esophageal varices with bleeding'),
    ('severe_liver_disease', 9, 3, '5724', 'Hepatorenal syndrome'),
    ('severe_liver_disease', 10, 1, 'K7290', 'Hepatic failure, unspecified without coma'),
    ('severe_liver_disease', 10, 2, 'I8501', 'Esophageal varices with bleeding'),
    ('severe_liver_disease', 10, 3, 'K767', 'Hepatorenal syndrome'),
    (
        'diabetes_without_cc', 9, 1, '25000',
        'Diabetes mellitus without mention of complication, type II or unspecified type, not stated as uncontrolled'
    ),
    (
        'diabetes_without_cc', 9, 2, '25002',
        'Diabetes mellitus without mention of complication, type II or unspecified type, uncontrolled'
    ),
    ('diabetes_without_cc', 10, 1, 'E119', 'Type 2 diabetes mellitus without complications'),
    ('diabetes_without_cc', 10, 2, 'E1165', 'Type 2 diabetes mellitus with hyperglycemia'),
    ('diabetes_without_cc', 10, 3, 'E109', 'Type 1 diabetes mellitus without complications'),
    (
        'diabetes_with_cc', 9, 1, '25040',
        'Diabetes with renal manifestations, type II or unspecified type, not stated as uncontrolled'
    ),
    (
        'diabetes_with_cc', 9, 2, '25060',
        'Diabetes with neurological manifestations, type II or unspecified type, not stated as uncontrolled'
    ),
    ('diabetes_with_cc', 10, 1, 'E1122', 'Type 2 diabetes mellitus with diabetic chronic kidney disease'),
    ('diabetes_with_cc', 10, 2, 'E1140', 'Type 2 diabetes mellitus with diabetic neuropathy, unspecified'),
    ('paraplegia', 9, 1, '34290', 'Hemiplegia, unspecified, affecting unspecified side'),
    ('paraplegia', 9, 2, '3441', 'Paraplegia'),
    ('paraplegia', 9, 3, '34400', 'Quadriplegia, unspecified'),
    ('paraplegia', 10, 1, 'G8190', 'Hemiplegia, unspecified affecting unspecified side'),
    ('paraplegia', 10, 2, 'G8220', 'Paraplegia, unspecified'),
    ('paraplegia', 10, 3, 'G8250', 'Quadriplegia, unspecified'),
    ('renal_disease', 9, 1, '5859', 'Chronic kidney disease, unspecified'),
    ('renal_disease', 9, 2, '5853', 'Chronic kidney disease, Stage III (moderate)'),
    ('renal_disease', 9, 3, '5854', 'Chronic kidney disease, Stage IV (severe)'),
    ('renal_disease', 9, 4, '5856', 'End stage renal disease'),
    ('renal_disease', 10, 1, 'N189', 'Chronic kidney disease, unspecified'),
    ('renal_disease', 10, 2, 'N183', 'Chronic kidney disease, stage 3 (moderate)'),
    ('renal_disease', 10, 3, 'N184', 'Chronic kidney disease, stage 4 (severe)'),
    ('renal_disease', 10, 4, 'N186', 'End stage renal disease'),
    ('malignant_cancer', 9, 1, '1629', 'Malignant neoplasm of bronchus and lung, unspecified'),
    ('malignant_cancer', 9, 2, '1539', 'Malignant neoplasm of colon, unspecified site'),
    ('malignant_cancer', 9, 3, '185', 'Malignant neoplasm of prostate'),
    ('malignant_cancer', 10, 1, 'C3490', 'Malignant neoplasm of unspecified part of unspecified bronchus or lung'),
    ('malignant_cancer', 10, 2, 'C189', 'Malignant neoplasm of colon, unspecified'),
    ('malignant_cancer', 10, 3, 'C61', 'Malignant neoplasm of prostate'),
    ('blood_cancer', 9, 1, '20280', 'Other malignant lymphomas, unspecified site, extranodal and solid organ sites'),
    ('blood_cancer', 9, 2, '20300', 'Multiple myeloma, without mention of having achieved remission'),
    ('blood_cancer', 9, 3, '20500', 'Acute myeloid leukemia, without mention of having achieved remission'),
    ('blood_cancer', 10, 1, 'C8590', 'Non-Hodgkin lymphoma, unspecified, unspecified site'),
    ('blood_cancer', 10, 2, 'C9000', 'Multiple myeloma not having achieved remission'),
    ('blood_cancer', 10, 3, 'C9200', 'Acute myeloblastic leukemia, not having achieved remission'),
    ('metastatic_solid_tumor', 9, 1, '1970', 'Secondary malignant neoplasm of lung'),
    ('metastatic_solid_tumor', 9, 2, '1977', 'Malignant neoplasm of liver, secondary'),
    ('metastatic_solid_tumor', 9, 3, '1983', 'Secondary malignant neoplasm of brain and spinal cord'),
    ('metastatic_solid_tumor', 10, 1, 'C7800', 'Secondary malignant neoplasm of unspecified lung'),
    ('metastatic_solid_tumor', 10, 2, 'C787', 'Secondary malignant neoplasm of liver and intrahepatic bile duct'),
    ('metastatic_solid_tumor', 10, 3, 'C7931', 'Secondary malignant neoplasm of brain'),
    ('aids', 9, 1, '042', 'Human immunodeficiency virus [HIV] disease'),
    ('aids', 10, 1, 'B20', 'Human immunodeficiency virus [HIV] disease'),
    ('hypertension', 9, 1, '4019', 'Unspecified essential hypertension'),
    ('hypertension', 10, 1, 'I10', 'Essential (primary) hypertension'),
    ('hyperlipidaemia', 9, 1, '2724', 'Other and unspecified hyperlipidemia'),
    ('hyperlipidaemia', 10, 1, 'E785', 'Hyperlipidemia, unspecified'),
    ('atrial_fibrillation', 9, 1, '42731', 'Atrial fibrillation'),
    ('atrial_fibrillation', 10, 1, 'I4891', 'Unspecified atrial fibrillation'),
    ('sepsis', 9, 1, '99592', 'Severe sepsis'),
    ('sepsis', 10, 1, 'R6520', 'Severe sepsis without septic shock'),
    ('acute_kidney_failure', 9, 1, '5849', 'Acute kidney failure, unspecified'),
    ('acute_kidney_failure', 10, 1, 'N179', 'Acute kidney failure, unspecified'),
    ('respiratory_failure', 9, 1, '51881', 'Acute respiratory failure'),
    ('respiratory_failure', 10, 1, 'J9601', 'Acute respiratory failure with hypoxia'),
    ('pneumonia', 9, 1, '486', 'Pneumonia, organism unspecified'),
    ('pneumonia', 10, 1, 'J189', 'Pneumonia, unspecified organism'),
    ('smoking', 9, 1, 'V1582', 'Personal history of tobacco use'),
    ('smoking', 10, 1, 'Z87891', 'Personal history of nicotine dependence')
) AS code (condition, icd_version, choice, icd_code, long_title);

CREATE TABLE d_icd_diagnoses AS
SELECT DISTINCT icd_code, icd_version, long_title FROM condition_code;

-- "per_decade" is what a decade over or under 65 adds to the share of patients who have the condition.
CREATE TABLE chronic_condition AS
SELECT * FROM (
    VALUES
    ('myocardial_infarct', 0.13, 0.02),
    ('congestive_heart_failure', 0.22, 0.04),
    ('peripheral_vascular_disease', 0.10, 0.02),
    ('cerebrovascular_disease', 0.11, 0.02),
    ('dementia', 0.05, 0.03),
    ('chronic_pulmonary_disease', 0.21, 0.01),
    ('rheumatic_disease', 0.035, 0.0),
    ('peptic_ulcer_disease', 0.03, 0.0),
    ('diabetes_without_cc', 0.22, 0.02),
    ('diabetes_with_cc', 0.10, 0.01),
    ('paraplegia', 0.04, 0.0),
    ('malignant_cancer', 0.12, 0.02),
    ('blood_cancer', 0.035, 0.0),
    ('aids', 0.014, -0.003),
    ('hypertension', 0.50, 0.06),
    ('hyperlipidaemia', 0.38, 0.04),
    ('atrial_fibrillation', 0.22, 0.05),
    ('smoking', 0.25, 0.0)
) AS listed (condition, share, per_decade);

CREATE VIEW coded_condition WITH (DEFER_BINDING) AS
WITH admission AS (
    SELECT
        hadm_id,
        any_value(subject_id) AS subject_id,
        any_value(patient_no) AS patient_no,
        any_value(admission_no) AS admission_no,
        any_value(chronic_kidney_disease) AS chronic_kidney_disease,
        any_value(cirrhosis) AS cirrhosis,
        max(kidneys) AS kidneys,
        max(liver) AS liver,
        max(lungs) AS lungs,
        max(circulation) AS circulation,
        bool_or(inflamed) AS inflamed
    FROM illness
    GROUP BY hadm_id
),

patient AS (
    SELECT
        admission.*,
        patients.anchor_age,
        CASE
            WHEN patients.anchor_year_group < '2014' THEN 9
            WHEN patients.anchor_year_group > '2017' OR chance(admission_no, 'coding year') < 0.5 THEN 10
            ELSE 9
        END AS icd_version
    FROM admission
    INNER JOIN patients USING (subject_id)
)

SELECT patient.*, condition
FROM patient, chronic_condition
WHERE
    chance(patient_no, condition) < share + per_decade * (anchor_age - 65) / 10
    AND chance(hash(admission_no, condition), 'coded') < 0.92
UNION ALL
SELECT *, 'renal_disease' FROM patient
WHERE chronic_kidney_disease
UNION ALL
SELECT *, unnest(['mild_liver_disease', 'severe_liver_disease'][1 : CASE WHEN liver >= 2 THEN 2 ELSE 1 END])
FROM patient
WHERE cirrhosis
UNION ALL
SELECT *, 'mild_liver_disease' FROM patient
WHERE NOT cirrhosis AND chance(patient_no, 'fatty liver') < 0.05
UNION ALL
-- a tumour that has spread is coded with or without the place it came from
SELECT *, 'metastatic_solid_tumor' FROM patient
WHERE chance(patient_no, 'malignant_cancer') < 0.04 OR chance(patient_no, 'unknown primary') < 0.01
UNION ALL
SELECT *, 'acute_kidney_failure' FROM patient
WHERE kidneys >= 2 AND chance(admission_no, 'kidney failure coded') < 0.8
UNION ALL
SELECT *, 'respiratory_failure' FROM patient
WHERE lungs >= 3
UNION ALL
SELECT *, 'pneumonia' FROM patient
WHERE lungs >= 2 AND inflamed AND chance(admission_no, 'pneumonia') < 0.6
UNION ALL
SELECT *, 'sepsis' FROM patient
WHERE inflamed AND circulation >= 2;

CREATE VIEW diagnoses_icd WITH (DEFER_BINDING) AS
WITH number_of_codes AS (
    SELECT
        condition,
        icd_version,
        count(*) AS choices
    FROM condition_code
    GROUP BY condition, icd_version
)

SELECT
    coded.subject_id,
    coded.hadm_id,
    row_number() OVER (
        PARTITION BY coded.hadm_id ORDER BY chance(hash(coded.admission_no, coded.condition), 'rank'), coded.condition
    ) AS seq_num,
    code.icd_code,
    coded.icd_version
FROM coded_condition AS coded
INNER JOIN number_of_codes USING (condition, icd_version)
INNER JOIN condition_code AS code
    ON
        coded.condition = code.condition
        AND coded.icd_version = code.icd_version
        AND code.choice = 1 + CAST(floor(chance(hash(coded.patient_no, coded.condition), 'code') * choices) AS INTEGER);
