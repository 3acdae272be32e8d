-- oasis: Oxford Acute Severity of Illness Score of the first ICU day.
--
-- grain:   one row per unit stay, every stay
-- sources: eicu_crd.patient, nursecharting, physicalexam, intakeoutput, respiratorycare, apacheapsvar, apachepredvar
-- window:  minutes 1 to 1440 after unit admission, the start excluded, the end included
-- units:   minutes, years, /min, mmHg, degrees Celsius, mL
-- rules:   each component takes the first line that fits, in this order; a value in a gap between lines, or none,
--          scores 0. Vital signs come from nurse charting only, the invasive pressure before the cuff pressure; GCS
--          from nurse charting, else from the neurological examination; urine from the listed flowsheet cells, else
--          from the APACHE variable above 0. Ventilated: intubated for APACHE or any airway documented. Elective:
--          elective surgery not admitted from the emergency department. Ages above 89 are 91.
-- edges:   a positive hospital admission offset scores 5; any urine cell, even with a sum of 0, replaces the APACHE
--          variable; a normal lowest breathing rate, temperature or pressure is tested before the highest one
-- ties:    urine volumes are added in ascending order
-- source:  Johnson AE, Kramer AA, Clifford GD. Crit Care Med 2013;41:1711-1718

WITH nurse_reading AS (
    SELECT
        patientunitstayid,
        nursingchartoffset,
        nursingchartcelltypecat AS category,
        nursingchartcelltypevallabel AS label,
        nursingchartcelltypevalname AS name,
        TRY_CAST(nursingchartvalue AS DECIMAL(18, 3)) AS reading
    FROM eicu_crd.nursecharting
    WHERE
        nursingchartcelltypecat IN ('Vital Signs', 'Scores', 'Other Vital Signs and Infusions')
        AND nursingchartoffset > 0
        AND nursingchartoffset <= 1440
),

vital AS (
    SELECT
        patientunitstayid,
        min(reading) FILTER (label = 'Heart Rate' AND name = 'Heart Rate' AND reading BETWEEN 25 AND 225)
            AS heart_rate_min,
        max(reading) FILTER (label = 'Heart Rate' AND name = 'Heart Rate' AND reading BETWEEN 25 AND 225)
            AS heart_rate_max,
        min(reading) FILTER (
            label = 'Respiratory Rate' AND name = 'Respiratory Rate' AND reading > 0 AND reading <= 60
        ) AS resp_rate_min,
        max(reading) FILTER (label = 'Respiratory Rate' AND name = 'Respiratory Rate' AND reading BETWEEN 0 AND 60)
            AS resp_rate_max,
        min(reading) FILTER (label = 'Temperature' AND name = 'Temperature (C)' AND reading BETWEEN 25 AND 46)
            AS temperature_min,
        max(reading) FILTER (label = 'Temperature' AND name = 'Temperature (C)' AND reading BETWEEN 25 AND 46)
            AS temperature_max,
        min(reading) FILTER (
            (
                (label = 'Invasive BP' AND name = 'Invasive BP Mean')
                OR (label IN ('MAP (mmHg)', 'Arterial Line MAP (mmHg)') AND name = 'Value')
            )
            AND reading BETWEEN 1 AND 250
        ) AS invasive_min,
        max(reading) FILTER (
            (
                (label = 'Invasive BP' AND name = 'Invasive BP Mean')
                OR (label IN ('MAP (mmHg)', 'Arterial Line MAP (mmHg)') AND name = 'Value')
            )
            AND reading BETWEEN 1 AND 250
        ) AS invasive_max,
        min(reading) FILTER (
            label = 'Non-Invasive BP' AND name = 'Non-Invasive BP Mean' AND reading BETWEEN 1 AND 250
        ) AS cuff_min,
        max(reading) FILTER (
            label = 'Non-Invasive BP' AND name = 'Non-Invasive BP Mean' AND reading BETWEEN 1 AND 250
        ) AS cuff_max
    FROM nurse_reading
    GROUP BY patientunitstayid
),

nurse_gcs_time AS (
    SELECT
        patientunitstayid,
        min(reading) AS total
    FROM nurse_reading
    WHERE
        category IN ('Scores', 'Other Vital Signs and Infusions')
        AND (
            (label = 'Glasgow coma score' AND name = 'GCS Total')
            OR (label = 'Score (Glasgow Coma Scale)' AND name = 'Value')
        )
    GROUP BY patientunitstayid, nursingchartoffset
),

