-- oasis: Oxford Acute Severity of Illness Score of the first ICU day.
--
-- grain:   one row per ICU stay with its admission
-- sources: mimiciv_icu.icustays, mimiciv_hosp.admissions and services; age, first_day_gcs, first_day_vitalsign,
--          first_day_urine_output, ventilation
-- window:  ICU admission - 6 h to + 24 h, both ends included; urine and ventilation from admission on; services of
--          the admission that began before ICU admission + 24 h
-- units:   whole minutes (boundaries crossed), years, /min, mmHg, degrees Celsius, mL
-- rules:   each component takes the first line that fits and is missing without its value; the score adds them,
--          missing as 0. Surgical means any such service named "surg" in part or ORTHO; elective surgery is that with
--          an admission of type ELECTIVE. Ventilated means an invasive episode that starts or ends on the first day
--          or spans it. heartrate, meanbp, resprate and temp are the value that scored, else the middle of lowest and
--          highest
-- differs: the reference oasis-24h takes the time before the ICU in fractional minutes and puts out 0 for a missing
--          component
-- source:  Johnson AE, Kramer AA, Clifford GD. Crit Care Med 2013;41:1711-1718

WITH surgical_admission AS (
    SELECT DISTINCT stay.stay_id
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_hosp.services AS service ON stay.hadm_id = service.hadm_id
    WHERE
        service.transfertime < stay.intime + INTERVAL 24 HOUR
        AND (contains(lower(service.curr_service), 'surg') OR service.curr_service = 'ORTHO')
),

ventilated_stay AS (
    SELECT DISTINCT stay.stay_id
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.ventilation AS episode
        ON stay.stay_id = episode.stay_id AND episode.ventilation_status = 'InvasiveVent'
    WHERE
        episode.starttime BETWEEN stay.intime AND stay.intime + INTERVAL 24 HOUR
        OR episode.endtime BETWEEN stay.intime AND stay.intime + INTERVAL 24 HOUR
        OR (episode.starttime <= stay.intime AND episode.endtime >= stay.intime + INTERVAL 24 HOUR)
),

first_day AS (
    SELECT
        stay.subject_id,
        stay.hadm_id,
        stay.stay_id,
        date_diff('minute', admission.admittime, stay.intime) AS preiculos,
        age.age,
        coma.gcs_min,
        vital.heart_rate_min,
        vital.heart_rate_max,
        vital.mbp_min,
        vital.mbp_max,
        vital.resp_rate_min,
        vital.resp_rate_max,
        vital.temperature_min,
        vital.temperature_max,
        urine.urineoutput,
        CASE WHEN ventilated_stay.stay_id IS NULL THEN 0 ELSE 1 END AS mechvent,
        CASE
            WHEN admission.admission_type = 'ELECTIVE' AND surgical_admission.stay_id IS NOT NULL THEN 1
            WHEN admission.admission_type IS NOT NULL THEN 0
        END AS electivesurgery
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_hosp.admissions AS admission ON stay.hadm_id = admission.hadm_id
    LEFT JOIN mimiciv_derived.age AS age ON stay.hadm_id = age.hadm_id
    LEFT JOIN surgical_admission ON stay.stay_id = surgical_admission.stay_id
    LEFT JOIN ventilated_stay ON stay.stay_id = ventilated_stay.stay_id
    LEFT JOIN mimiciv_derived.first_day_gcs AS coma ON stay.stay_id = coma.stay_id
    LEFT JOIN mimiciv_derived.first_day_vitalsign AS vital ON stay.stay_id = vital.stay_id
    LEFT JOIN mimiciv_derived.first_day_urine_output AS urine ON stay.stay_id = urine.stay_id
),

