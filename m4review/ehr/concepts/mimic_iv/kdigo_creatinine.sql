-- kdigo_creatinine: serum creatinine with its lowest earlier values.
--
-- grain:   one row per stay and creatinine time; a stay without creatinine has one row with no time
-- sources: mimiciv_icu.icustays, mimiciv_hosp.labevents 50912 Creatinine (by patient, any admission)
-- window:  ICU admission - 7 days to ICU discharge, both ends included; the lowest value of the 48 hours and 7 days
--          before, their start included and the current time excluded
-- units:   mg/dL, up to 150, no lower limit
-- ties:    several values at one time are averaged, added in ascending order

WITH creatinine AS (
    SELECT
        stay.hadm_id,
        stay.stay_id,
        lab.charttime,
        avg(lab.valuenum ORDER BY lab.valuenum) AS creat
    FROM mimiciv_icu.icustays AS stay
    LEFT JOIN mimiciv_hosp.labevents AS lab
        ON
            stay.subject_id = lab.subject_id
            AND lab.itemid = 50912
            AND lab.valuenum <= 150
            AND lab.charttime BETWEEN stay.intime - INTERVAL 7 DAY AND stay.outtime
    GROUP BY stay.hadm_id, stay.stay_id, lab.charttime
)

SELECT
    hadm_id,
    stay_id,
    charttime,
    creat,
    min(creat) OVER (
        PARTITION BY stay_id ORDER BY charttime
        RANGE BETWEEN INTERVAL 48 HOUR PRECEDING AND INTERVAL 1 MICROSECOND PRECEDING
    ) AS creat_low_past_48hr,
    min(creat) OVER (
        PARTITION BY stay_id ORDER BY charttime
        RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND INTERVAL 1 MICROSECOND PRECEDING
    ) AS creat_low_past_7day
FROM creatinine
ORDER BY stay_id, charttime