nurse_gcs AS (
    SELECT
        patientunitstayid,
        min(total) AS gcs
    FROM nurse_gcs_time
    WHERE total > 2 AND total < 16
    GROUP BY patientunitstayid
),

examined_gcs AS (
    SELECT
        patientunitstayid,
        min(TRY_CAST(physicalexamvalue AS DECIMAL(18, 3))) AS gcs
    FROM eicu_crd.physicalexam
    WHERE
        physicalexamoffset > 0
        AND physicalexamoffset <= 1440
        AND (
            physicalexampath LIKE 'notes/Progress Notes/Physical Exam/Physical Exam/Neurologic/GCS/_'
            OR physicalexampath LIKE 'notes/Progress Notes/Physical Exam/Physical Exam/Neurologic/GCS/__'
        )
    GROUP BY patientunitstayid
),

output_cell AS (
    SELECT
        cellpath,
        substr(cellpath, 1 + length('flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|')) AS label
    FROM (SELECT DISTINCT cellpath FROM eicu_crd.intakeoutput) AS cell
    WHERE starts_with(cellpath, 'flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|')
),

urine_cell AS (
    SELECT cellpath
    FROM output_cell
    WHERE
        label IN (
            '3 Way Foley', '3 way foley', 'Actual Urine', 'Adjusted total UO NOC end shift', 'BRP (Urine)',
            'BRP (urine)', 'Condom Cath', 'condom cath', 'Condom Catheter', 'condom catheter',
            'CONDOM CATHETER OUTPUT', 'condome cath urine', 'diaper urine', 'inc of urine', 'Inc Urine', 'inc urine',
            'Inc. urine', 'inc. urine', 'incont of urine', 'incont urine', 'incont. of urine',
            'incont. of urine count', 'Incont. Urine', 'Incont. urine', 'incont. urine', 'Incontient Urine',
            'Incontient urine', 'incontient urine', 'incontinence of urine', 'Incontinence-urine',
            'incontinence/ voids urine', 'Incontinent (urine)', 'INCONTINENT OF URINE', 'incontinent of urine',
            'Incontinent UOP', 'Incontinent Urine', 'incontinent urine', 'incontinent urine counts',
            'Indwelling Foley', 'indwelling foley', 'Intermittent/Straight Cath (mL)', 'Straight  Cath',
            'Straight  cath', 'Straight Cath', 'Straight cath', 'straight cath', 'straight cath daily',
            'Straight cath ml''s', 'straight cath ml''s', 'Straight Cath Q6hrs', 'Straight Cath UOP',
            'Straight Cath Urine', 'straight cath urine', 'Straight Cath''d', 'Straight Cathed', 'straight cathed',
            'Straight Catheter Output', 'Straight Catheter-Foley', 'Straight Catheter-Straight Catheter',
            'Straight catheterization', 'Straight Catheterization Urine', 'Straight caths', 'straightcath',
            'strait cath Urine', 'Suprapubic Urine Output', 'True Urine', 'true urine', 'True Urine out',
            'Unmeasured Urine', 'unmeasured urine', 'unmeasured urine output', 'Urethal Catheter', 'Urethral Catheter',
            'urinary output 7AM - 7 PM', 'urinary output 7AM-7PM', 'URINE', 'Urine', 'urine', 'Urine (measured)',
            'urine (void)', 'URINE CATHETER', 'Urine foley catheter', 'urine output', 'Urine Output-external catheter',
            'Urine Output-FOLEY', 'Urine Output-Foley', 'Urine Output-foley', 'Urine Output-FOLEY CATH',
            'Urine Output-Foley cath', 'Urine Output-FOLEY CATHETER', 'Urine Output-Foley Catheter',
            'Urine Output-foley catheter', 'Urine Output-Foley Output', 'Urine Output-Fpley',
            'Urine Output-Ileoconduit', 'Urine Output-L Nephrostomy', 'Urine Output-L Nephrostomy Tube',
            'Urine Output-Left Nephrostomy', 'Urine Output-left nephrostomy', 'Urine Output-Left Nephrostomy Tube',
            'Urine Output-LEFT PCN TUBE', 'Urine Output-Nephrostomy', 'Urine Output-R Nephrostomy',
            'Urine Output-R nephrostomy', 'Urine Output-R Nephrostomy Tube', 'Urine Output-R. Nephrostomy',
            'Urine Output-right nephrostomy', 'Urine Output-RIGHT Nephrouretero Stent Urine Output',
            'Urine Output-Rt Nephrectomy', 'Urine Output-stent', 'Urine Output-straight cath',
            'Urine Output-suprapubic', 'Urine Output-Texas Cath', 'Urine Output-Urine', 'Urine Output-Urine Output',
            'Urine Straight Cath', 'Urine via condom catheter', 'Urine, L neph:', 'Urine, R neph:', 'Urine, void:',
            'Urine- Foley', 'Urine- foley', 'Urine- void', 'Urine-foley', 'Urine-straight cath'
        )
        OR label LIKE 'Output%Urinary Catheter%'
        OR label LIKE 'Output%Urethral Catheter%'
        OR label LIKE 'Urine Output (mL)%'
        OR label LIKE 'Output%External Urethral%'
        OR label LIKE 'Urinary Catheter Output%'
        -- a catheter by any other name, unless placed or emptied elsewhere (PACU, OR, IR)
        OR (
            starts_with(lower(label), 'foley')
            AND NOT contains(lower(cellpath), 'pacu')
            AND NOT contains(lower(cellpath), 'or')
            AND NOT contains(lower(cellpath), 'ir')
        )
),

