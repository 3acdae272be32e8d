-- meld-24h: Model for End-Stage Liver Disease with sodium, first ICU day.
--
-- grain:   one row per ICU stay, every stay, with or without liver disease
-- sources: mimiciv_icu.icustays, first_day_lab, first_day_rrt
-- window:  ICU admission - 6 h to + 24 h, both ends included
-- units:   mg/dL, INR without unit, mEq/L; natural logarithms
-- rules:   a missing or low value counts as the lower bound (creatinine 1, bilirubin 1, INR 1), a missing sodium as
--          137; dialysis or a creatinine above 4 counts as 4; sodium is bounded to 125-137 and adjusts scores above
--          11 only. The sum is rounded to 3, then to 1 decimal, both half away from zero, and multiplied by 10, at
--          most 40; the result is not rounded
-- edges:   rounding twice decides between 11 and 12, where the sodium adjustment sets in: 1.0496 becomes 1.1
-- differs: the concept meld takes the sum to 9 decimals before it is rounded
-- source:  Kamath PS et al. Hepatology 2001;33:464-470; Kim WR et al. N Engl J Med 2008;359:1018-1026; Biggins SW
--          et al. Gastroenterology 2006;130:1652-1660

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
            ELSE round(CAST(term_sum AS DECIMAL(18, 3)), 1) * 10
        END AS score
    FROM term
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    CASE
        WHEN score > 11 THEN score + 1.32 * sodium_deficit - 0.033 * score * sodium_deficit
        ELSE score
    END AS meld
FROM initial_score
ORDER BY stay_id
