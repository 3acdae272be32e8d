-- Laboratory and drugs: a panel on arrival and one every morning, drips of those in shock, the usual orders.

CREATE TABLE laboratory_test AS
SELECT
    *,
    row_number() OVER (ORDER BY test) AS test_no
FROM (
    VALUES
    ('albumin', 1, 'g/dL', 3.0, 0.5, 1, 0.0, 'liver'),
    ('bicarbonate', 1, 'mmol/L', 24.5, 3.5, 0, -0.5, 'kidneys'),
    ('BUN', 1, 'mg/dL', 17, 5, 0, 14, 'kidneys'),
    ('chloride', 1, 'mmol/L', 103, 4, 0, 0.0, 'none'),
    ('creatinine', 1, 'mg/dL', 0.9, 0.15, 2, 0.85, 'kidneys'),
    ('glucose', 1, 'mg/dL', 135, 28, 0, 12, 'circulation'),
    ('Hct', 3, '%', 34, 4.5, 1, 0.0, 'none'),
    ('Hgb', 3, 'g/dL', 11.2, 1.5, 1, 0.0, 'none'),
    ('lactate', 1, 'mmol/L', 1.3, 0.3, 1, 0.9, 'circulation'),
    ('platelets x 1000', 3, 'K/mcL', 215, 55, 0, -12, 'circulation'),
    ('potassium', 1, 'mmol/L', 4.0, 0.4, 1, 0.15, 'kidneys'),
    ('sodium', 1, 'mmol/L', 138, 3.5, 0, 0.0, 'none'),
    ('total bilirubin', 1, 'mg/dL', 0.7, 0.2, 1, 0.0, 'none'),
    ('WBC x 1000', 3, 'K/mcL', 9.5, 2.2, 1, 1.4, 'circulation')
) AS known (test, kind, unit, usual, spread, digits, per_level, organ);

CREATE VIEW lab AS
WITH drawn AS (
    SELECT
        illness.*,
        draw_no,
        hash(stay_no, draw_no) AS at_draw,
        -- on arrival, then at five in the morning, some minutes late
        CASE
            WHEN draw_no = 0 THEN CAST(uniform(stay_no, 'first draw', -90, 90) AS BIGINT)
            ELSE draw_no * 1440 + 300 - (minute_of_day + minutes_in_hospital) % 1440
                + CAST(uniform(hash(stay_no, draw_no), 'draw', 0, 40) AS BIGINT)
        END AS drawn_at
    FROM illness, range(0, CAST(1 + ceil(minutes / 1440) AS BIGINT)) AS draws (draw_no)
),

result AS (
    SELECT
        stay_no * 100000 + draw_no * 100 + test_no AS labid,
        patientunitstayid,
        drawn_at,
        at_draw,
        test,
        kind,
        unit,
        round(greatest(usual / 4, usual
            + per_level * CASE organ WHEN 'kidneys' THEN kidneys WHEN 'circulation' THEN circulation ELSE 0 END
            + normal(hash(stay_no, test_no), 'own level', 0, spread)
            + normal(hash(at_draw, test_no), 'result', 0, spread / 3)
        ), digits) AS result
    FROM drawn, laboratory_test
    WHERE
        drawn_at <= minutes
        AND (draw_no = 0 OR drawn_at > 0)
        AND (test NOT IN ('albumin', 'lactate', 'total bilirubin') OR chance(at_draw, test) < 0.4)
)

SELECT
    labid,
    patientunitstayid,
    drawn_at AS labresultoffset,
    kind AS labtypeid,
    test AS labname,
    result AS labresult,
    as_text(result) AS labresulttext,
    unit AS labmeasurenamesystem,
    unit AS labmeasurenameinterface,
    drawn_at + CAST(uniform(at_draw, 'run', 15, 90) AS BIGINT) AS labresultrevisedoffset
FROM result;