measured_urine AS (
    SELECT
        volume.patientunitstayid,
        sum(volume.cellvaluenumeric ORDER BY volume.cellvaluenumeric) AS urineoutput
    FROM eicu_crd.intakeoutput AS volume
    INNER JOIN urine_cell ON volume.cellpath = urine_cell.cellpath
    WHERE
        volume.intakeoutputoffset > 0
        AND volume.intakeoutputoffset <= 1440
        AND volume.cellvaluenumeric IS NOT NULL
    GROUP BY volume.patientunitstayid
),

airway AS (
    SELECT DISTINCT patientunitstayid
    FROM eicu_crd.respiratorycare
    WHERE
        respcarestatusoffset > 0
        AND respcarestatusoffset <= 1440
        AND (
            nullif(airwaytype, '') IS NOT NULL
            OR nullif(airwaysize, '') IS NOT NULL
            OR nullif(airwayposition, '') IS NOT NULL
            OR cuffpressure IS NOT NULL
            OR nullif(setapneatv, '') IS NOT NULL
        )
),

first_day AS (
    SELECT
        patient.patientunitstayid,
        patient.uniquepid,
        patient.patienthealthsystemstayid,
        patient.hospitaladmitoffset,
        CASE WHEN patient.age = '> 89' THEN 91 ELSE TRY_CAST(patient.age AS INTEGER) END AS age,
        coalesce(nurse_gcs.gcs, examined_gcs.gcs) AS gcs,
        vital.* EXCLUDE (patientunitstayid),
        coalesce(measured_urine.urineoutput, CASE WHEN severity.urine > 0 THEN severity.urine END) AS urineoutput,
        coalesce(severity.intubated = 1, false)
        OR coalesce(prediction.oobintubday1 = 1, false)
        OR airway.patientunitstayid IS NOT NULL AS ventilated,
        prediction.electivesurgery,
        patient.unitadmitsource
    FROM eicu_crd.patient AS patient
    LEFT JOIN nurse_gcs ON patient.patientunitstayid = nurse_gcs.patientunitstayid
    LEFT JOIN examined_gcs ON patient.patientunitstayid = examined_gcs.patientunitstayid
    LEFT JOIN vital ON patient.patientunitstayid = vital.patientunitstayid
    LEFT JOIN measured_urine ON patient.patientunitstayid = measured_urine.patientunitstayid
    LEFT JOIN airway ON patient.patientunitstayid = airway.patientunitstayid
    LEFT JOIN eicu_crd.apacheapsvar AS severity ON patient.patientunitstayid = severity.patientunitstayid
    LEFT JOIN eicu_crd.apachepredvar AS prediction ON patient.patientunitstayid = prediction.patientunitstayid
),

