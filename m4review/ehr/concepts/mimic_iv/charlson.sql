-- charlson: Charlson Comorbidity Index from discharge codes.
--
-- grain:   one row per hospital admission, every admission
-- sources: mimiciv_hosp.admissions, mimiciv_hosp.diagnoses_icd, age
-- window:  none: all diagnoses of the admission, whatever their position; known at discharge only
-- units:   conditions 0 or 1; points
-- rules:   a condition is present when the first characters of a code lie in one of its ranges, compared as text
--          within its ICD version; a shorter code is compared as it is. Of mild and severe liver disease, diabetes
--          without and with complications, and cancer without and with metastases only the heavier counts in the
--          index. Age points below 50, 60, 70, 80 years: 0, 1, 2, 3, else 4
-- differs: the reference charlson gives the lower age points up to and including 50, 60, 70 and 80 years
-- source:  Charlson ME et al. J Chronic Dis 1987;40:373-383; Charlson M et al. J Clin Epidemiol 1994;47:1245-1251;
--          Quan H et al. Med Care 2005;43:1130-1139

WITH code_range AS (
    -- first and last prefix of a range, both included; a range of one prefix names it once
    SELECT
        condition,
        icd_version,
        unnest([
            {'lowest': split_part(prefixes, '-', 1), 'highest': split_part(prefixes, '-', -1)}
            FOR prefixes IN string_split(ranges, ' ')
        ], recursive := true)
    FROM (
        VALUES
        ('myocardial_infarct', 9, '410 412'),
        ('myocardial_infarct', 10, 'I21 I22 I252'),
        ('congestive_heart_failure', 9, '428 4254-4259 39891 40201 40211 40291 40401 40403 40411 40413 40491 40493'),
        ('congestive_heart_failure', 10, 'I43 I50 I099 I110 I130 I132 I255 I420 I425 I426 I427 I428 I429 P290'),
        ('peripheral_vascular_disease', 9, '440 441 0930 4373 4471 5571 5579 V434 4431-4439'),
        ('peripheral_vascular_disease', 10, 'I70 I71 I731 I738 I739 I771 I790 I792 K551 K558 K559 Z958 Z959'),
        ('cerebrovascular_disease', 9, '430-438 36234'),
        ('cerebrovascular_disease', 10, 'G45 G46 I60-I69 H340'),
        ('dementia', 9, '290 2941 3312'),
        ('dementia', 10, 'F00 F01 F02 F03 G30 F051 G311'),
        ('chronic_pulmonary_disease', 9, '490-505 4168 4169 5064 5081 5088'),
        ('chronic_pulmonary_disease', 10, 'J40-J47 J60-J67 I278 I279 J684 J701 J703'),
        ('rheumatic_disease', 9, '725 4465 7100 7101 7102 7103 7104 7140 7141 7142 7148'),
        ('rheumatic_disease', 10, 'M05 M06 M32 M33 M34 M315 M351 M353 M360'),
        ('peptic_ulcer_disease', 9, '531 532 533 534'),
        ('peptic_ulcer_disease', 10, 'K25 K26 K27 K28'),
        ('mild_liver_disease', 9, '570 571 0706 0709 5733 5734 5738 5739 V427 07022 07023 07032 07033 07044 07054'),
        (
            'mild_liver_disease', 10,
            'B18 K73 K74 K700 K701 K702 K703 K709 K713 K714 K715 K717 K760 K762 K763 K764 K768 K769 Z944'
        ),
        ('diabetes_without_cc', 9, '2500 2501 2502 2503 2508 2509'),
        (
            'diabetes_without_cc', 10,
            'E100 E101 E106 E108 E109 E110 E111 E116 E118 E119 E120 E121 E126 E128 E129 E130 E131 E136 E138 E139'
            || ' E140 E141 E146 E148 E149'
        ),
        ('diabetes_with_cc', 9, '2504 2505 2506 2507'),
        (
            'diabetes_with_cc', 10,
            'E102 E103 E104 E105 E107 E112 E113 E114 E115 E117 E122 E123 E124 E125 E127 E132 E133 E134 E135 E137'
            || ' E142 E143 E144 E145 E147'
        ),
        ('paraplegia', 9, '342 343 3341 3440 3441 3442 3443 3444 3445 3446 3449'),
        ('paraplegia', 10, 'G81 G82 G041 G114 G801 G802 G830 G831 G832 G833 G834 G839'),
        (
            'renal_disease', 9,
            '582 585 586 V56 5880 V420 V451 5830-5837 40301 40311 40391 40402 40403 40412 40413 40492 40493'
        ),
        (
            'renal_disease', 10,
            'N18 N19 I120 I131 N032 N033 N034 N035 N036 N037 N052 N053 N054 N055 N056 N057 N250 Z490 Z491 Z492'
            || ' Z940 Z992'
        ),
        ('malignant_cancer', 9, '140-172 1740-1958 200-208 2386'),
        ('malignant_cancer', 10, 'C43 C88 C00-C26 C30-C34 C37-C41 C45-C58 C60-C76 C81-C85 C90-C97'),
        ('severe_liver_disease', 9, '4560 4561 4562 5722-5728'),
        ('severe_liver_disease', 10, 'I850 I859 I864 I982 K704 K711 K721 K729 K765 K766 K767'),
        ('metastatic_solid_tumor', 9, '196 197 198 199'),
        ('metastatic_solid_tumor', 10, 'C77 C78 C79 C80'),
        ('aids', 9, '042 043 044'),
        ('aids', 10, 'B20 B21 B22 B24')
    ) AS listed (condition, icd_version, ranges)
),

