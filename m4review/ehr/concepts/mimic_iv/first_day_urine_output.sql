-- first_day_urine_output: urine of the first day.
--
-- grain:   one row per ICU stay; missing where no urine was charted in the window
-- sources: mimiciv_icu.icustays, urine_output (by stay)
-- window:  ICU admission to + 24 h, both ends included; no look-back
-- units:   mL; a plain sum, not scaled to the hours spent in the unit
-- ties:    volumes are added in the order of time, so that the last digit does not depend on the row order

SELECT
    stay.subject_id,
    stay.stay_id,
    sum(urine.urineoutput ORDER BY urine.charttime) AS urineoutput
FROM mimiciv_icu.icustays AS stay
LEFT JOIN mimiciv_derived.urine_output AS urine
    ON
        stay.stay_id = urine.stay_id
        AND urine.charttime BETWEEN stay.intime AND stay.intime + INTERVAL 24 HOUR
GROUP BY stay.subject_id, stay.stay_id
ORDER BY stay.stay_id
