-- Vital signs: every hour from admission to discharge, temperature every four hours, glucose every six.

CREATE VIEW bedside_hour WITH (DEFER_BINDING) AS
SELECT
    illness.*,
    hour,
    hash(stay_no, hour) AS at_hour,
    -- most charting is on the full hour; some nurses chart at the minute
    date_trunc('minute', moment(
        date_trunc('hour', intime),
        hour + CASE WHEN chance(hash(stay_no, hour), 'minute') < 0.1 THEN chance(stay_no, 'which') * 0.98 ELSE 0 END
    )) AS charttime
FROM illness, range(0, CAST(ceil(hours) AS BIGINT)) AS hours_in_unit (hour)
WHERE chance(hash(stay_no, hour), 'charted') > 0.03 AND chance(stay_no, 'never monitored') > 0.012;

CREATE VIEW vital WITH (DEFER_BINDING) AS
SELECT
    *,
    CASE WHEN abs(hour - crisis_hour) <= 1 THEN extreme_heart_rate END AS heart_in_crisis,
    CASE WHEN abs(hour - crisis_hour) <= 1 THEN extreme_breaths END AS breaths_in_crisis,
    CASE WHEN abs(hour - crisis_hour) <= 1 THEN highest_pressure END AS pressure_in_crisis,
    round(
        usual_heart_rate + 6 * sin(hour / 3.0 + 6 * chance(stay_no, 'phase'))
        + 0.6 * (extreme_temperature - 36.9) * exp(-1 * abs(hour - extreme_temperature_hour) / 6) * 8
        + normal(at_hour, 'heart', 0, 3)
    ) AS usual_now,
    coalesce(heart_in_crisis, usual_now) AS heart_rate,
    coalesce(
        breaths_in_crisis,
        round(
            usual_breaths
            + CASE WHEN extreme_breaths > usual_breaths THEN 3 ELSE 0 END
            + normal(at_hour, 'breaths', 0, 1.2)
        )
    ) AS breaths,
    coalesce(pressure_in_crisis, round(
        lowest_pressure
        + (1 - exp(-1 * abs(hour - lowest_pressure_hour) / 5))
        * greatest(uniform(stay_no, 'usual pressure', 6, 22), 62 - lowest_pressure)
        + CASE WHEN hour = floor(lowest_pressure_hour) THEN 0 ELSE abs(normal(at_hour, 'pressure', 0, 3)) END
    )) AS mean_pressure,
    uniform(stay_no, 'stiffness', 0.55, 0.75) AS stiffness,
    round(least(100, greatest(70, normal(at_hour, 'saturation', 97 - 0.9 * lungs, 1.4)))) AS saturation,
    36.9 + (extreme_temperature - 36.9)
    * CASE
        WHEN abs(hour - extreme_temperature_hour) <= 2 THEN 1
        ELSE exp(-1 * abs(hour - extreme_temperature_hour) / 8)
    END AS celsius
FROM bedside_hour;

CREATE VIEW vital_charting WITH (DEFER_BINDING) AS
SELECT stay_no, charttime, 220045 AS itemid, CAST(NULL AS VARCHAR) AS text, heart_rate AS number FROM vital
UNION ALL
-- a disconnected lead now and then reads as nothing or as noise
SELECT stay_no, charttime, 220045, NULL, one_of(at_hour, 'noise', [0.0, 311.0]) FROM vital
WHERE chance(at_hour, 'lead off') < 0.0015
UNION ALL
SELECT stay_no, charttime, 220210, NULL, breaths FROM vital
UNION ALL
SELECT stay_no, charttime, 220277, NULL, saturation FROM vital
UNION ALL
SELECT stay_no, charttime, itemid, NULL, number FROM (
    SELECT
        stay_no,
        charttime,
        unnest(
            CASE
                WHEN arterial_line AND chance(at_hour, 'second line') < 0.02 THEN [225309, 225310, 225312]
                WHEN arterial_line THEN [220050, 220051, 220052]
                ELSE [220179, 220180, 220181]
            END
        ) AS itemid,
        unnest([
            round(mean_pressure * (1 + stiffness * 0.66)), round(mean_pressure * (1 - stiffness * 0.33)), mean_pressure
        ]) AS number
    FROM vital
)
UNION ALL
-- with an arterial line the cuff is checked every few hours and reads a little differently
SELECT stay_no, charttime, itemid, NULL, number FROM (
    SELECT
        stay_no,
        charttime,
        unnest([220179, 220180, 220181]) AS itemid,
        unnest([
            round(mean_pressure * (1 + stiffness * 0.62)), round(mean_pressure * (1 - stiffness * 0.30)),
            mean_pressure + CAST(floor(uniform(at_hour, 'cuff', 0, 5)) AS INTEGER)
        ]) AS number
    FROM vital
    WHERE arterial_line AND hour % 6 = 2
)
UNION ALL
SELECT
    stay_no,
    charttime,
    CASE WHEN chance(stay_no, 'thermometer') < 0.75 THEN 223761 ELSE 223762 END,
    NULL,
    CASE
        WHEN chance(stay_no, 'thermometer') < 0.75 THEN round(celsius * 1.8 + 32, 1)
        ELSE round(celsius, 1)
    END
FROM vital
WHERE (hour % 4 = 1 OR hour = floor(extreme_temperature_hour)) AND chance(stay_no, 'no temperature') > 0.02
UNION ALL
SELECT stay_no, charttime, 224642, one_of(stay_no, 'site', ['Oral', 'Axillary', 'Blood', 'Temporal', 'Rectal']), NULL
FROM vital
WHERE hour % 4 = 1
UNION ALL
SELECT
    stay_no,
    charttime,
    one_of(at_hour, 'glucometer', [225664, 225664, 226537, 220621]),
    NULL,
    CASE
        WHEN abs(hour - crisis_hour) <= 3 AND extreme_glucose IS NOT NULL THEN extreme_glucose
        ELSE round(greatest(38, exp(normal(at_hour, 'sugar', ln(138), 0.3))))
    END
FROM vital
WHERE hour % 6 = 3
UNION ALL
-- weighed on arrival, some late, some never; a bed scale left in another unit now and then
SELECT
    stay_no,
    charttime,
    226512,
    NULL,
    CASE
        WHEN chance(stay_no, 'weighed wrong') < 0.004 THEN one_of(stay_no, 'wrong weight', [0.0, 1650.0])
        ELSE weight
    END
FROM vital
WHERE
    hour = CASE WHEN chance(stay_no, 'weighed late') < 0.06 THEN 11 ELSE 1 END
    AND chance(stay_no, 'not weighed') > 0.08
UNION ALL
SELECT
    stay_no,
    charttime,
    224639,
    NULL,
    round(
        weight
        + 0.05 * least(hour, 72) * normal(stay_no, 'fluid balance', 0.6, 1.0)
        + normal(at_hour, 'fluid', 0, 0.4),
        1
    )
FROM vital
WHERE hour % 24 = 5 AND hour > 5 AND chance(stay_no, 'daily weights') < 0.85;