coded_condition AS (
    SELECT DISTINCT
        code.icd_version,
        code.icd_code,
        code_range.condition
    FROM (SELECT DISTINCT icd_version, icd_code FROM mimiciv_hosp.diagnoses_icd) AS code
    INNER JOIN code_range
        ON
            code.icd_version = code_range.icd_version
            AND left(code.icd_code, length(code_range.lowest)) BETWEEN code_range.lowest AND code_range.highest
),

admission_condition AS (
    SELECT DISTINCT
        diagnosis.hadm_id,
        coded_condition.condition
    FROM mimiciv_hosp.diagnoses_icd AS diagnosis
    INNER JOIN coded_condition
        ON
            diagnosis.icd_version = coded_condition.icd_version
            AND diagnosis.icd_code = coded_condition.icd_code
),

flags AS (
    SELECT
        admission.subject_id,
        admission.hadm_id,
        CAST(count(*) FILTER (condition = 'myocardial_infarct') AS INTEGER) AS myocardial_infarct,
        CAST(count(*) FILTER (condition = 'congestive_heart_failure') AS INTEGER) AS congestive_heart_failure,
        CAST(count(*) FILTER (condition = 'peripheral_vascular_disease') AS INTEGER) AS peripheral_vascular_disease,
        CAST(count(*) FILTER (condition = 'cerebrovascular_disease') AS INTEGER) AS cerebrovascular_disease,
        CAST(count(*) FILTER (condition = 'dementia') AS INTEGER) AS dementia,
        CAST(count(*) FILTER (condition = 'chronic_pulmonary_disease') AS INTEGER) AS chronic_pulmonary_disease,
        CAST(count(*) FILTER (condition = 'rheumatic_disease') AS INTEGER) AS rheumatic_disease,
        CAST(count(*) FILTER (condition = 'peptic_ulcer_disease') AS INTEGER) AS peptic_ulcer_disease,
        CAST(count(*) FILTER (condition = 'mild_liver_disease') AS INTEGER) AS mild_liver_disease,
        CAST(count(*) FILTER (condition = 'diabetes_without_cc') AS INTEGER) AS diabetes_without_cc,
        CAST(count(*) FILTER (condition = 'diabetes_with_cc') AS INTEGER) AS diabetes_with_cc,
        CAST(count(*) FILTER (condition = 'paraplegia') AS INTEGER) AS paraplegia,
        CAST(count(*) FILTER (condition = 'renal_disease') AS INTEGER) AS renal_disease,
        CAST(count(*) FILTER (condition = 'malignant_cancer') AS INTEGER) AS malignant_cancer,
        CAST(count(*) FILTER (condition = 'severe_liver_disease') AS INTEGER) AS severe_liver_disease,
        CAST(count(*) FILTER (condition = 'metastatic_solid_tumor') AS INTEGER) AS metastatic_solid_tumor,
        CAST(count(*) FILTER (condition = 'aids') AS INTEGER) AS aids
    FROM mimiciv_hosp.admissions AS admission
    LEFT JOIN admission_condition ON admission.hadm_id = admission_condition.hadm_id
    GROUP BY admission.subject_id, admission.hadm_id
),

with_age_points AS (
    SELECT
        flags.*,
        CASE
            WHEN age.age < 50 THEN 0
            WHEN age.age < 60 THEN 1
            WHEN age.age < 70 THEN 2
            WHEN age.age < 80 THEN 3
            WHEN age.age IS NOT NULL THEN 4
        END AS age_score
    FROM flags
    LEFT JOIN mimiciv_derived.age AS age ON flags.hadm_id = age.hadm_id
)

SELECT
    subject_id,
    hadm_id,
    age_score,
    myocardial_infarct,
    congestive_heart_failure,
    peripheral_vascular_disease,
    cerebrovascular_disease,
    dementia,
    chronic_pulmonary_disease,
    rheumatic_disease,
    peptic_ulcer_disease,
    mild_liver_disease,
    diabetes_without_cc,
    diabetes_with_cc,
    paraplegia,
    renal_disease,
    malignant_cancer,
    severe_liver_disease,
    metastatic_solid_tumor,
    aids,
    age_score
    + myocardial_infarct
    + congestive_heart_failure
    + peripheral_vascular_disease
    + cerebrovascular_disease
    + dementia
    + chronic_pulmonary_disease
    + rheumatic_disease
    + peptic_ulcer_disease
    + greatest(mild_liver_disease, 3 * severe_liver_disease)
    + greatest(diabetes_without_cc, 2 * diabetes_with_cc)
    + greatest(2 * malignant_cancer, 6 * metastatic_solid_tumor)
    + 2 * paraplegia
    + 2 * renal_disease
    + 6 * aids AS charlson_comorbidity_index
FROM with_age_points
ORDER BY subject_id, hadm_id
