-- Severity scores: the variables of APACHE, abstracted for about six stays in seven. A value that was not there is -1,
-- a flag that was not there is missing.

CREATE TABLE apache AS
SELECT
    *,
    coalesce(intubated_at <= 1440, false) AS tube_on_day_1,
    chance(stay_no, 'abstracted') AS abstracted,
    least(6, greatest(1, worst_coma - 9)) AS motor_part,
    least(4, greatest(1, worst_coma - 11)) AS eyes_part,
    CASE WHEN intubated_at <= 1440 THEN 1 ELSE least(5, greatest(1, worst_coma - 10)) END AS verbal_part
FROM illness;

CREATE TABLE apacheapsvar AS
SELECT
    stay_no AS apacheapsvarid,
    patientunitstayid,
    CASE
        WHEN chance(stay_no, 'intubation known') > 0.01
            THEN CAST(tube_on_day_1 AND chance(stay_no, 'seen') > 0.1 AS BIGINT)
    END AS intubated,
    CAST(tube_on_day_1 OR (lungs >= 2 AND chance(stay_no, 'mask') < 0.3) AS BIGINT) AS vent,
    CAST(kidneys = 4 AND chance(stay_no, 'dialysis') < 0.5 AS BIGINT) AS dialysis,
    eyes_part AS eyes,
    motor_part AS motor,
    verbal_part AS verbal,
    CAST(tube_on_day_1 AND chance(stay_no, 'sedated by day') < 0.3 AS BIGINT) AS meds,
    CASE
        WHEN chance(stay_no, 'urine abstracted') < 0.45 THEN -1
        ELSE round(urine_per_day * least(minutes, 1440) / 1440 * uniform(stay_no, 'abstracted urine', 0.95, 1.05), 1)
    END AS urine,
    round(exp(normal(stay_no, 'white cells', 2.3 + 0.3 * CAST(inflamed AS INTEGER), 0.4)), 1) AS wbc,
    round(extreme_temperature, 1) AS temperature,
    coalesce(breaths_of_event, round(usual_breaths + 4)) AS respiratoryrate,
    round(normal(stay_no, 'sodium', 138, 4)) AS sodium,
    coalesce(heart_rate_of_event, round(usual_heart_rate + 12)) AS heartrate,
    lowest_pressure AS meanbp,
    CASE WHEN lungs >= 2 THEN round(normal(stay_no, 'ph', 7.36, 0.07), 2) ELSE -1 END AS ph,
    round(normal(stay_no, 'hematocrit', 34, 6), 1) AS hematocrit,
    round(exp(normal(stay_no, 'creatinine', -0.15 + 0.45 * kidneys, 0.3)), 2) AS creatinine,
    CASE WHEN chance(stay_no, 'albumin known') < 0.5 THEN round(normal(stay_no, 'albumin', 3.0, 0.6), 1) ELSE -1 END
        AS albumin,
    CASE WHEN lungs >= 2 THEN round(normal(stay_no, 'pao2', 130 - 18 * lungs, 18)) ELSE -1 END AS pao2,
    CASE WHEN lungs >= 2 THEN round(normal(stay_no, 'pco2', 41, 7)) ELSE -1 END AS pco2,
    round(exp(normal(stay_no, 'urea', 2.8 + 0.35 * kidneys, 0.35))) AS bun,
    round(exp(normal(stay_no, 'glucose', 4.95, 0.3))) AS glucose,
    CASE
        WHEN chance(stay_no, 'bilirubin known') < 0.5 THEN round(exp(normal(stay_no, 'bilirubin', -0.4, 0.6)), 1)
        ELSE -1
    END AS bilirubin,
    CASE WHEN lungs >= 2 THEN 30 + 12 * lungs ELSE -1 END AS fio2
FROM apache
WHERE abstracted < 0.86;

