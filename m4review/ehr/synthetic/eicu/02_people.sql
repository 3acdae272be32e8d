-- People: hospitals with their ways of charting, patients, hospital stays and unit stays. Times are whole minutes.
-- About three in ten stays belong to somebody seen before, some in the same hospital stay.

CREATE TABLE hospital AS
SELECT
    range AS hospital_no,
    56 + range * 7 + CAST(floor(uniform(range, 'hospital number', 0, 7)) AS BIGINT) AS hospitalid,
    one_of(range, 'beds', ['<100', '100 - 249', '100 - 249', '250 - 499', '>= 500', NULL]) AS numbedscategory,
    one_of(range, 'teaching', ['t', 'f', 'f', 'f', 'f']) AS teachingstatus,
    one_of(range, 'region', ['Midwest', 'Midwest', 'South', 'West', 'Northeast', NULL]) AS region,
    -- dealt out rather than drawn, so that every way of charting is there for every seed
    [
        'total and parts', 'total and parts', 'one score', 'total and parts', 'parts', 'total and parts',
        'one score', 'total and parts', 'none', 'total and parts', 'one score', 'total and parts'
    ][1 + range % 12] AS coma_charting,
    ['Invasive BP', 'Invasive BP', 'MAP (mmHg)', 'Arterial Line MAP (mmHg)', 'Invasive BP'][1 + range % 5]
        AS arterial_charting,
    range % 7 < 3 AS measures_fahrenheit
FROM range(24);

CREATE TABLE stay_row AS
WITH numbered AS (
    SELECT
        range AS stay_no,
        range = 1 OR chance(range, 'new patient') < 0.69 AS new_patient,
        new_patient OR chance(range, 'new admission') < 0.43 AS new_admission
    FROM range(1, getvariable('stays') + 1)
),

arrived AS (
    SELECT
        *,
        count_if(new_patient) OVER (ORDER BY stay_no) AS patient_no,
        count_if(new_admission) OVER (ORDER BY stay_no) AS admission_no,
        (chance(stay_no, 'severity') + chance(stay_no, 'severity too')) / 2 AS severity,
        -- a hypertensive emergency that another hospital takes over within hours
        chance(stay_no, 'emergency') < 0.012 AS hypertensive_emergency,
        CASE
            WHEN NOT new_admission THEN one_of(stay_no, 'from', [
                'Floor', 'Floor', 'Floor', 'Step-Down Unit (SDU)', 'Operating Room'
            ])
            WHEN chance(stay_no, 'from known') > 0.008 THEN one_of(stay_no, 'from', [
                'Emergency Department', 'Emergency Department', 'Emergency Department', 'Emergency Department',
                'Emergency Department', 'Emergency Department', 'Emergency Department', 'Emergency Department',
                'Operating Room', 'Operating Room', 'Operating Room', 'Recovery Room', 'Floor', 'Floor', 'Floor',
                'Direct Admit', 'Direct Admit', 'Step-Down Unit (SDU)', 'Other Hospital', 'ICU to SDU'
            ])
        END AS unitadmitsource
    FROM numbered
),

timed AS (
    SELECT
        *,
        -- in the unit, log-normal with a median of a day and a half
        CAST(CASE
            WHEN hypertensive_emergency THEN uniform(stay_no, 'length', 90, 400)
            ELSE greatest(12, least(36000, exp(normal(stay_no, 'length', ln(2260), 0.9))))
        END AS BIGINT) AS minutes,
        -- in the hospital before the unit, or between two unit stays
        CAST(round(CASE
            WHEN NOT new_admission THEN greatest(30, exp(normal(stay_no, 'between stays', ln(1900), 1.0)))
            WHEN chance(stay_no, 'exact arrival') < 0.03
                THEN one_of(stay_no, 'arrival', [10, 11, 296, 297, 1440, 1441, 18708, 18709])
            WHEN unitadmitsource = 'Direct Admit' THEN normal(stay_no, 'arrival', 3, 7)
            WHEN unitadmitsource = 'Other Hospital' THEN exp(normal(stay_no, 'arrival', ln(30), 1.2))
            WHEN unitadmitsource IN ('Operating Room', 'Recovery Room')
                THEN exp(normal(stay_no, 'arrival', ln(560), 0.9))
            WHEN unitadmitsource IN ('Floor', 'Step-Down Unit (SDU)', 'ICU to SDU')
                THEN least(60000, exp(normal(stay_no, 'arrival', ln(2900), 1.15)))
            ELSE exp(normal(stay_no, 'arrival', ln(250), 0.65))
        END) AS BIGINT) AS minutes_before
    FROM arrived
)

SELECT
    *,
    CAST(sum(minutes_before + minutes) OVER (PARTITION BY admission_no ORDER BY stay_no) AS BIGINT) - minutes
        AS minutes_in_hospital,
    row_number() OVER (PARTITION BY admission_no ORDER BY stay_no) AS visit
FROM timed;

CREATE TABLE admission AS
WITH last_stay AS (
    SELECT
        patient_no,
        admission_no,
        max(stay_no) AS last_stay_no,
        max(minutes_in_hospital + minutes) AS minutes_to_last_discharge,
        arg_max(severity, stay_no) AS severity
    FROM stay_row
    GROUP BY patient_no, admission_no
),

outcome AS (
    SELECT
        *,
        -- nobody comes back after dying
        chance(admission_no, 'death') < 0.01 + 0.33 * severity * severity
        AND admission_no = max(admission_no) OVER (PARTITION BY patient_no) AS died,
        chance(admission_no, 'where') < 0.62 AS in_unit,
        row_number() OVER (PARTITION BY patient_no ORDER BY admission_no) AS admission_of_patient
    FROM last_stay
)

SELECT
    admission_no,
    last_stay_no,
    died,
    died AND in_unit AS died_in_unit,
    minutes_to_last_discharge + CASE
        WHEN died AND in_unit THEN 0
        ELSE CAST(least(60000, exp(normal(admission_no, 'after the unit', ln(4200), 0.9))) AS BIGINT)
    END AS minutes_to_discharge,
    CAST(
        2014 + least(1, admission_of_patient - 1 + CAST(chance(patient_no, 'second year') < 0.5 AS INTEGER)) AS SMALLINT
    ) AS discharge_year,
    CAST(floor(uniform(admission_no, 'clock', 0, 1440)) AS BIGINT) AS minute_of_day
FROM outcome;

-- Minutes after midnight of the day of hospital admission, as a time of day.
CREATE MACRO clock(minute) AS
    CAST(TIME '00:00:00' + to_minutes(CAST(((minute % 1440) + 1440) % 1440 AS BIGINT)) AS VARCHAR);
