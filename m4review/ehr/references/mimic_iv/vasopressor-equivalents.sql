-- vasopressor-equivalents: vasopressor dose in norepinephrine equivalents, one value per interval.
--
-- grain:   one row per stay and interval without a change of any vasoactive drug, where at least one of the five
--          vasopressors has a rate, a rate of 0 included
-- sources: vasoactive_agent
-- units:   mcg/kg/min of norepinephrine, 3 decimals, half away from zero
-- rules:   norepinephrine + epinephrine + phenylephrine / 10 + dopamine / 100 + vasopressin (units/hour) * 2.5 / 60,
--          added in this order; a missing rate adds nothing; dobutamine and milrinone only set interval boundaries.
--          Parallel rows of one drug are not summed: each gives a dose of its own, and the highest rounded one
--          counts.
-- edges:   a dose that is no finite number is missing; the row stays
-- differs: the concept norepinephrine_equivalent_dose has 4 decimals and keeps parallel rows
-- source:  Goradia S et al. J Crit Care 2021;61:233-240; Brown SM et al. Chest 2013;143:664-671

WITH dose AS (
    SELECT
        stay_id,
        starttime,
        endtime,
        TRY_CAST(
            coalesce(norepinephrine, 0)
            + coalesce(epinephrine, 0)
            + coalesce(phenylephrine, 0) / 10
            + coalesce(dopamine, 0) / 100
            + coalesce(vasopressin, 0) * 2.5 / 60
            AS DECIMAL(18, 3)
        ) AS equivalent
    FROM mimiciv_derived.vasoactive_agent
    WHERE coalesce(norepinephrine, epinephrine, phenylephrine, dopamine, vasopressin) IS NOT NULL
)

SELECT
    stay_id,
    starttime,
    endtime,
    max(equivalent) AS norepinephrine_equivalent_dose
FROM dose
GROUP BY stay_id, starttime, endtime
ORDER BY stay_id, starttime
