-- The bedside: vital signs hourly, every two hours after the first day and a half, temperature every four hours; on the
-- full hour of the clock, some earlier entries from before the unit.

CREATE VIEW bedside_hour AS
SELECT
    illness.*,
    hour,
    hash(stay_no, hour) AS at_hour,
    hour * 60 - minute_of_admission
    + CASE
        WHEN chance(hash(stay_no, hour), 'off the hour') < 0.06 THEN CAST(chance(stay_no, 'by') * 40 AS BIGINT)
        ELSE 0
    END AS charted_at
FROM
    illness,
    range(
        CASE WHEN chance(stay_no, 'charted before') < 0.15 THEN -8 ELSE 0 END, CAST(ceil(minutes / 60) + 1 AS BIGINT)
    ) AS hours_in_unit (hour)
WHERE
    (hour <= 36 OR hour % 2 = 0)
    AND hour * 60 - minute_of_admission <= minutes
    AND chance(hash(stay_no, hour), 'charted') > 0.03
    AND chance(stay_no, 'never charted') > 0.02;

CREATE VIEW vital AS
SELECT
    *,
    CASE
        WHEN hour = heart_hour AND heart_rate_of_event IS NOT NULL THEN heart_rate_of_event
        ELSE greatest(
            34, least(
                -- an event stays the extreme of its day
                coalesce(CASE WHEN heart_rate_of_event > 60 THEN heart_rate_of_event END, 165),
                round(
                    usual_heart_rate + 5 * sin(hour / 3.0 + 6 * chance(stay_no, 'phase'))
                    + normal(at_hour, 'heart', 0, 3)
                )
            )
        )
    END AS heart_rate,
    CASE
        WHEN hour = breath_hour AND breaths_of_event IS NOT NULL THEN breaths_of_event
        WHEN usual_breaths >= 25 THEN round(greatest(23, usual_breaths + normal(at_hour, 'breaths', 0, 1.5)))
        ELSE round(greatest(8, usual_breaths + normal(at_hour, 'breaths', 0, 1.3)))
    END AS breaths,
    CASE
        WHEN hypertensive_emergency THEN lowest_pressure + round(abs(normal(at_hour, 'pressure', 0, 4)))
        WHEN hour = pressure_hour THEN lowest_pressure
        ELSE round(
            greatest(lowest_pressure, 56)
            + (1 - exp(-1 * abs(hour - pressure_hour) / 4)) * uniform(stay_no, 'usual pressure', 6, 24)
            + abs(normal(at_hour, 'pressure', 0, 3))
        )
    END AS mean_pressure,
    uniform(stay_no, 'stiffness', 0.55, 0.75) AS stiffness,
    round(least(100, greatest(76, normal(at_hour, 'saturation', 97.3 - 0.9 * lungs, 1.3)))) AS saturation,
    CASE
        WHEN hour = temperature_hour THEN extreme_temperature
        ELSE usual_temperature
        + (extreme_temperature - usual_temperature) * exp(-1 * abs(hour - temperature_hour) / 7)
        + normal(at_hour, 'temperature', 0, 0.08)
    END AS celsius
FROM bedside_hour;

CREATE VIEW vital_cell AS
WITH charted AS (
    SELECT
        *,
        hour % 4 = 0 AS with_temperature,
        arterial_line AND chance(at_hour, 'line in use') > 0.04 AS by_line,
        round(mean_pressure * (1 + stiffness / 2)) AS systolic,
        round(mean_pressure * (1 - stiffness / 4)) AS diastolic,
        round(celsius * 1.8 + 32, 1) AS fahrenheit,
        -- now and then a word, a lead that fell off, or a slip of the keyboard
        chance(at_hour, 'slip') AS slip
    FROM vital
)

