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
        admission_no = min(admission_no) OVER (PARTITION BY patient_no) AS first_admission,
        one_of(admission_no, 'kind', [
            'EW EMER.', 'EW EMER.', 'EW EMER.', 'URGENT', 'DIRECT EMER.', 'OBSERVATION ADMIT', 'EU OBSERVATION',
            'SURGICAL SAME DAY ADMISSION', 'ELECTIVE', 'ELECTIVE'
        ]) AS admission_type,
        -- nobody comes back after dying
        chance(admission_no, 'death') < 0.13 AND admission_no = max(admission_no) OVER (PARTITION BY patient_no) AS died
    FROM icustays
    GROUP BY subject_id, hadm_id, patient_no, admission_no
),

arrival AS (
    SELECT
        *,
        CASE
            -- straight to the unit, as after a transfer from another hospital
            WHEN chance(admission_no, 'before the unit') < 0.06 THEN uniform(admission_no, 'minutes', 0.01, 0.25)
            -- weeks on the ward; only before a first admission, so that no two admissions overlap
            WHEN chance(admission_no, 'before the unit') < 0.09 AND first_admission
                THEN uniform(admission_no, 'weeks', 120, 640)
            ELSE greatest(0.5, least(39, exp(normal(admission_no, 'on the ward', 1.6, 1.3))))
        END AS hours_before
    FROM admission
)

SELECT
    subject_id,
    hadm_id,
    moment(first_intime, -1 * hours_before) AS admittime,
    CASE
        WHEN died THEN last_outtime
        ELSE moment(last_outtime, least(200, exp(normal(admission_no, 'after the unit', 4.0, 0.9))))
    END AS dischtime,
    CASE WHEN died THEN last_outtime END AS deathtime,
    admission_type,
    CAST(NULL AS VARCHAR) AS admit_provider_id,
    CASE
        WHEN admission_type IN ('EW EMER.', 'OBSERVATION ADMIT', 'EU OBSERVATION') THEN 'EMERGENCY ROOM'
        WHEN admission_type IN ('URGENT', 'DIRECT EMER.')
            THEN one_of(admission_no, 'from', ['TRANSFER FROM HOSPITAL', 'PHYSICIAN REFERRAL', 'CLINIC REFERRAL'])
        ELSE 'PHYSICIAN REFERRAL'
    END AS admission_location,
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
FROM arrival;

CREATE MACRO anchor_year_group(patient_no) AS one_of(patient_no, 'years', [
    '2008 - 2010', '2011 - 2013', '2014 - 2016', '2017 - 2019', '2020 - 2022'
]);

CREATE TABLE patients AS
SELECT
    subject_id,
    one_of(patient_no, 'gender', ['F', 'M']) AS gender,
    CAST(
        CASE
            WHEN chance(patient_no, 'over 89') < 0.03 THEN 91
            WHEN chance(patient_no, 'over 89') > 0.94 THEN floor(uniform(patient_no, 'young', 18, 32))
            ELSE greatest(18, least(89, round(normal(patient_no, 'age', 64, 16))))
        END AS SMALLINT
    ) AS anchor_age,
    CAST(year(min(intime)) - floor(uniform(patient_no, 'anchor', 0, 3)) AS SMALLINT) AS anchor_year,
    anchor_year_group(patient_no) AS anchor_year_group,
    CAST(max(deathtime) AS DATE) AS dod
FROM icustays
INNER JOIN admissions USING (subject_id, hadm_id)
GROUP BY subject_id, patient_no;

-- The service that takes the patient on; some change it later, on the way to the unit or after it.
CREATE TABLE services AS
WITH taken_on AS (
    SELECT
        subject_id,
        hadm_id,
        admission_no,
        admittime,
        dischtime,
        first_careunit,
        CASE
            WHEN
                admission_type IN ('ELECTIVE', 'SURGICAL SAME DAY ADMISSION')
                OR first_careunit IN (
                    'Surgical Intensive Care Unit (SICU)', 'Cardiac Vascular Intensive Care Unit (CVICU)',
                    'Trauma SICU (TSICU)'
                )
                THEN one_of(admission_no, 'surgical service', [
                    'SURG', 'SURG', 'CSURG', 'CSURG', 'NSURG', 'VSURG', 'TSURG', 'TRAUM', 'ORTHO', 'ORTHO', 'GYN', 'MED'
                ])
            ELSE one_of(admission_no, 'medical service', ['MED', 'MED', 'MED', 'CMED', 'CMED', 'NMED', 'OMED', 'SURG'])
        END AS service
    FROM admissions
    INNER JOIN (
        SELECT DISTINCT ON (hadm_id) hadm_id, admission_no, first_careunit FROM icustays ORDER BY hadm_id, stay_no
    )
        USING (hadm_id)
)

SELECT
    subject_id,
    hadm_id,
    moment(admittime, uniform(admission_no, 'taken on', 0.01, 0.3)) AS transfertime,
    CAST(NULL AS VARCHAR) AS prev_service,
    service AS curr_service
FROM taken_on
UNION ALL
SELECT
    subject_id,
    hadm_id,
    moment(admittime, uniform(admission_no, 'changed', 0.4, date_diff('hour', admittime, dischtime) + 0.4)),
    service,
    one_of(admission_no, 'other service', ['SURG', 'MED', 'CMED', 'ORTHO', 'CSURG', 'NSURG'])
FROM taken_on
WHERE
    chance(admission_no, 'another service') < 0.18
    AND one_of(admission_no, 'other service', ['SURG', 'MED', 'CMED', 'ORTHO', 'CSURG', 'NSURG']) <> service;
