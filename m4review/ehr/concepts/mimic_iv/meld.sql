-- meld: Model for End-Stage Liver Disease with sodium.
--
-- grain:   one row per ICU stay, every stay
-- sources: mimiciv_icu.icustays, first_day_lab, first_day_rrt
-- window:  ICU admission - 6 h to + 24 h, both ends included
-- units:   mg/dL, INR without unit, mEq/L; natural logarithms
-- rules:   a missing or low value counts as the lower bound (creatinine 1, bilirubin 1, INR 1), a missing sodium as
--          137; dialysis or a creatinine above 4 counts as 4; sodium is bounded to 125-137 and adjusts scores above
--          11 only. The sum is taken to 9 decimals, rounded to 1 and multiplied by 10, at most 40
-- differs: the reference meld-24h takes the sum to 3 decimals before it is rounded
-- source:  Kamath PS et al. Hepatology 2001;33:464-470; Kim WR et al. N Engl J Med 2008;359:1018-1026

WITH worst_value AS (
    SELECT
        stay.subject_id,
        stay.hadm_id,
        stay.stay_id,
        dialysis.dialysis_present AS rrt,
        lab.creatinine_max,
        lab.bilirubin_total_max,
        lab.inr_max,
        lab.sodium_min
    FROM mimiciv_icu.icustays AS stay
    LEFT JOIN mimiciv_derived.first_day_lab AS lab ON stay.stay_id = lab.stay_id
    LEFT JOIN mimiciv_derived.first_day_rrt AS dialysis ON stay.stay_id = dialysis.stay_id
),

term AS (
    SELECT
        *,
        CASE
            WHEN rrt = 1 OR creatinine_max > 4.0 THEN 0.957 * ln(4)
            WHEN creatinine_max >= 1 THEN 0.957 * ln(creatinine_max)
            ELSE 0
        END AS creatinine_term,
        CASE WHEN bilirubin_total_max >= 1 THEN 0.378 * ln(bilirubin_total_max) ELSE 0 END AS bilirubin_term,
        CASE WHEN inr_max >= 1 THEN 1.120 * ln(inr_max) + 0.643 ELSE 0.643 END AS inr_term,
        CASE
            WHEN sodium_min > 137 THEN 0
            WHEN sodium_min < 125 THEN 12
            WHEN sodium_min IS NOT NULL THEN 137 - sodium_min
            ELSE 0
        END AS sodium_deficit
    FROM worst_value
),

initial_score AS (
    SELECT
        *,
        creatinine_term + bilirubin_term + inr_term AS term_sum,
        CASE
            WHEN term_sum > 4 THEN 40.0
            ELSE round(CAST(term_sum AS DECIMAL(38, 9)), 1) * 10
        END AS meld_initial
    FROM term
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    meld_initial,
    CASE
        WHEN meld_initial > 11
            THEN meld_initial + 1.32 * sodium_deficit - 0.033 * meld_initial * sodium_deficit
        ELSE meld_initial
    END AS meld,
    rrt,
    creatinine_max,
    bilirubin_total_max,
    inr_max,
    sodium_min
FROM initial_score
ORDER BY stay_id