components AS (
    SELECT
        patientunitstayid,
        uniquepid,
        patienthealthsystemstayid,
        CASE
            WHEN hospitaladmitoffset > -10.2 THEN 5
            WHEN hospitaladmitoffset BETWEEN -296.4 AND -10.2 THEN 3
            WHEN hospitaladmitoffset BETWEEN -1440 AND -296.4 THEN 0
            WHEN hospitaladmitoffset BETWEEN -18708 AND -1440 THEN 2
            WHEN hospitaladmitoffset < -18708 THEN 1
            ELSE 0
        END AS preiculos_score,
        CASE
            WHEN age < 24 THEN 0
            WHEN age BETWEEN 24 AND 53 THEN 3
            WHEN age BETWEEN 54 AND 77 THEN 6
            WHEN age BETWEEN 78 AND 89 THEN 9
            WHEN age > 89 THEN 7
            ELSE 0
        END AS age_score,
        CASE
            WHEN gcs < 8 THEN 10
            WHEN gcs BETWEEN 8 AND 13 THEN 4
            WHEN gcs = 14 THEN 3
            ELSE 0
        END AS gcs_score,
        CASE
            WHEN heart_rate_min < 33 THEN 4
            WHEN heart_rate_max BETWEEN 33 AND 88 THEN 0
            WHEN heart_rate_max BETWEEN 89 AND 106 THEN 1
            WHEN heart_rate_max BETWEEN 107 AND 125 THEN 3
            WHEN heart_rate_max > 125 THEN 6
            ELSE 0
        END AS heart_rate_score,
        CASE
            WHEN invasive_min < 20.65 THEN 4
            WHEN invasive_min BETWEEN 20.65 AND 50.99 THEN 3
            WHEN invasive_min BETWEEN 51 AND 61.32 THEN 2
            WHEN invasive_min BETWEEN 61.33 AND 143.44 THEN 0
            WHEN invasive_max > 143.44 THEN 3
            WHEN cuff_min < 20.65 THEN 4
            WHEN cuff_min BETWEEN 20.65 AND 50.99 THEN 3
            WHEN cuff_min BETWEEN 51 AND 61.32 THEN 2
            WHEN cuff_min BETWEEN 61.33 AND 143.44 THEN 0
            WHEN cuff_max > 143.44 THEN 3
            ELSE 0
        END AS mbp_score,
        CASE
            WHEN resp_rate_min < 6 THEN 10
            WHEN resp_rate_min BETWEEN 6 AND 12 THEN 1
            WHEN resp_rate_min BETWEEN 13 AND 22 THEN 0
            WHEN resp_rate_max BETWEEN 23 AND 30 THEN 1
            WHEN resp_rate_max BETWEEN 31 AND 44 THEN 6
            WHEN resp_rate_max > 44 THEN 9
            ELSE 0
        END AS resp_rate_score,
        CASE
            WHEN temperature_min < 33.22 THEN 3
            WHEN temperature_min BETWEEN 33.22 AND 35.93 THEN 4
            WHEN temperature_max BETWEEN 33.22 AND 35.93 THEN 4
            WHEN temperature_min BETWEEN 35.94 AND 36.39 THEN 2
            WHEN temperature_max BETWEEN 36.40 AND 36.88 THEN 0
            WHEN temperature_max BETWEEN 36.89 AND 39.88 THEN 2
            WHEN temperature_max > 39.88 THEN 6
            ELSE 0
        END AS temp_score,
        CASE
            WHEN urineoutput < 671 THEN 10
            WHEN urineoutput BETWEEN 671 AND 1426.99 THEN 5
            WHEN urineoutput BETWEEN 1427 AND 2543.99 THEN 1
            WHEN urineoutput BETWEEN 2544 AND 6896 THEN 0
            WHEN urineoutput > 6896 THEN 8
            ELSE 0
        END AS urineoutput_score,
        CASE WHEN ventilated THEN 9 ELSE 0 END AS mechvent_score,
        CASE
            WHEN coalesce(electivesurgery, 0) = 0 THEN 6
            WHEN unitadmitsource = 'Emergency Department' THEN 6
            ELSE 0
        END AS electivesurgery_score
    FROM first_day
)

SELECT
    patientunitstayid,
    uniquepid,
    patienthealthsystemstayid,
    preiculos_score
    + age_score
    + gcs_score
    + heart_rate_score
    + mbp_score
    + resp_rate_score
    + temp_score
    + urineoutput_score
    + mechvent_score
    + electivesurgery_score AS oasis,
    * EXCLUDE (patientunitstayid, uniquepid, patienthealthsystemstayid)
FROM components
ORDER BY patientunitstayid