CREATE VIEW infusiondrug AS
SELECT
    stay_no * 100000 + hour AS infusiondrugid,
    patientunitstayid,
    charted_at AS infusionoffset,
    'Norepinephrine (mcg/kg/min)' AS drugname,
    as_text(round(uniform(at_hour, 'dose', 0.02, 0.08 * circulation), 2)) AS drugrate,
    as_text(round(uniform(at_hour, 'rate', 3, 30), 1)) AS infusionrate,
    '8' AS drugamount,
    '250' AS volumeoffluid,
    as_text(weight) AS patientweight
FROM bedside_hour
WHERE circulation >= 3 AND hour BETWEEN 1 AND 6 + 8 * circulation;

CREATE TABLE medication AS
WITH ordered AS (
    SELECT
        stay_no,
        patientunitstayid,
        minutes,
        unnest(list_filter([
            {'slot': 1, 'drug': 'PANTOPRAZOLE 40 MG VIAL', 'dose': '40 mg', 'way': 'IV', 'often': 'Daily'},
            {'slot': 2, 'drug': 'HEPARIN 5000 UNITS/ML', 'dose': '5000 UNITS', 'way': 'SUBCUTANEOUS', 'often': 'Q8H'},
            CASE
                WHEN inflamed
                    THEN {'slot': 3, 'drug': 'VANCOMYCIN 1 G VIAL', 'dose': '1 g', 'way': 'IV', 'often': 'Q12H'}
            END,
            CASE
                WHEN intubated_at IS NOT NULL
                    THEN {'slot': 4, 'drug': 'PROPOFOL 10 MG/ML', 'dose': '1000 mg', 'way': 'IV', 'often': 'CONTINUOUS'}
            END
        ], lambda entry: entry IS NOT NULL), recursive := true)
    FROM illness
)

SELECT
    stay_no * 10 + slot AS medicationid,
    patientunitstayid,
    CAST(uniform(hash(stay_no, slot), 'ordered', -30, 200) AS BIGINT) AS drugorderoffset,
    CAST(uniform(hash(stay_no, slot), 'ordered', -30, 200) AS BIGINT) + 30 AS drugstartoffset,
    'No' AS drugivadmixture,
    'No' AS drugordercancelled,
    drug AS drugname,
    0 AS drughiclseqno,
    dose AS dosage,
    way AS routeadmin,
    often AS frequency,
    NULL AS loadingdose,
    'No' AS prn,
    greatest(minutes, 240) AS drugstopoffset,
    0 AS gtc
FROM ordered;

CREATE TABLE pasthistory AS
WITH told AS (
    SELECT
        stay_no,
        patient_no,
        patientunitstayid,
        unnest([
            {
                'slot': 1, 'share': 0.45, 'path': 'Cardiovascular (R)/Hypertension Requiring Treatment/',
                'value': 'hypertension requiring treatment'
            },
            {'slot': 2, 'share': 0.14, 'path': 'Pulmonary/COPD/', 'value': 'COPD  - moderate'},
            {
                'slot': 3, 'share': 0.15, 'path': 'Endocrine (R)/Insulin Dependent Diabetes/',
                'value': 'insulin dependent diabetes'
            },
            {
                'slot': 4, 'share': 0.08, 'path': 'Renal  (R)/Renal Insufficiency/',
                'value': 'renal insufficiency - creatinine 2-3'
            },
            {'slot': 5, 'share': 0.14, 'path': 'Cardiovascular (R)/Congestive Heart Failure/', 'value': 'CHF'}
        ], recursive := true)
    FROM illness
)

SELECT
    stay_no * 10 + slot AS pasthistoryid,
    patientunitstayid,
    CAST(uniform(stay_no, 'history', 5, 300) AS BIGINT) AS pasthistoryoffset,
    CAST(uniform(stay_no, 'history', 5, 300) AS BIGINT) + 6 AS pasthistoryenteredoffset,
    'Comprehensive Progress' AS pasthistorynotetype,
    'notes/Progress Notes/Past History/Organ Systems/' || path || value AS pasthistorypath,
    value AS pasthistoryvalue,
    value AS pasthistoryvaluetext
FROM told
WHERE chance(hash(patient_no, slot), 'history') < share;