scored AS (
    SELECT
        subject_id,
        hadm_id,
        stay_id,
        age,
        CASE
            WHEN age < 24 THEN 0
            WHEN age <= 53 THEN 3
            WHEN age <= 77 THEN 6
            WHEN age <= 89 THEN 9
            WHEN age >= 90 THEN 7
        END AS age_score,
        preiculos,
        CASE
            WHEN preiculos < 10.2 THEN 5
            WHEN preiculos < 297 THEN 3
            WHEN preiculos < 1440 THEN 0
            WHEN preiculos < 18708 THEN 2
            WHEN preiculos IS NOT NULL THEN 1
        END AS preiculos_score,
        gcs_min AS gcs,
        CASE
            WHEN gcs_min <= 7 THEN 10
            WHEN gcs_min < 14 THEN 4
            WHEN gcs_min = 14 THEN 3
            WHEN gcs_min IS NOT NULL THEN 0
        END AS gcs_score,
        CASE
            WHEN heart_rate_max > 125 THEN heart_rate_max
            WHEN heart_rate_min < 33 THEN heart_rate_min
            WHEN heart_rate_max BETWEEN 107 AND 125 THEN heart_rate_max
            WHEN heart_rate_max BETWEEN 89 AND 106 THEN heart_rate_max
            ELSE (heart_rate_min + heart_rate_max) / 2
        END AS heartrate,
        CASE
            WHEN heart_rate_max > 125 THEN 6
            WHEN heart_rate_min < 33 THEN 4
            WHEN heart_rate_max BETWEEN 107 AND 125 THEN 3
            WHEN heart_rate_max BETWEEN 89 AND 106 THEN 1
            WHEN heart_rate_max IS NOT NULL THEN 0
        END AS heart_rate_score,
        CASE
            WHEN mbp_min < 20.65 THEN mbp_min
            WHEN mbp_min < 51 THEN mbp_min
            WHEN mbp_max > 143.44 THEN mbp_max
            WHEN mbp_min >= 51 AND mbp_min < 61.33 THEN mbp_min
            ELSE (mbp_min + mbp_max) / 2
        END AS meanbp,
        CASE
            WHEN mbp_min < 20.65 THEN 4
            WHEN mbp_min < 51 THEN 3
            WHEN mbp_max > 143.44 THEN 3
            WHEN mbp_min >= 51 AND mbp_min < 61.33 THEN 2
            WHEN mbp_min IS NOT NULL THEN 0
        END AS mbp_score,
        CASE
            WHEN resp_rate_min < 6 THEN resp_rate_min
            WHEN resp_rate_max > 22 THEN resp_rate_max
            WHEN resp_rate_min < 13 THEN resp_rate_min
            ELSE (resp_rate_min + resp_rate_max) / 2
        END AS resprate,
        CASE
            WHEN resp_rate_min < 6 THEN 10
            WHEN resp_rate_max > 44 THEN 9
            WHEN resp_rate_max > 30 THEN 6
            WHEN resp_rate_max > 22 THEN 1
            WHEN resp_rate_min < 13 THEN 1
            WHEN resp_rate_min IS NOT NULL THEN 0
        END AS resp_rate_score,
        CASE
            WHEN temperature_max > 39.88 THEN temperature_max
            WHEN temperature_min BETWEEN 33.22 AND 35.93 THEN temperature_min
            WHEN temperature_max BETWEEN 33.22 AND 35.93 THEN temperature_max
            WHEN temperature_min < 33.22 THEN temperature_min
            WHEN temperature_min > 35.93 AND temperature_min <= 36.39 THEN temperature_min
            WHEN temperature_max BETWEEN 36.89 AND 39.88 THEN temperature_max
            ELSE (temperature_min + temperature_max) / 2
        END AS temp,
        CASE
            WHEN temperature_max > 39.88 THEN 6
            WHEN temperature_min BETWEEN 33.22 AND 35.93 THEN 4
            WHEN temperature_max BETWEEN 33.22 AND 35.93 THEN 4
            WHEN temperature_min < 33.22 THEN 3
            WHEN temperature_min > 35.93 AND temperature_min <= 36.39 THEN 2
            WHEN temperature_max BETWEEN 36.89 AND 39.88 THEN 2
            WHEN temperature_max IS NOT NULL THEN 0
        END AS temp_score,
        urineoutput,
        CASE
            WHEN urineoutput < 671.09 THEN 10
            WHEN urineoutput > 6896.80 THEN 8
            WHEN urineoutput BETWEEN 671.09 AND 1426.99 THEN 5
            WHEN urineoutput BETWEEN 1427.00 AND 2544.14 THEN 1
            WHEN urineoutput IS NOT NULL THEN 0
        END AS urineoutput_score,
        mechvent,
        CASE WHEN mechvent = 1 THEN 9 ELSE 0 END AS mechvent_score,
        electivesurgery,
        CASE WHEN electivesurgery = 1 THEN 0 ELSE 6 END AS electivesurgery_score
    FROM first_day
),

total AS (
    SELECT
        *,
        coalesce(age_score, 0)
        + coalesce(preiculos_score, 0)
        + coalesce(gcs_score, 0)
        + coalesce(heart_rate_score, 0)
        + coalesce(mbp_score, 0)
        + coalesce(resp_rate_score, 0)
        + coalesce(temp_score, 0)
        + coalesce(urineoutput_score, 0)
        + mechvent_score
        + electivesurgery_score AS oasis
    FROM scored
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    oasis,
    1 / (1 + exp(-(-6.1746 + 0.1275 * oasis))) AS oasis_prob,
    age,
    age_score,
    preiculos,
    preiculos_score,
    gcs,
    gcs_score,
    heartrate,
    heart_rate_score,
    meanbp,
    mbp_score,
    resprate,
    resp_rate_score,
    temp,
    temp_score,
    urineoutput,
    urineoutput_score,
    mechvent,
    mechvent_score,
    electivesurgery,
    electivesurgery_score
FROM total
ORDER BY stay_id
