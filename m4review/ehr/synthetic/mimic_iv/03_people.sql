-- People: patients, admissions and ICU stays. About a quarter of the stays belong to somebody seen before, in the same
-- admission or a later one; some return to the unit within hours.

CREATE TABLE stay_row AS
WITH numbered AS (
    SELECT
        range AS stay_no,
        range = 1 OR chance(range, 'new patient') < 0.74 AS new_patient,
        new_patient OR chance(range, 'new admission') < 0.55 AS new_admission
    FROM range(1, getvariable('stays') + 1)
),

grouped AS (
    SELECT
        *,
        count_if(new_patient) OVER (ORDER BY stay_no) AS patient_no,
        count_if(new_admission) OVER (ORDER BY stay_no) AS admission_no,
        -- hours in the unit, log-normal with a median of two days
        greatest(4, least(400, exp(normal(stay_no, 'length', ln(46), 0.75)))) AS hours,
        CASE
            WHEN new_admission THEN uniform(stay_no, 'between admissions', 240, 9000)
            ELSE greatest(3, exp(normal(stay_no, 'between stays', ln(24), 1.0)))
        END AS hours_before
    FROM numbered
)

SELECT
    stay_no,
    patient_no,
    admission_no,
    hours,
    sum(hours_before + hours) OVER (PARTITION BY patient_no ORDER BY stay_no) - hours AS hours_since_start
FROM grouped;

CREATE MACRO identifier_of(base, number) AS CAST(base + (number * 48271) % 9999991 AS INTEGER);

CREATE MACRO moment(start, hours) AS start + to_seconds(CAST(round(hours * 3600) AS BIGINT));

CREATE TABLE icustays AS
WITH placed AS (
    SELECT
        *,
        TIMESTAMP '2112-01-01' + to_days(CAST(uniform(patient_no, 'start', 0, 30000) AS INTEGER)) AS start,
        one_of(stay_no, 'unit', [
            'Medical Intensive Care Unit (MICU)', 'Surgical Intensive Care Unit (SICU)',
            'Medical/Surgical Intensive Care Unit (MICU/SICU)', 'Cardiac Vascular Intensive Care Unit (CVICU)',
            'Coronary Care Unit (CCU)', 'Trauma SICU (TSICU)', 'Neuro Surgical Intensive Care Unit (Neuro SICU)'
        ]) AS unit
    FROM stay_row
)

SELECT
    identifier_of(10000000, patient_no) AS subject_id,
    identifier_of(20000000, admission_no) AS hadm_id,
    identifier_of(30000000, stay_no) AS stay_id,
    unit AS first_careunit,
    unit AS last_careunit,
    moment(start, hours_since_start) AS intime,
    moment(start, hours_since_start + hours) AS outtime,
    hours / 24 AS los,
    stay_no,
    patient_no,
    admission_no
FROM placed;

CREATE TABLE admissions AS
WITH admission AS (
    SELECT
        subject_id,
        hadm_id,
        patient_no,
        admission_no,
        min(intime) AS first_intime,
        max(outtime) AS last_outtime,
        -- nobody comes back after dying
        chance(admission_no, 'death') < 0.13 AND admission_no = max(admission_no) OVER (PARTITION BY patient_no) AS died
    FROM icustays
    GROUP BY subject_id, hadm_id, patient_no, admission_no
)

SELECT
    subject_id,
    hadm_id,
    moment(first_intime, -1 * greatest(0.5, least(39, exp(normal(admission_no, 'on the ward', 1.6, 1.3))))) AS admittime,
    CASE
        WHEN died THEN last_outtime
        ELSE moment(last_outtime, least(200, exp(normal(admission_no, 'after the unit', 4.0, 0.9))))
    END AS dischtime,
    CASE WHEN died THEN last_outtime END AS deathtime,
    one_of(admission_no, 'kind', [
        'EW EMER.', 'EW EMER.', 'URGENT', 'DIRECT EMER.', 'OBSERVATION ADMIT', 'SURGICAL SAME DAY ADMISSION', 'ELECTIVE'
    ]) AS admission_type,
    CAST(NULL AS VARCHAR) AS admit_provider_id,
    one_of(admission_no, 'from', [
        'EMERGENCY ROOM', 'EMERGENCY ROOM', 'TRANSFER FROM HOSPITAL', 'PHYSICIAN REFERRAL'
    ]) AS admission_location,
    CASE
        WHEN died THEN 'DIED'
        ELSE one_of(admission_no, 'to', ['HOME', 'HOME HEALTH CARE', 'SKILLED NURSING FACILITY', 'REHAB'])
    END AS discharge_location,
    one_of(patient_no, 'insurance', ['Medicare', 'Medicare', 'Medicaid', 'Private', 'Other']) AS insurance,
    'English' AS language,
    one_of(patient_no, 'marital', ['MARRIED', 'SINGLE', 'WIDOWED', 'DIVORCED', NULL]) AS marital_status,
    one_of(patient_no, 'race', [
        'WHITE', 'WHITE', 'WHITE', 'BLACK/AFRICAN AMERICAN', 'HISPANIC/LATINO - OTHER', 'ASIAN', 'UNKNOWN'
    ]) AS race,
    CAST(NULL AS TIMESTAMP) AS edregtime,
    CAST(NULL AS TIMESTAMP) AS edouttime,
    CAST(died AS SMALLINT) AS hospital_expire_flag
FROM admission;

CREATE TABLE patients AS
SELECT
    subject_id,
    one_of(patient_no, 'gender', ['F', 'M']) AS gender,
    CAST(
        CASE
            WHEN chance(patient_no, 'over 89') < 0.03 THEN 91
            ELSE greatest(18, least(89, round(normal(patient_no, 'age', 64, 16))))
        END AS SMALLINT
    ) AS anchor_age,
    CAST(year(min(intime)) - floor(uniform(patient_no, 'anchor', 0, 3)) AS SMALLINT) AS anchor_year,
    one_of(patient_no, 'years', [
        '2008 - 2010', '2011 - 2013', '2014 - 2016', '2017 - 2019', '2020 - 2022'
    ]) AS anchor_year_group,
    CAST(max(deathtime) AS DATE) AS dod
FROM icustays
INNER JOIN admissions USING (subject_id, hadm_id)
GROUP BY subject_id, patient_no;
