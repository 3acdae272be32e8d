-- Monitor and ventilator: what the devices send, thinned out to one line an hour, and what respiratory therapists
-- chart.

CREATE VIEW vitalperiodic AS
SELECT
    stay_no * 100000 + hour AS vitalperiodicid,
    patientunitstayid,
    charted_at + 5 - (charted_at % 5 + 5) % 5 AS observationoffset,
    CASE WHEN brain >= 3 THEN round(celsius, 1) END AS temperature,
    saturation AS sao2,
    heart_rate + round(normal(at_hour, 'monitored heart', 0, 2)) AS heartrate,
    greatest(0, breaths + round(normal(at_hour, 'monitored breaths', 0, 2))) AS respiration,
    CASE WHEN circulation >= 3 THEN round(normal(at_hour, 'venous pressure', 10, 3)) END AS cvp,
    CASE WHEN intubated_at <= charted_at THEN round(normal(at_hour, 'exhaled', 35, 4)) END AS etco2,
    CASE WHEN arterial_line THEN round(mean_pressure * (1 + stiffness / 2)) END AS systemicsystolic,
    CASE WHEN arterial_line THEN round(mean_pressure * (1 - stiffness / 4)) END AS systemicdiastolic,
    CASE WHEN arterial_line THEN round(mean_pressure) END AS systemicmean,
    NULL AS pasystolic,
    NULL AS padiastolic,
    NULL AS pamean,
    round(normal(at_hour, 'st1', 0, 0.4), 1) AS st1,
    round(normal(at_hour, 'st2', 0, 0.5), 1) AS st2,
    round(normal(at_hour, 'st3', 0, 0.4), 1) AS st3,
    NULL AS icp
FROM vital
WHERE charted_at >= 0;

CREATE VIEW vitalaperiodic AS
SELECT
    stay_no * 100000 + hour AS vitalaperiodicid,
    patientunitstayid,
    charted_at AS observationoffset,
    round(greatest(21, mean_pressure) * (1 + stiffness / 2)) AS noninvasivesystolic,
    round(greatest(21, mean_pressure) * (1 - stiffness / 4)) AS noninvasivediastolic,
    greatest(21, mean_pressure) AS noninvasivemean,
    NULL AS paop,
    NULL AS cardiacoutput,
    NULL AS cardiacinput,
    NULL AS svr,
    NULL AS svri,
    NULL AS pvr,
    NULL AS pvri
FROM vital
WHERE charted_at >= 0 AND NOT arterial_line;

CREATE VIEW respiratorycharting AS
WITH charted AS (
    SELECT
        stay_no,
        hour,
        patientunitstayid,
        charted_at,
        unnest([
            {
                'slot': 1, 'category': 'respFlowPtVentData', 'label': 'FiO2',
                'value': as_text(greatest(30, round((20 + 14 * lungs + normal(at_hour, 'oxygen', 4, 4)) / 5) * 5))
            },
            {
                'slot': 2, 'category': 'respFlowPtVentData', 'label': 'PEEP',
                'value': as_text(5 + CAST(lungs >= 3 AS INTEGER) * 3)
            },
            {
                'slot': 3, 'category': 'respFlowPtVentData', 'label': 'Total RR',
                'value': as_text(greatest(8, round(usual_breaths + normal(at_hour, 'ventilator', 0, 1.5))))
            },
            {
                'slot': 4, 'category': 'respFlowPtVentData', 'label': 'Tidal Volume (set)',
                'value': as_text(round(weight * 5.5 / 50) * 50)
            }
        ], recursive := true)
    FROM bedside_hour
    WHERE hour % 4 = 0 AND charted_at BETWEEN intubated_at AND intubated_at + minutes_of_ventilation
)

SELECT
    stay_no * 1000000 + hour * 10 + slot AS respchartid,
    patientunitstayid,
    charted_at AS respchartoffset,
    charted_at + 3 AS respchartentryoffset,
    category AS respcharttypecat,
    label AS respchartvaluelabel,
    value AS respchartvalue
FROM charted
WHERE hour >= 0;