CREATE TABLE apachepredvar AS
SELECT
    stay_no AS apachepredvarid,
    patientunitstayid,
    1 AS sicuday,
    0 AS saps3day1,
    0 AS saps3today,
    0 AS saps3yesterday,
    CAST(chance(patient_no, 'gender') < 0.54 AS BIGINT) AS gender,
    CAST(teachingstatus = 't' AS BIGINT) AS teachtype,
    CASE region WHEN 'Midwest' THEN 1 WHEN 'Northeast' THEN 2 WHEN 'South' THEN 3 WHEN 'West' THEN 4 END AS region,
    CASE numbedscategory WHEN '<100' THEN 1 WHEN '100 - 249' THEN 2 WHEN '250 - 499' THEN 3 WHEN '>= 500' THEN 4 END
        AS bedcount,
    CASE
        WHEN unitadmitsource = 'Operating Room' THEN 1
        WHEN unitadmitsource = 'Recovery Room' THEN 2
        WHEN unitadmitsource = 'Floor' THEN 4
        WHEN unitadmitsource = 'Direct Admit' THEN 7
        ELSE 8
    END AS admitsource,
    CASE WHEN diagnosis.code = 'S-CABG' THEN CAST(uniform(stay_no, 'grafts', 1, 5) AS BIGINT) END AS graftcount,
    CAST(tube_on_day_1 AND chance(stay_no, 'sedated by day') < 0.3 AS BIGINT) AS meds,
    verbal_part AS verbal,
    motor_part AS motor,
    eyes_part AS eyes,
    years AS age,
    diagnosis.code AS admitdiagnosis,
    0 AS thrombolytics,
    CAST(died AS BIGINT) AS diedinhospital,
    CAST(chance(patient_no, 'aids') < 0.002 AS BIGINT) AS aids,
    CAST(chance(patient_no, 'liver failure') < 0.015 AS BIGINT) AS hepaticfailure,
    CAST(chance(patient_no, 'lymphoma') < 0.005 AS BIGINT) AS lymphoma,
    CAST(chance(patient_no, 'metastases') < 0.02 AS BIGINT) AS metastaticcancer,
    CAST(chance(patient_no, 'leukemia') < 0.007 AS BIGINT) AS leukemia,
    CAST(chance(patient_no, 'immune') < 0.025 AS BIGINT) AS immunosuppression,
    CAST(chance(patient_no, 'cirrhosis') < 0.018 AS BIGINT) AS cirrhosis,
    CASE
        -- an elective operation that ended by way of the emergency department is rare, but charted
        WHEN elective OR (unitadmitsource = 'Emergency Department' AND chance(stay_no, 'odd') < 0.01) THEN 1
        WHEN coalesce(after_surgery, false) THEN 0
    END AS electivesurgery,
    1 AS activetx,
    CAST(visit > 1 AS BIGINT) AS readmit,
    0 AS ima,
    0 AS midur,
    CAST(tube_on_day_1 AS BIGINT) AS ventday1,
    CAST(tube_on_day_1 AND chance(stay_no, 'by other means') < 0.85 AS BIGINT) AS oobventday1,
    CASE
        WHEN chance(stay_no, 'predicted') > 0.02
            THEN CAST(tube_on_day_1 AND chance(stay_no, 'by other means') < 0.75 AS BIGINT)
    END AS oobintubday1,
    CAST(chance(patient_no, 'diabetes') < 0.2 AS BIGINT) AS diabetes,
    1 AS managementsystem,
    round(minutes_before / 1440, 4) AS var03hspxlos,
    CASE WHEN lungs >= 2 THEN round(normal(stay_no, 'pao2', 130 - 18 * lungs, 18)) END AS pao2,
    CASE WHEN lungs >= 2 THEN 30 + 12 * lungs END AS fio2,
    CASE WHEN diagnosis.code IN ('AMI', 'S-CABG') THEN round(uniform(stay_no, 'ejection', 20, 65)) END AS ejectfx,
    round(exp(normal(stay_no, 'creatinine', -0.15 + 0.45 * kidneys, 0.3)), 2) AS creatinine,
    CASE WHEN died THEN 9 ELSE 4 END AS dischargelocation,
    visit AS visitnumber,
    CASE WHEN diagnosis.code = 'AMI' THEN CAST(uniform(stay_no, 'infarct', 1, 7) AS BIGINT) END AS amilocation,
    CAST(tube_on_day_1 AND chance(stay_no, 'sedated by day') < 0.3 AS BIGINT) AS day1meds,
    verbal_part AS day1verbal,
    motor_part AS day1motor,
    eyes_part AS day1eyes,
    CASE WHEN lungs >= 2 THEN round(normal(stay_no, 'pao2', 130 - 18 * lungs, 18)) END AS day1pao2,
    CASE WHEN lungs >= 2 THEN 30 + 12 * lungs END AS day1fio2
