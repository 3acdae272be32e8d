-- kdigo-48h: highest KDIGO stage of acute kidney injury in the first 48 hours of an ICU stay.
--
-- grain:   one row per ICU stay, every stay
-- sources: mimiciv_icu.icustays, kdigo_stages
-- window:  ICU admission to ICU admission + 48 h, both ends included; look-back data may be older
-- units:   stage 0 to 3, CRRT 0 or 3
-- rules:   highest stage of any time, overall and by creatinine, urine and CRRT; without data 0
-- edges:   creatinine after ICU discharge never enters, urine and CRRT do; RRT means a charted CRRT mode only
-- source:  KDIGO AKI Work Group. Kidney Int Suppl 2012;2:1-138; Kellum JA, Lameire N. Crit Care 2013;17:204

SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    coalesce(max(stage.aki_stage), 0) AS aki_stage,
    coalesce(max(stage.aki_stage_creat), 0) AS aki_stage_creat,
    coalesce(max(stage.aki_stage_uo), 0) AS aki_stage_uo,
    coalesce(max(stage.aki_stage_crrt), 0) AS aki_stage_crrt
FROM mimiciv_icu.icustays AS stay
LEFT JOIN mimiciv_derived.kdigo_stages AS stage
    ON
        stay.stay_id = stage.stay_id
        AND stage.charttime BETWEEN stay.intime AND stay.intime + INTERVAL 48 HOUR
GROUP BY stay.subject_id, stay.hadm_id, stay.stay_id
ORDER BY stay.stay_id
