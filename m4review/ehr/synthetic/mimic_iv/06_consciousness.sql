-- Consciousness: the three parts of the Glasgow Coma Scale every four hours, worst early in the stay; the verbal part
-- of an intubated patient reads "No Response-ETT"; a part is sometimes left out.

CREATE VIEW coma_hour WITH (DEFER_BINDING) AS
WITH scored AS (
    SELECT
        stay_no,
        at_hour,
        charttime,
        hour >= intubated_at AND hour <= extubated_at AS intubated,
        CASE
            WHEN hour <= 12 OR chance(at_hour, 'awake') < 0.3 THEN worst_coma
            ELSE least(15, worst_coma + CAST(floor(uniform(at_hour, 'better', 0, 5)) AS INTEGER))
        END AS total
    FROM bedside_hour
    WHERE hour % 4 = 0 AND chance(stay_no, 'no coma scale') > 0.02
),

split AS (
    SELECT
        *,
        CASE
            -- eyes shut and silent, yet the limbs answer
            WHEN total IN (7, 8) AND chance(stay_no, 'eyes shut') < 0.4 THEN total - 2
            -- a stroke or a sedative takes one part more than the others
            ELSE least(6, total - 2, greatest(
                1,
                total - 9,
                round(
                    1 + 5 * (total - 3) / 12.0 + normal(stay_no, 'motor', 0.15, 0.9)
                    + normal(at_hour, 'motor', 0, 0.2)
                )
            ))
        END AS motor
    FROM scored
),

split_again AS (
    SELECT
        *,
        CASE
            -- awake without a word, as in aphasia
            WHEN total BETWEEN 8 AND 10 AND chance(stay_no, 'no word') < 0.2 THEN least(4, total - motor - 1)
            ELSE least(4, total - motor - 1, greatest(
                1, total - motor - 5, round((total - motor) * 0.45 + normal(stay_no, 'eyes', 0, 0.8))
            ))
        END AS eyes
    FROM split
)

SELECT *, least(5, greatest(1, total - motor - eyes)) AS verbal
FROM split_again;

CREATE VIEW coma_charting WITH (DEFER_BINDING) AS
SELECT
    stay_no,
    charttime,
    223901 AS itemid,
    [
        'No response', 'Abnormal extension', 'Abnormal Flexion', 'Flex-withdraws', 'Localizes Pain', 'Obeys Commands'
    ][CAST(motor AS INTEGER)] AS text,
    motor AS number
FROM coma_hour
WHERE chance(at_hour, 'no motor') > 0.04
UNION ALL
SELECT
    stay_no,
    charttime,
    220739,
    ['None', 'To Pain', 'To Speech', 'Spontaneously'][CAST(eyes AS INTEGER)],
    eyes
FROM coma_hour
WHERE chance(at_hour, 'no eyes') > 0.04
UNION ALL
SELECT
    stay_no,
    charttime,
    223900,
    CASE
        WHEN intubated THEN 'No Response-ETT'
        ELSE [
            'No Response', 'Incomprehensible sounds', 'Inappropriate Words', 'Confused', 'Oriented'
        ][CAST(verbal AS INTEGER)]
    END,
    CASE WHEN intubated THEN 1 ELSE verbal END
FROM coma_hour
WHERE chance(at_hour, 'no verbal') > 0.04;
