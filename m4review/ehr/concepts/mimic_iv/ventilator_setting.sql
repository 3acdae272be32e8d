-- ventilator_setting: settings and readings of the ventilator.
--
-- grain:   one row per (subject_id, charttime) with any listed item charted as text; stay_id is the highest
-- sources: mimiciv_icu.chartevents
-- units:   insp/min, L/min, mL, cmH2O; FiO2 in percent
-- rules:   several values of one item at one time: the highest (texts: the last in byte order);
--          FiO2 from 0.20 to 1 is a fraction, from 20 to 100 a percentage, anything else missing;
--          PEEP outside 0 to 100 is missing

WITH settings AS (
    SELECT
        subject_id,
        stay_id,
        charttime,
        itemid,
        value,
        CASE
            WHEN itemid = 223835 THEN
                CASE
                    WHEN valuenum >= 0.20 AND valuenum <= 1 THEN valuenum * 100
                    WHEN valuenum >= 20 AND valuenum <= 100 THEN valuenum
                END
            WHEN itemid IN (220339, 224700) THEN
                CASE WHEN valuenum >= 0 AND valuenum <= 100 THEN valuenum END
            ELSE valuenum
        END AS reading
    FROM mimiciv_icu.chartevents
    WHERE
        value IS NOT NULL
        AND stay_id IS NOT NULL
        AND itemid IN (
            224688, 224689, 224690,                  -- Respiratory Rate: set, spontaneous, total
            224687,                                  -- Minute Volume
            224685, 224684, 224686,                  -- Tidal Volume: observed, set, spontaneous
            224696,                                  -- Plateau Pressure
            220339, 224700,                          -- PEEP set, Total PEEP Level
            223835,                                  -- Inspired O2 Fraction
            223849, 229314, 223848,                  -- Ventilator Mode, Mode (Hamilton), Type
            224691                                   -- Flow Rate (L/min)
        )
)

SELECT
    subject_id,
    max(stay_id) AS stay_id,
    charttime,
    max(reading) FILTER (itemid = 224688) AS respiratory_rate_set,
    max(reading) FILTER (itemid = 224690) AS respiratory_rate_total,
    max(reading) FILTER (itemid = 224689) AS respiratory_rate_spontaneous,
    max(reading) FILTER (itemid = 224687) AS minute_volume,
    max(reading) FILTER (itemid = 224684) AS tidal_volume_set,
    max(reading) FILTER (itemid = 224685) AS tidal_volume_observed,
    max(reading) FILTER (itemid = 224686) AS tidal_volume_spontaneous,
    max(reading) FILTER (itemid = 224696) AS plateau_pressure,
    max(reading) FILTER (itemid IN (220339, 224700)) AS peep,
    max(reading) FILTER (itemid = 223835) AS fio2,
    max(reading) FILTER (itemid = 224691) AS flow_rate,
    max(value) FILTER (itemid = 223849) AS ventilator_mode,
    max(value) FILTER (itemid = 229314) AS ventilator_mode_hamilton,
    max(value) FILTER (itemid = 223848) AS ventilator_type
FROM settings
GROUP BY subject_id, charttime
ORDER BY max(stay_id), charttime
