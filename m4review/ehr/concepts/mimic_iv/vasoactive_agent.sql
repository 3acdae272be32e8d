-- vasoactive_agent: rates of the vasoactive drugs over intervals without a change.
--
-- grain:   one row per stay, interval and combination of infusion rows running through it; parallel rows of one drug
--          give several rows for the interval, an interval without any drug gives one row without rates
-- sources: dopamine, epinephrine, norepinephrine, phenylephrine, vasopressin, dobutamine, milrinone
-- window:  every start and end of any of the seven drugs opens an interval that lasts to the next one of the stay
-- units:   mcg/kg/min; vasopressin units/hour
-- edges:   a row counts when it covers the whole interval; a row ending at its start only sets a boundary

WITH boundary AS (
    SELECT stay_id, unnest([starttime, endtime]) AS boundary_time FROM mimiciv_derived.dopamine
    UNION
    SELECT stay_id, unnest([starttime, endtime]) AS boundary_time FROM mimiciv_derived.epinephrine
    UNION
    SELECT stay_id, unnest([starttime, endtime]) AS boundary_time FROM mimiciv_derived.norepinephrine
    UNION
    SELECT stay_id, unnest([starttime, endtime]) AS boundary_time FROM mimiciv_derived.phenylephrine
    UNION
    SELECT stay_id, unnest([starttime, endtime]) AS boundary_time FROM mimiciv_derived.vasopressin
    UNION
    SELECT stay_id, unnest([starttime, endtime]) AS boundary_time FROM mimiciv_derived.dobutamine
    UNION
    SELECT stay_id, unnest([starttime, endtime]) AS boundary_time FROM mimiciv_derived.milrinone
),

change_free_interval AS (
    SELECT
        stay_id,
        boundary_time AS starttime,
        lead(boundary_time) OVER (PARTITION BY stay_id ORDER BY boundary_time) AS endtime
    FROM boundary
    QUALIFY endtime IS NOT NULL
)

SELECT
    span.stay_id,
    span.starttime,
    span.endtime,
    dopamine.vaso_rate AS dopamine,
    epinephrine.vaso_rate AS epinephrine,
    norepinephrine.vaso_rate AS norepinephrine,
    phenylephrine.vaso_rate AS phenylephrine,
    vasopressin.vaso_rate AS vasopressin,
    dobutamine.vaso_rate AS dobutamine,
    milrinone.vaso_rate AS milrinone
FROM change_free_interval AS span
LEFT JOIN mimiciv_derived.dopamine AS dopamine
    ON span.stay_id = dopamine.stay_id AND dopamine.starttime <= span.starttime AND dopamine.endtime >= span.endtime
LEFT JOIN mimiciv_derived.epinephrine AS epinephrine
    ON
        span.stay_id = epinephrine.stay_id
        AND epinephrine.starttime <= span.starttime
        AND epinephrine.endtime >= span.endtime
LEFT JOIN mimiciv_derived.norepinephrine AS norepinephrine
    ON
        span.stay_id = norepinephrine.stay_id
        AND norepinephrine.starttime <= span.starttime
        AND norepinephrine.endtime >= span.endtime
LEFT JOIN mimiciv_derived.phenylephrine AS phenylephrine
    ON
        span.stay_id = phenylephrine.stay_id
        AND phenylephrine.starttime <= span.starttime
        AND phenylephrine.endtime >= span.endtime
LEFT JOIN mimiciv_derived.vasopressin AS vasopressin
    ON
        span.stay_id = vasopressin.stay_id
        AND vasopressin.starttime <= span.starttime
        AND vasopressin.endtime >= span.endtime
LEFT JOIN mimiciv_derived.dobutamine AS dobutamine
    ON
        span.stay_id = dobutamine.stay_id
        AND dobutamine.starttime <= span.starttime
        AND dobutamine.endtime >= span.endtime
LEFT JOIN mimiciv_derived.milrinone AS milrinone
    ON
        span.stay_id = milrinone.stay_id
        AND milrinone.starttime <= span.starttime
        AND milrinone.endtime >= span.endtime
ORDER BY ALL
