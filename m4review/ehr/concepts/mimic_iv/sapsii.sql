-- sapsii: Simplified Acute Physiology Score II of the first ICU day.
--
-- grain:   one row per ICU stay with its admission
-- sources: mimiciv_icu.icustays, mimiciv_hosp.admissions, services and diagnoses_icd, mimiciv_icu.chartevents 226732
--          O2 Delivery Device(s); age; vitalsign, chemistry, complete_blood_count, enzyme, bg (by patient); gcs,
--          urine_output, ventilation (by stay)
-- window:  after ICU admission up to 24 h later, the start excluded; diagnoses and first service of the hospital
--          admission
-- units:   /min, mmHg, degrees Celsius, mL, mg/dL, K/uL, mEq/L, years
-- rules:   each component takes the first line that fits and is missing without its value; the score adds them,
--          missing as 0. The oxygenation ratio counts for arterial gases during invasive ventilation (start of the
--          episode excluded) or mask support. Mask support lasts from 1 h before the first to 4 h after the last
--          mention of a CPAP or BiPAP mask, cut to the first day; the gases of any stay of the patient may fall into
--          it. Surgical means a first service whose name holds "surg"; scheduled means an admission of type ELECTIVE.
-- ties:    of several first services at one time, the first by name; urine volumes are added from the oldest to the
--          newest
-- source:  Le Gall JR, Lemeshow S, Saulnier F. JAMA 1993;270:2957-2963

WITH first_day AS (
    SELECT
        stay.subject_id,
        stay.hadm_id,
        stay.stay_id,
        stay.intime AS starttime,
        stay.intime + INTERVAL 24 HOUR AS endtime,
        admission.admission_type,
        age.age
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_hosp.admissions AS admission ON stay.hadm_id = admission.hadm_id
    LEFT JOIN mimiciv_derived.age AS age ON stay.hadm_id = age.hadm_id
),

vital AS (
    SELECT
        first_day.stay_id,
        min(sign.heart_rate) AS hr_min,
        max(sign.heart_rate) AS hr_max,
        min(sign.sbp) AS sbp_min,
        max(sign.sbp) AS sbp_max,
        max(sign.temperature) AS temp_max
    FROM first_day
    INNER JOIN mimiciv_derived.vitalsign AS sign
        ON
            first_day.subject_id = sign.subject_id
            AND sign.charttime > first_day.starttime
            AND sign.charttime <= first_day.endtime
    GROUP BY first_day.stay_id
),

mask_support AS (
    SELECT
        first_day.subject_id,
        greatest(min(device.charttime) - INTERVAL 1 HOUR, first_day.starttime) AS starttime,
        least(max(device.charttime) + INTERVAL 4 HOUR, first_day.endtime) AS endtime
    FROM first_day
    INNER JOIN mimiciv_icu.chartevents AS device
        ON
            first_day.stay_id = device.stay_id
            AND device.itemid = 226732
            AND device.charttime > first_day.starttime
            AND device.charttime <= first_day.endtime
            AND (contains(lower(device.value), 'cpap mask') OR contains(lower(device.value), 'bipap'))
    GROUP BY first_day.subject_id, first_day.stay_id, first_day.starttime, first_day.endtime
),

supported_gas AS (
    SELECT
        first_day.stay_id,
        gas.pao2fio2ratio
    FROM first_day
    INNER JOIN mimiciv_derived.bg AS gas
        ON
            first_day.subject_id = gas.subject_id
            AND gas.specimen = 'ART.'
            AND gas.charttime > first_day.starttime
            AND gas.charttime <= first_day.endtime
    WHERE
        EXISTS (
            SELECT 1 FROM mimiciv_derived.ventilation AS episode
            WHERE
                episode.stay_id = first_day.stay_id
                AND episode.ventilation_status = 'InvasiveVent'
                AND gas.charttime > episode.starttime
                AND gas.charttime <= episode.endtime
        )
        OR EXISTS (
            SELECT 1 FROM mask_support
            WHERE
                mask_support.subject_id = gas.subject_id
                AND gas.charttime > mask_support.starttime
                AND gas.charttime <= mask_support.endtime
        )
),

oxygenation AS (
    SELECT
        stay_id,
        min(pao2fio2ratio) AS pf
    FROM supported_gas
    GROUP BY stay_id
),

urine AS (
    SELECT
        first_day.stay_id,
        sum(volume.urineoutput ORDER BY volume.charttime) AS urineoutput
    FROM first_day
    INNER JOIN mimiciv_derived.urine_output AS volume
        ON
            first_day.stay_id = volume.stay_id
            AND volume.charttime > first_day.starttime
            AND volume.charttime <= first_day.endtime
    GROUP BY first_day.stay_id
),

