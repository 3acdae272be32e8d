-- Tables: what the other steps made, under the published column names.

CREATE VIEW patient AS
SELECT
    patientunitstayid,
    128000 + admission_no * 7 + CAST(floor(uniform(admission_no, 'hospital stay number', 0, 7)) AS BIGINT)
        AS patienthealthsystemstayid,
    CASE WHEN chance(patient_no, 'gender known') > 0.003 THEN
        CASE WHEN chance(patient_no, 'gender') < 0.54 THEN 'Male' ELSE 'Female' END
    END AS gender,
    CASE
        WHEN chance(patient_no, 'age known') < 0.004 THEN NULL
        WHEN years > 89 THEN '> 89'
        ELSE as_text(years)
    END AS age,
    one_of(patient_no, 'ethnicity', [
        'Caucasian', 'Caucasian', 'Caucasian', 'Caucasian', 'Caucasian', 'African American', 'Hispanic', 'Asian',
        'Other/Unknown'
    ]) AS ethnicity,
    hospitalid,
    hospitalid * 4 + CAST(floor(uniform(stay_no, 'ward', 0, 4)) AS BIGINT) AS wardid,
    diagnosis.name AS apacheadmissiondx,
    round(normal(patient_no, 'height', CASE WHEN chance(patient_no, 'gender') < 0.54 THEN 177 ELSE 163 END, 8), 1)
        AS admissionheight,
    clock(minute_of_day) AS hospitaladmittime24,
    -1 * minutes_in_hospital AS hospitaladmitoffset,
    CASE
        WHEN visit > 1 THEN 'Floor'
        WHEN unitadmitsource IN ('Emergency Department', 'Operating Room', 'Direct Admit', 'Other Hospital')
            THEN unitadmitsource
        ELSE one_of(admission_no, 'hospital source', ['Emergency Department', 'Direct Admit', 'Floor', NULL])
    END AS hospitaladmitsource,
    discharge_year AS hospitaldischargeyear,
    clock(minute_of_day + minutes_to_discharge) AS hospitaldischargetime24,
    minutes_to_discharge - minutes_in_hospital AS hospitaldischargeoffset,
    CASE
        WHEN died THEN 'Death'
        ELSE one_of(admission_no, 'to', ['Home', 'Home', 'Home', 'Skilled Nursing Facility', 'Rehabilitation', 'Other'])
    END AS hospitaldischargelocation,
    CASE WHEN died THEN 'Expired' ELSE 'Alive' END AS hospitaldischargestatus,
    one_of(hash(hospital_no, floor(uniform(stay_no, 'ward', 0, 4))), 'unit', [
        'Med-Surg ICU', 'Med-Surg ICU', 'Med-Surg ICU', 'MICU', 'SICU', 'CCU-CTICU', 'Neuro ICU', 'Cardiac ICU'
    ]) AS unittype,
    clock(minute_of_day + minutes_in_hospital) AS unitadmittime24,
    unitadmitsource,
    visit AS unitvisitnumber,
    CASE WHEN visit > 1 THEN 'readmit' ELSE 'admit' END AS unitstaytype,
    CASE WHEN chance(stay_no, 'weighed') > 0.08 THEN weight END AS admissionweight,
    CASE
        WHEN chance(stay_no, 'weighed again') > 0.5
            THEN round(weight * uniform(stay_no, 'weight change', 0.96, 1.05), 1)
    END AS dischargeweight,
    clock(minute_of_day + minutes_in_hospital + minutes) AS unitdischargetime24,
    minutes AS unitdischargeoffset,
    CASE
        WHEN died_in_unit AND stay_no = last_stay_no THEN 'Death'
        WHEN hypertensive_emergency THEN 'Other Hospital'
        ELSE one_of(stay_no, 'unit to', ['Floor', 'Floor', 'Floor', 'Step-Down Unit (SDU)', 'Telemetry', 'Home'])
    END AS unitdischargelocation,
    CASE WHEN died_in_unit AND stay_no = last_stay_no THEN 'Expired' ELSE 'Alive' END AS unitdischargestatus,
    printf('%03d-%d', CAST(2 + hospital_no * 8 AS BIGINT), CAST(10000 + patient_no AS BIGINT)) AS uniquepid
FROM illness
INNER JOIN (SELECT stay_no, name, code FROM admission_diagnosis) AS diagnosis USING (stay_no);

-- Identifiers of charted cells number the stay, its minutes and the cell.
CREATE MACRO cell_number(stay_no, minute, slot) AS stay_no * 4000000 + (minute + 1000) * 64 + slot;

CREATE VIEW nursecharting AS
SELECT
    cell_number(cell.stay_no, cell.charted_at, cell.slot) AS nursingchartid,
    stay.patientunitstayid,
    cell.charted_at AS nursingchartoffset,
    cell.charted_at + CAST(floor(uniform(hash(cell.stay_no, cell.charted_at), 'entry', 0, 25)) AS BIGINT)
        AS nursingchartentryoffset,
    cell.category AS nursingchartcelltypecat,
    cell.label AS nursingchartcelltypevallabel,
    cell.name AS nursingchartcelltypevalname,
    cell.value AS nursingchartvalue
FROM (
    FROM vital_cell
    UNION ALL
    FROM coma_cell
) AS cell
INNER JOIN illness AS stay USING (stay_no)
WHERE cell.value IS NOT NULL;

CREATE VIEW intakeoutput AS
SELECT
    cell_number(stay_no, charted_at, slot) AS intakeoutputid,
    patientunitstayid,
    charted_at AS intakeoutputoffset,
    taken_in AS intaketotal,
    put_out AS outputtotal,
    0 AS dialysistotal,
    taken_in - put_out AS nettotal,
    charted_at + 4 AS intakeoutputentryoffset,
    'flowsheet|Flowsheet Cell Labels|I&O|' || path || cell AS cellpath,
    cell AS celllabel,
    volume AS cellvaluenumeric,
    as_text(volume) AS cellvaluetext
FROM fluid_cell
WHERE volume IS NOT NULL;
