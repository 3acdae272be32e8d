-- first_day_vitalsign: lowest, highest and mean vital signs of the first day.
--
-- grain:   one row per ICU stay; missing where nothing was charted in the window
-- sources: mimiciv_icu.icustays, vitalsign (by stay)
-- window:  ICU admission - 6 h to + 24 h, both ends included
-- units:   as in vitalsign
-- ties:    means add their values in ascending order

SELECT
    stay.subject_id,
    stay.stay_id,
    min(sign.heart_rate) AS heart_rate_min,
    max(sign.heart_rate) AS heart_rate_max,
    avg(sign.heart_rate ORDER BY sign.heart_rate) AS heart_rate_mean,
    min(sign.sbp) AS sbp_min,
    max(sign.sbp) AS sbp_max,
    avg(sign.sbp ORDER BY sign.sbp) AS sbp_mean,
    min(sign.dbp) AS dbp_min,
    max(sign.dbp) AS dbp_max,
    avg(sign.dbp ORDER BY sign.dbp) AS dbp_mean,
    min(sign.mbp) AS mbp_min,
    max(sign.mbp) AS mbp_max,
    avg(sign.mbp ORDER BY sign.mbp) AS mbp_mean,
    min(sign.resp_rate) AS resp_rate_min,
    max(sign.resp_rate) AS resp_rate_max,
    avg(sign.resp_rate ORDER BY sign.resp_rate) AS resp_rate_mean,
    min(sign.temperature) AS temperature_min,
    max(sign.temperature) AS temperature_max,
    avg(sign.temperature ORDER BY sign.temperature) AS temperature_mean,
    min(sign.spo2) AS spo2_min,
    max(sign.spo2) AS spo2_max,
    avg(sign.spo2 ORDER BY sign.spo2) AS spo2_mean,
    min(sign.glucose) AS glucose_min,
    max(sign.glucose) AS glucose_max,
    avg(sign.glucose ORDER BY sign.glucose) AS glucose_mean
FROM mimiciv_icu.icustays AS stay
LEFT JOIN mimiciv_derived.vitalsign AS sign
    ON
        stay.stay_id = sign.stay_id
        AND sign.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
GROUP BY stay.subject_id, stay.stay_id
ORDER BY stay.stay_id
