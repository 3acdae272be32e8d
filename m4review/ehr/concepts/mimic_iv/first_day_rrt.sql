-- first_day_rrt: signs of renal replacement therapy in the first day.
--
-- grain:   one row per ICU stay; missing where nothing lies in the window
-- sources: mimiciv_icu.icustays, rrt (by stay)
-- window:  ICU admission - 6 h to + 24 h, both ends included
-- rules:   dialysis_type lists the kinds of the window once each, in alphabetical order

SELECT
    stay.subject_id,
    stay.stay_id,
    max(dialysis.dialysis_present) AS dialysis_present,
    max(dialysis.dialysis_active) AS dialysis_active,
    string_agg(DISTINCT dialysis.dialysis_type, ', ' ORDER BY dialysis.dialysis_type) AS dialysis_type
FROM mimiciv_icu.icustays AS stay
LEFT JOIN mimiciv_derived.rrt AS dialysis
    ON
        stay.stay_id = dialysis.stay_id
        AND dialysis.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
GROUP BY stay.subject_id, stay.stay_id
ORDER BY stay.stay_id