SELECT
    stay_no,
    charted_at,
    unnest([
        {
            'slot': 1, 'category': 'Vital Signs', 'label': 'Heart Rate', 'name': 'Heart Rate',
            'value': CASE
                WHEN slip < 0.002 THEN 'unable'
                WHEN slip < 0.004 THEN one_of(at_hour, 'noise', ['0', '12', '300'])
                ELSE as_text(heart_rate)
            END
        },
        {
            'slot': 2, 'category': 'Vital Signs', 'label': 'Respiratory Rate', 'name': 'Respiratory Rate',
            'value': CASE
                WHEN slip BETWEEN 0.010 AND 0.012 THEN 'unable'
                WHEN slip BETWEEN 0.012 AND 0.014 THEN one_of(at_hour, 'noise', ['0', '99', '160'])
                ELSE as_text(breaths)
            END
        },
        {
            'slot': 3, 'category': 'Vital Signs', 'label': 'O2 Saturation', 'name': 'O2 Saturation',
            'value': as_text(saturation)
        },
        {
            'slot': 4, 'category': 'Vital Signs', 'label': 'Temperature', 'name': 'Temperature (C)',
            'value': CASE
                WHEN NOT with_temperature THEN NULL
                WHEN slip BETWEEN 0.020 AND 0.030 THEN one_of(at_hour, 'noise', ['3.7', '98.6', 'unable'])
                WHEN measures_fahrenheit THEN as_text(round((fahrenheit - 32) / 1.8, 2))
                ELSE as_text(round(celsius, 1))
            END
        },
        {
            'slot': 5, 'category': 'Vital Signs', 'label': 'Temperature', 'name': 'Temperature (F)',
            'value': CASE WHEN with_temperature THEN as_text(fahrenheit) END
        },
        {
            'slot': 6, 'category': 'Vital Signs', 'label': 'Temperature', 'name': 'Temperature Location',
            'value': CASE
                WHEN with_temperature THEN one_of(stay_no, 'location', ['ORAL', 'AXILLARY', 'TEMPORAL', 'BLADDER'])
            END
        },
        {
            'slot': 7, 'category': 'Vital Signs', 'label': 'Invasive BP', 'name': 'Invasive BP Systolic',
            'value': CASE WHEN by_line AND arterial_charting = 'Invasive BP' THEN as_text(systolic) END
        },
        {
            'slot': 8, 'category': 'Vital Signs', 'label': 'Invasive BP', 'name': 'Invasive BP Diastolic',
            'value': CASE WHEN by_line AND arterial_charting = 'Invasive BP' THEN as_text(diastolic) END
        },
        {
            'slot': 9,
            'category': CASE
                WHEN arterial_charting = 'Invasive BP' THEN 'Vital Signs' ELSE 'Other Vital Signs and Infusions'
            END,
            'label': arterial_charting,
            'name': CASE WHEN arterial_charting = 'Invasive BP' THEN 'Invasive BP Mean' ELSE 'Value' END,
            'value': CASE
                WHEN NOT by_line THEN NULL
                WHEN slip BETWEEN 0.030 AND 0.034 THEN one_of(at_hour, 'noise', ['0', '-12', '280'])
                ELSE as_text(mean_pressure)
            END
        },
        {
            'slot': 10, 'category': 'Vital Signs', 'label': 'Non-Invasive BP', 'name': 'Non-Invasive BP Systolic',
            'value': CASE WHEN NOT by_line THEN as_text(systolic) END
        },
        {
            'slot': 11, 'category': 'Vital Signs', 'label': 'Non-Invasive BP', 'name': 'Non-Invasive BP Diastolic',
            'value': CASE WHEN NOT by_line THEN as_text(diastolic) END
        },
        {
            'slot': 12, 'category': 'Vital Signs', 'label': 'Non-Invasive BP', 'name': 'Non-Invasive BP Mean',
            'value': CASE
                WHEN slip BETWEEN 0.040 AND 0.0404 THEN one_of(at_hour, 'noise', ['0', '18', '260'])
                WHEN by_line AND with_temperature THEN as_text(greatest(40, mean_pressure) + 4)
                WHEN NOT by_line THEN as_text(greatest(21, mean_pressure))
            END
        }
    ], recursive := true)
FROM charted;
