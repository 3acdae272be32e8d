-- first_day_bg: lowest and highest blood gas results of the first day, any specimen.
--
-- grain:   one row per ICU stay; missing where no gas was drawn in the window
-- sources: mimiciv_icu.icustays, bg (by patient)
-- window:  ICU admission - 6 h to + 24 h, both ends included
-- rules:   gases of any specimen, unlabelled ones included; as in bg, a gas has a pO2
-- units:   as in bg

SELECT
    stay.subject_id,
    stay.stay_id,
    min(gas.lactate) AS lactate_min,
    max(gas.lactate) AS lactate_max,
    min(gas.ph) AS ph_min,
    max(gas.ph) AS ph_max,
    min(gas.so2) AS so2_min,
    max(gas.so2) AS so2_max,
    min(gas.po2) AS po2_min,
    max(gas.po2) AS po2_max,
    min(gas.pco2) AS pco2_min,
    max(gas.pco2) AS pco2_max,
    min(gas.aado2) AS aado2_min,
    max(gas.aado2) AS aado2_max,
    min(gas.aado2_calc) AS aado2_calc_min,
    max(gas.aado2_calc) AS aado2_calc_max,
    min(gas.pao2fio2ratio) AS pao2fio2ratio_min,
    max(gas.pao2fio2ratio) AS pao2fio2ratio_max,
    min(gas.baseexcess) AS baseexcess_min,
    max(gas.baseexcess) AS baseexcess_max,
    min(gas.bicarbonate) AS bicarbonate_min,
    max(gas.bicarbonate) AS bicarbonate_max,
    min(gas.totalco2) AS totalco2_min,
    max(gas.totalco2) AS totalco2_max,
    min(gas.hematocrit) AS hematocrit_min,
    max(gas.hematocrit) AS hematocrit_max,
    min(gas.hemoglobin) AS hemoglobin_min,
    max(gas.hemoglobin) AS hemoglobin_max,
    min(gas.carboxyhemoglobin) AS carboxyhemoglobin_min,
    max(gas.carboxyhemoglobin) AS carboxyhemoglobin_max,
    min(gas.methemoglobin) AS methemoglobin_min,
    max(gas.methemoglobin) AS methemoglobin_max,
    min(gas.temperature) AS temperature_min,
    max(gas.temperature) AS temperature_max,
    min(gas.chloride) AS chloride_min,
    max(gas.chloride) AS chloride_max,
    min(gas.calcium) AS calcium_min,
    max(gas.calcium) AS calcium_max,
    min(gas.glucose) AS glucose_min,
    max(gas.glucose) AS glucose_max,
    min(gas.potassium) AS potassium_min,
    max(gas.potassium) AS potassium_max,
    min(gas.sodium) AS sodium_min,
    max(gas.sodium) AS sodium_max
FROM mimiciv_icu.icustays AS stay
LEFT JOIN mimiciv_derived.bg AS gas
    ON
        stay.subject_id = gas.subject_id
        AND gas.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
GROUP BY stay.subject_id, stay.stay_id
ORDER BY stay.stay_id