blood_chemistry AS (
    SELECT
        first_day.stay_id,
        max(lab.bun) AS bun_max,
        min(lab.potassium) AS potassium_min,
        max(lab.potassium) AS potassium_max,
        min(lab.sodium) AS sodium_min,
        max(lab.sodium) AS sodium_max,
        min(lab.bicarbonate) AS bicarbonate_min
    FROM first_day
    INNER JOIN mimiciv_derived.chemistry AS lab
        ON
            first_day.subject_id = lab.subject_id
            AND lab.charttime > first_day.starttime
            AND lab.charttime <= first_day.endtime
    GROUP BY first_day.stay_id
),

white_cells AS (
    SELECT
        first_day.stay_id,
        min(lab.wbc) AS wbc_min,
        max(lab.wbc) AS wbc_max
    FROM first_day
    INNER JOIN mimiciv_derived.complete_blood_count AS lab
        ON
            first_day.subject_id = lab.subject_id
            AND lab.charttime > first_day.starttime
            AND lab.charttime <= first_day.endtime
    GROUP BY first_day.stay_id
),

liver AS (
    SELECT
        first_day.stay_id,
        max(lab.bilirubin_total) AS bilirubin_max
    FROM first_day
    INNER JOIN mimiciv_derived.enzyme AS lab
        ON
            first_day.subject_id = lab.subject_id
            AND lab.charttime > first_day.starttime
            AND lab.charttime <= first_day.endtime
    GROUP BY first_day.stay_id
),

coma AS (
    SELECT
        first_day.stay_id,
        min(scale.gcs) AS gcs_min
    FROM first_day
    INNER JOIN mimiciv_derived.gcs AS scale
        ON
            first_day.stay_id = scale.stay_id
            AND scale.charttime > first_day.starttime
            AND scale.charttime <= first_day.endtime
    GROUP BY first_day.stay_id
),

comorbidity AS (
    SELECT
        hadm_id,
        bool_or(
            (icd_version = 9 AND left(icd_code, 3) BETWEEN '042' AND '044')
            OR (icd_version = 10 AND (left(icd_code, 3) BETWEEN 'B20' AND 'B22' OR left(icd_code, 3) = 'B24'))
        ) AS aids,
        bool_or(
            (
                icd_version = 9
                AND (
                    left(icd_code, 5) BETWEEN '20000' AND '20238'
                    OR left(icd_code, 5) BETWEEN '20240' AND '20248'
                    OR left(icd_code, 5) BETWEEN '20250' AND '20382'
                    OR left(icd_code, 5) BETWEEN '20400' AND '20522'
                    OR left(icd_code, 5) BETWEEN '20580' AND '20702'
                    OR left(icd_code, 5) BETWEEN '20720' AND '20892'
                    OR left(icd_code, 4) IN ('2386', '2733')
                )
            )
            OR (icd_version = 10 AND left(icd_code, 3) BETWEEN 'C81' AND 'C96')
        ) AS haematological_malignancy,
        bool_or(
            (
                icd_version = 9
                AND (
                    left(icd_code, 4) BETWEEN '1960' AND '1991'
                    OR left(icd_code, 5) BETWEEN '20970' AND '20975'
                    OR left(icd_code, 5) IN ('20979', '78951')
                )
            )
            OR (icd_version = 10 AND (left(icd_code, 3) BETWEEN 'C77' AND 'C79' OR left(icd_code, 4) = 'C800'))
        ) AS metastatic_cancer
    FROM mimiciv_hosp.diagnoses_icd
    GROUP BY hadm_id
),

first_service AS (
    SELECT
        hadm_id,
        contains(lower(curr_service), 'surg') AS surgical
    FROM mimiciv_hosp.services
    QUALIFY row_number() OVER (PARTITION BY hadm_id ORDER BY transfertime, curr_service) = 1
),