FROM apache
INNER JOIN (SELECT stay_no, name, code FROM admission_diagnosis) AS diagnosis USING (stay_no)
WHERE abstracted BETWEEN 0.01 AND 0.87;

-- Two versions of the prediction for each stay, as published.
CREATE TABLE apachepatientresult AS
WITH predicted AS (
    SELECT
        *,
        CAST(round(
            18 + 9 * circulation + 7 * lungs + 6 * kidneys + 2.5 * (15 - worst_coma) + normal(stay_no, 'points', 0, 5)
        ) AS BIGINT) AS points,
        unnest([1, 2]) AS version
    FROM apache
    WHERE abstracted < 0.86
)

SELECT
    stay_no * 2 + version AS apachepatientresultsid,
    patientunitstayid,
    one_of(stay_no, 'speciality', [
        'critical care medicine (CCM)', 'internal medicine', 'pulmonary/CCM', 'Specialty Not Specified'
    ]) AS physicianspeciality,
    one_of(stay_no, 'intervention', ['I', 'II', 'III', 'Unknown']) AS physicianinterventioncategory,
    greatest(0, points - 5) AS acutephysiologyscore,
    points + CASE WHEN years >= 65 THEN 13 WHEN years >= 45 THEN 5 ELSE 0 END AS apachescore,
    ['IV', 'IVa'][version] AS apacheversion,
    CAST(round(0.6 / (1 + exp((95 - points) / 18.0)) + 0.001 * version, 4) AS VARCHAR) AS predictedicumortality,
    CASE WHEN died_in_unit AND stay_no = last_stay_no THEN 'EXPIRED' ELSE 'ALIVE' END AS actualicumortality,
    round(1.5 + points / 30.0, 2) AS predictediculos,
    round(least(30, minutes / 1440), 4) AS actualiculos,
    CAST(round(0.9 / (1 + exp((95 - points) / 18.0)) + 0.001 * version, 4) AS VARCHAR) AS predictedhospitalmortality,
    CASE WHEN died THEN 'EXPIRED' ELSE 'ALIVE' END AS actualhospitalmortality,
    round(5 + points / 15.0, 2) AS predictedhospitallos,
    round(least(50, minutes_to_discharge / 1440), 4) AS actualhospitallos,
    0 AS preopmi,
    0 AS preopcardiaccath,
    0 AS ptcawithin24h,
    round(minutes / 1440, 4) AS unabridgedunitlos,
    round(minutes_to_discharge / 1440, 4) AS unabridgedhosplos,
    CASE WHEN intubated_at IS NOT NULL THEN ceil(least(30, least(minutes, minutes_of_ventilation) / 1440)) END
        AS actualventdays,
    CASE WHEN intubated_at IS NOT NULL THEN round(1 + points / 40.0, 2) END AS predventdays,
    CASE WHEN intubated_at IS NOT NULL THEN ceil(least(minutes, minutes_of_ventilation) / 1440) END
        AS unabridgedactualventdays
FROM predicted;
