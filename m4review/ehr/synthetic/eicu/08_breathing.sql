-- Breathing: who has an airway, and the respiratory therapist's notes of it. Not every tube is noted, and some notes
-- name no airway at all.

CREATE TABLE airway AS
SELECT
    *,
    CASE
        WHEN intubated_at IS NOT NULL AND chance(stay_no, 'airway noted') < 0.8
            THEN one_of(stay_no, 'airway', [
                'Oral ETT', 'Oral ETT', 'Oral ETT', 'Oral ETT', 'Nasal ETT', 'Tracheostomy'
            ])
    END AS airway,
    intubated_at IS NULL AND lungs >= 1 AND chance(stay_no, 'mask noted') < 0.3 AS mask
FROM illness;

CREATE TABLE respiratorycare AS
WITH noted AS (
    SELECT
        *,
        hash(stay_no, note_no) AS at_note,
        greatest(
            CAST(round(uniform(hash(stay_no, note_no), 'noted', 5, 90)) AS BIGINT), coalesce(intubated_at, 0)
        ) + 700 * note_no AS noted_at
    FROM
        airway,
        range(0, CAST(1 + least(6, least(minutes_of_ventilation, minutes) / 700) AS BIGINT)) AS notes (note_no)
    WHERE airway IS NOT NULL OR mask
),

known AS (
    -- a note rarely has everything
    SELECT *, chance(at_note, 'detail') AS detail
    FROM noted
    WHERE noted_at <= minutes
)

SELECT
    stay_no * 100 + note_no AS respcareid,
    patientunitstayid,
    noted_at AS respcarestatusoffset,
    note_no + 1 AS currenthistoryseqnum,
    CASE WHEN detail > 0.06 THEN airway END AS airwaytype,
    CASE
        WHEN airway IS NOT NULL AND detail BETWEEN 0.04 AND 0.75
            THEN one_of(stay_no, 'size', ['7.0', '7.5', '7.5', '8.0', '8.0', '8.5'])
    END AS airwaysize,
    CASE
        WHEN airway LIKE '%ETT' AND (detail < 0.02 OR detail > 0.5)
            THEN one_of(stay_no, 'position', ['21 @ lip', '22 @ lip', '23 @ lip', '24 @ teeth'])
    END AS airwayposition,
    CASE
        WHEN airway IS NOT NULL AND (detail < 0.04 OR detail > 0.7) THEN round(uniform(at_note, 'cuff', 20, 32))
    END AS cuffpressure,
    coalesce(intubated_at, 0) AS ventstartoffset,
    CASE
        WHEN airway IS NOT NULL AND intubated_at + minutes_of_ventilation <= noted_at
            THEN intubated_at + minutes_of_ventilation
        ELSE 0
    END AS ventendoffset,
    0 AS priorventstartoffset,
    0 AS priorventendoffset,
    NULL AS apneaparams,
    NULL AS lowexhmvlimit,
    NULL AS hiexhmvlimit,
    NULL AS lowexhtvlimit,
    CASE WHEN airway IS NOT NULL AND detail > 0.5 THEN 40 END AS hipeakpreslimit,
    NULL AS lowpeakpreslimit,
    CASE WHEN airway IS NOT NULL AND detail > 0.5 THEN 35 END AS hirespratelimit,
    NULL AS lowrespratelimit,
    NULL AS sighpreslimit,
    NULL AS lowironoxlimit,
    NULL AS highironoxlimit,
    NULL AS meanairwaypreslimit,
    NULL AS peeplimit,
    NULL AS cpaplimit,
    CASE WHEN airway IS NOT NULL AND detail BETWEEN 0.05 AND 0.3 THEN '20' END AS setapneainterval,
    CASE WHEN airway IS NOT NULL AND detail BETWEEN 0.03 AND 0.3 THEN '450' END AS setapneatv,
    NULL AS setapneaippephigh,
    CASE WHEN airway IS NOT NULL AND detail BETWEEN 0.05 AND 0.3 THEN '12' END AS setapnearr,
    NULL AS setapneapeakflow,
    NULL AS setapneainsptime,
    NULL AS setapneaie,
    CASE WHEN airway IS NOT NULL AND detail BETWEEN 0.05 AND 0.3 THEN '100' END AS setapneafio2
FROM known;
