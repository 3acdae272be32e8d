-- Breathing: oxygen devices and flows, ventilator modes and settings, inspired oxygen. A patient is intubated for a
-- while and then weaned to a mask or cannula; others have a tracheostomy, a mask, high flow, a cannula or room air. In
-- some stays nobody charts it for about 14 hours, and some of the extubated need a mask or the tube again.

CREATE VIEW breathing_hour WITH (DEFER_BINDING) AS
WITH on_support AS (
    SELECT
        *,
        CASE
            WHEN support <> 'ventilator' THEN support
            WHEN hour < intubated_at THEN 'mask'
            WHEN hour <= extubated_at THEN 'ventilator'
            WHEN hour - extubated_at BETWEEN 6 AND 20 AND chance(stay_no, 'extubation fails') < 0.08 THEN 'ventilator'
            WHEN hour - extubated_at < 24 AND chance(stay_no, 'extubation fails') BETWEEN 0.08 AND 0.16 THEN 'bilevel'
            WHEN hour - extubated_at > 30 AND chance(stay_no, 'extubation fails') < 0.5 THEN 'air'
            WHEN chance(stay_no, 'weaned to') < 0.2 THEN 'high flow'
            ELSE 'cannula'
        END AS support_now
    FROM bedside_hour
)

SELECT
    * EXCLUDE (support),
    -- charted at percents that respirators are set to
    CASE
        WHEN support_now = 'ventilator'
            THEN least(100, 5 * round((40 + 12 * lungs + normal(at_hour, 'oxygen', 0, 5)) / 5))
        WHEN support_now IN ('high flow', 'bilevel', 'tracheostomy') THEN
            least(100, 5 * round((45 + 8 * lungs + normal(at_hour, 'oxygen', 0, 4)) / 5))
        WHEN support_now = 'mask' THEN 50
    END AS oxygen_percent,
    CASE support_now
        WHEN 'high flow' THEN 5 * round(uniform(at_hour, 'flow', 6, 11))
        WHEN 'bilevel' THEN round(uniform(at_hour, 'flow', 5, 15))
        WHEN 'mask' THEN round(uniform(at_hour, 'flow', 6, 15))
        WHEN 'cannula' THEN round(uniform(at_hour, 'flow', 1, 6))
        WHEN 'tracheostomy' THEN round(uniform(at_hour, 'flow', 5, 12))
        WHEN 'ventilator' THEN round(uniform(at_hour, 'flow', 8, 15))
        ELSE 0
    END AS oxygen_flow,
    CASE support_now
        WHEN 'high flow' THEN 'High flow nasal cannula'
        WHEN 'bilevel' THEN one_of(stay_no, 'mask kind', ['Bipap mask ', 'CPAP mask '])
        WHEN 'mask' THEN
            one_of(
                stay_no, 'mask kind',
                ['Non-rebreather', 'Face tent', 'Venti mask ', 'Aerosol-cool', 'Medium conc mask ']
            )
        WHEN 'cannula' THEN 'Nasal cannula'
        WHEN 'tracheostomy' THEN one_of(stay_no, 'trach', ['Tracheostomy tube', 'Trach mask '])
        WHEN 'ventilator' THEN 'Endotracheal tube'
        ELSE 'None'
    END AS device
FROM on_support
WHERE
    (hour % 4 = 0 OR hour = ceil(intubated_at) OR hour = floor(extubated_at))
    AND (
        chance(stay_no, 'breathing not charted') > 0.12
        OR hour <= floor(uniform(stay_no, 'from here', 4, 24))
        OR hour >= floor(uniform(stay_no, 'from here', 4, 24)) + one_of(stay_no, 'so long', [13, 14, 14, 15, 18])
    );

CREATE VIEW breathing_charting WITH (DEFER_BINDING) AS
SELECT stay_no, charttime, 226732 AS itemid, device AS text, CAST(NULL AS DOUBLE) AS number FROM breathing_hour
WHERE chance(at_hour, 'no device') > 0.1
UNION ALL
-- a second device beside the first: a cannula kept under the mask
SELECT stay_no, charttime, 226732, 'Nasal cannula', NULL FROM breathing_hour
WHERE support_now IN ('mask', 'bilevel') AND chance(at_hour, 'second device') < 0.12
UNION ALL
SELECT stay_no, charttime, CASE WHEN support_now = 'bilevel' THEN 227582 ELSE 223834 END, NULL, oxygen_flow
FROM breathing_hour
WHERE
    CASE support_now
        WHEN 'ventilator' THEN chance(at_hour, 'no flow') < 0.25
        WHEN 'air' THEN chance(at_hour, 'no flow') < 0.3
        ELSE chance(at_hour, 'no flow') < 0.93
    END
UNION ALL
SELECT stay_no, charttime, 227287, NULL, round(uniform(at_hour, 'more flow', 2, 6)) FROM breathing_hour
WHERE support_now = 'mask' AND chance(at_hour, 'more') < 0.06
UNION ALL
SELECT
    stay_no,
    charttime,
    223835,
    NULL,
    CASE WHEN chance(stay_no, 'as fraction') < 0.08 THEN oxygen_percent / 100 ELSE oxygen_percent END
FROM breathing_hour
WHERE oxygen_percent IS NOT NULL AND chance(at_hour, 'no oxygen percent') > 0.08
UNION ALL
SELECT
    stay_no,
    charttime,
    CASE WHEN chance(stay_no, 'ventilator brand') < 0.7 THEN 223849 ELSE 229314 END,
    CASE
        WHEN chance(at_hour, 'standby') < 0.02 THEN 'Standby'
        WHEN chance(stay_no, 'ventilator brand') < 0.7 THEN
            CASE
                WHEN hour > 0.7 * extubated_at
                    THEN one_of(stay_no, 'weaning mode', ['CPAP/PSV', 'PSV/SBT', 'MMV/PSV/AutoFlow'])
                ELSE one_of(stay_no, 'mode', ['CMV/ASSIST/AutoFlow', 'CMV/ASSIST', 'PRVC/AC', 'SIMV/PSV/AutoFlow'])
            END
        ELSE one_of(stay_no, 'mode', ['APV (cmv)', 'ASV', 'P-CMV', 'SPONT'])
    END,
    NULL
FROM breathing_hour
WHERE support_now = 'ventilator' AND chance(at_hour, 'no mode') > 0.05
UNION ALL
SELECT
    stay_no,
    charttime,
    223848,
    CASE WHEN chance(stay_no, 'ventilator brand') < 0.7 THEN 'Drager' ELSE 'Hamilton' END,
    NULL
FROM breathing_hour
WHERE support_now = 'ventilator'
UNION ALL
SELECT stay_no, charttime, itemid, NULL, number FROM (
    SELECT
        stay_no,
        charttime,
        unnest([224688, 224690, 224684, 224685, 224687, 220339, 224696]) AS itemid,
        unnest([
            greatest(10, round(usual_breaths - 2)),
            greatest(10, round(usual_breaths + normal(at_hour, 'breaths on the ventilator', 0, 1.2))),
            10 * round(5.6 * weight / 10 + 8),
            round(5.6 * weight + 80 + normal(at_hour, 'volume', 0, 25)),
            round((5.6 * weight + 80) * usual_breaths / 1000, 1),
            5 + lungs * 2.0,
            14 + lungs * 3 + round(normal(at_hour, 'plateau', 0, 1.5))
        ]) AS number
    FROM breathing_hour
    WHERE support_now = 'ventilator'
);
