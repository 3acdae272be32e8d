-- norepinephrine_equivalent_dose: vasopressor dose in norepinephrine equivalents.
--
-- grain:   one row per row of vasoactive_agent with a rate of any of the five vasopressors, a rate of 0 included; an
--          interval with parallel rows of one drug appears more than once
-- sources: vasoactive_agent
-- units:   mcg/kg/min of norepinephrine, taken to 9 and then rounded to 4 decimals, half away from zero
-- rules:   norepinephrine + epinephrine + phenylephrine / 10 + dopamine / 100 + vasopressin (units/hour) * 2.5 / 60;
--          a missing rate adds nothing; dobutamine and milrinone do not count
-- edges:   a dose that is no finite number is missing
-- source:  Goradia S et al. J Crit Care 2021;61:233-240; Brown SM et al. Chest 2013;143:664-671

SELECT
    stay_id,
    starttime,
    endtime,
    round(
        TRY_CAST(
            coalesce(norepinephrine, 0)
            + coalesce(epinephrine, 0)
            + coalesce(phenylephrine, 0) / 10
            + coalesce(dopamine, 0) / 100
            + coalesce(vasopressin, 0) * 2.5 / 60
            AS DECIMAL(38, 9)
        ),
        4
    ) AS norepinephrine_equivalent_dose
FROM mimiciv_derived.vasoactive_agent
WHERE coalesce(norepinephrine, epinephrine, phenylephrine, dopamine, vasopressin) IS NOT NULL
ORDER BY ALL
