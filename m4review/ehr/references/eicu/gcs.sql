-- gcs: lowest Glasgow Coma Scale of the first ICU day with its parts.
--
-- grain:   one row per unit stay, every stay
-- sources: eicu_crd.patient, eicu_crd.nursecharting
-- window:  6 hours before to 24 hours after unit admission, both ends included (minutes)
-- units:   points
-- rules:   values that are no number are left out; several values of one part at one time: the lowest. A charted
--          total counts from 3 to 15 and goes before the sum of the parts; whatever is missing counts as normal:
--          motor 6, verbal 5, eyes 4.
-- edges:   the lowest total is taken before its range is checked, so an invalid one hides a valid one of that time,
--          and the time then counts by its parts
-- ties:    of several times with the lowest total the earliest
-- source:  Teasdale G, Jennett B. Lancet 1974;304:81-84; Teasdale G et al. Lancet Neurol 2014;13:844-854

WITH charted AS (
    SELECT
        patientunitstayid,
        nursingchartoffset,
        CASE
            WHEN
                (nursingchartcelltypevallabel = 'Glasgow coma score' AND nursingchartcelltypevalname = 'GCS Total')
                OR (
                    nursingchartcelltypevallabel = 'Score (Glasgow Coma Scale)'
                    AND nursingchartcelltypevalname = 'Value'
                )
                THEN 'Total'
            WHEN nursingchartcelltypevallabel = 'Glasgow coma score' THEN nursingchartcelltypevalname
        END AS part,
        TRY_CAST(nursingchartvalue AS DECIMAL(18, 3)) AS points
    FROM eicu_crd.nursecharting
    WHERE
        nursingchartcelltypecat IN ('Scores', 'Other Vital Signs and Infusions')
        AND nursingchartoffset BETWEEN -360 AND 1440
),

at_one_time AS (
    SELECT
        patientunitstayid,
        nursingchartoffset,
        min(points) FILTER (part = 'Total') AS total,
        min(points) FILTER (part = 'Motor') AS motor,
        min(points) FILTER (part = 'Verbal') AS verbal,
        min(points) FILTER (part = 'Eyes') AS eyes
    FROM charted
    GROUP BY patientunitstayid, nursingchartoffset
    HAVING coalesce(total, motor, verbal, eyes) IS NOT NULL
),

scored AS (
    SELECT
        *,
        coalesce(
            CASE WHEN total > 2 AND total < 16 THEN total END,
            coalesce(eyes, 4) + coalesce(motor, 6) + coalesce(verbal, 5)
        ) AS gcs
    FROM at_one_time
),

lowest AS (
    SELECT * FROM scored
    QUALIFY row_number() OVER (PARTITION BY patientunitstayid ORDER BY gcs, nursingchartoffset) = 1
)

SELECT
    patient.patientunitstayid,
    patient.uniquepid,
    patient.patienthealthsystemstayid,
    coalesce(lowest.gcs, 15) AS gcs_min,
    coalesce(lowest.motor, 6) AS gcs_motor,
    coalesce(lowest.verbal, 5) AS gcs_verbal,
    coalesce(lowest.eyes, 4) AS gcs_eyes
FROM eicu_crd.patient AS patient
LEFT JOIN lowest ON patient.patientunitstayid = lowest.patientunitstayid
ORDER BY patient.patientunitstayid
