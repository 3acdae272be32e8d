-- creatinine-baseline: creatinine before the illness, measured or estimated.
--
-- grain:   one row per hospital admission at an age of 18 years or more
-- sources: creatinine_baseline
-- window:  none: every creatinine that carries the admission
-- units:   mg/dL, years
-- rules:   those of the concept, unchanged and not rounded
-- source:  KDIGO AKI Work Group. Kidney Int Suppl 2012;2:1-138; Bellomo R et al. Crit Care 2004;8:R204-R212

SELECT
    hadm_id,
    gender,
    age,
    scr_min,
    ckd,
    mdrd_est,
    scr_baseline
FROM mimiciv_derived.creatinine_baseline
ORDER BY hadm_id