points AS (
    SELECT
        first_day.subject_id,
        first_day.hadm_id,
        first_day.stay_id,
        first_day.starttime,
        first_day.endtime,
        CASE
            WHEN first_day.age < 40 THEN 0
            WHEN first_day.age < 60 THEN 7
            WHEN first_day.age < 70 THEN 12
            WHEN first_day.age < 75 THEN 15
            WHEN first_day.age < 80 THEN 16
            WHEN first_day.age >= 80 THEN 18
        END AS age_score,
        CASE
            WHEN vital.hr_min < 40 THEN 11
            WHEN vital.hr_max >= 160 THEN 7
            WHEN vital.hr_max >= 120 THEN 4
            WHEN vital.hr_min < 70 THEN 2
            WHEN vital.hr_max IS NOT NULL THEN 0
        END AS hr_score,
        CASE
            WHEN vital.sbp_min < 70 THEN 13
            WHEN vital.sbp_min < 100 THEN 5
            WHEN vital.sbp_max >= 200 THEN 2
            WHEN vital.sbp_min IS NOT NULL THEN 0
        END AS sysbp_score,
        CASE
            WHEN vital.temp_max >= 39.0 THEN 3
            WHEN vital.temp_max IS NOT NULL THEN 0
        END AS temp_score,
        CASE
            WHEN oxygenation.pf < 100 THEN 11
            WHEN oxygenation.pf < 200 THEN 9
            WHEN oxygenation.pf >= 200 THEN 6
        END AS pao2fio2_score,
        CASE
            WHEN urine.urineoutput < 500 THEN 11
            WHEN urine.urineoutput < 1000 THEN 4
            WHEN urine.urineoutput >= 1000 THEN 0
        END AS uo_score,
        CASE
            WHEN blood_chemistry.bun_max < 28 THEN 0
            WHEN blood_chemistry.bun_max < 84 THEN 6
            WHEN blood_chemistry.bun_max >= 84 THEN 10
        END AS bun_score,
        CASE
            WHEN white_cells.wbc_min < 1.0 THEN 12
            WHEN white_cells.wbc_max >= 20.0 THEN 3
            WHEN white_cells.wbc_max IS NOT NULL THEN 0
        END AS wbc_score,
        CASE
            WHEN blood_chemistry.potassium_min < 3.0 THEN 3
            WHEN blood_chemistry.potassium_max >= 5.0 THEN 3
            WHEN blood_chemistry.potassium_max IS NOT NULL THEN 0
        END AS potassium_score,
        CASE
            WHEN blood_chemistry.sodium_min < 125 THEN 5
            WHEN blood_chemistry.sodium_max >= 145 THEN 1
            WHEN blood_chemistry.sodium_max IS NOT NULL THEN 0
        END AS sodium_score,
        CASE
            WHEN blood_chemistry.bicarbonate_min < 15 THEN 6
            WHEN blood_chemistry.bicarbonate_min < 20 THEN 3
            WHEN blood_chemistry.bicarbonate_min IS NOT NULL THEN 0
        END AS bicarbonate_score,
        CASE
            WHEN liver.bilirubin_max < 4.0 THEN 0
            WHEN liver.bilirubin_max < 6.0 THEN 4
            WHEN liver.bilirubin_max >= 6.0 THEN 9
        END AS bilirubin_score,
        CASE
            WHEN coma.gcs_min < 3 THEN NULL
            WHEN coma.gcs_min < 6 THEN 26
            WHEN coma.gcs_min < 9 THEN 13
            WHEN coma.gcs_min < 11 THEN 7
            WHEN coma.gcs_min < 14 THEN 5
            WHEN coma.gcs_min <= 15 THEN 0
        END AS gcs_score,
        CASE
            WHEN comorbidity.aids THEN 17
            WHEN comorbidity.haematological_malignancy THEN 10
            WHEN comorbidity.metastatic_cancer THEN 9
            ELSE 0
        END AS comorbidity_score,
        CASE
            WHEN first_service.surgical AND first_day.admission_type = 'ELECTIVE' THEN 0
            WHEN first_service.surgical THEN 8
            ELSE 6
        END AS admissiontype_score
    FROM first_day
    LEFT JOIN vital ON first_day.stay_id = vital.stay_id
    LEFT JOIN oxygenation ON first_day.stay_id = oxygenation.stay_id
    LEFT JOIN urine ON first_day.stay_id = urine.stay_id
    LEFT JOIN blood_chemistry ON first_day.stay_id = blood_chemistry.stay_id
    LEFT JOIN white_cells ON first_day.stay_id = white_cells.stay_id
    LEFT JOIN liver ON first_day.stay_id = liver.stay_id
    LEFT JOIN coma ON first_day.stay_id = coma.stay_id
    LEFT JOIN comorbidity ON first_day.hadm_id = comorbidity.hadm_id
    LEFT JOIN first_service ON first_day.hadm_id = first_service.hadm_id
),

total AS (
    SELECT
        *,
        coalesce(age_score, 0)
        + coalesce(hr_score, 0)
        + coalesce(sysbp_score, 0)
        + coalesce(temp_score, 0)
        + coalesce(pao2fio2_score, 0)
        + coalesce(uo_score, 0)
        + coalesce(bun_score, 0)
        + coalesce(wbc_score, 0)
        + coalesce(potassium_score, 0)
        + coalesce(sodium_score, 0)
        + coalesce(bicarbonate_score, 0)
        + coalesce(bilirubin_score, 0)
        + coalesce(gcs_score, 0)
        + comorbidity_score
        + admissiontype_score AS sapsii
    FROM points
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    starttime,
    endtime,
    sapsii,
    1 / (1 + exp(-(-7.7631 + 0.0737 * sapsii + 0.9971 * ln(sapsii + 1)))) AS sapsii_prob,
    age_score,
    hr_score,
    sysbp_score,
    temp_score,
    pao2fio2_score,
    uo_score,
    bun_score,
    wbc_score,
    potassium_score,
    sodium_score,
    bicarbonate_score,
    bilirubin_score,
    gcs_score,
    comorbidity_score,
    admissiontype_score
FROM total
ORDER BY stay_id
