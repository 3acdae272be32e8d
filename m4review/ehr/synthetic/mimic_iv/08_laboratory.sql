-- Laboratory: draws from a week before the unit on, often in the first days and then daily, and after discharge from
-- the unit; blood gases more often in those on support. A draw gives panels, each panel one specimen.

CREATE VIEW draw WITH (DEFER_BINDING) AS
SELECT
    illness.*,
    draw_no,
    hash(stay_no, draw_no, 'draw') AS at_draw,
    moment(intime, planned + uniform(hash(stay_no, draw_no, 'draw'), 'delay', -0.8, 0.8)) AS charttime,
    planned
FROM illness, (
    VALUES
    (0, -27.0), (1, -13.0), (2, -6.3), (3, -2.5), (4, 1.5), (5, 5.0), (6, 9.0), (7, 13.0), (8, 17.5), (9, 21.5),
    (10, 26.0), (11, 34.0), (12, 46.0), (13, 58.0), (14, 70.0), (15, 94.0), (16, 118.0), (17, 142.0), (18, 166.0),
    (19, 214.0), (20, 262.0), (21, 310.0), (22, 358.0), (23, -70.0), (24, -150.0)
) AS plan (draw_no, planned)
WHERE planned < hours + 5 AND (planned > -30 OR chance(hash(stay_no, draw_no), 'seen before') < 0.45);

CREATE VIEW laboratory_result WITH (DEFER_BINDING) AS
-- blood gas
WITH gas AS (
    SELECT
        *,
        one_of(at_draw, 'vessel', [
            'ART.', 'ART.', 'ART.', 'ART.', 'ART.', 'ART.', 'ART.', 'ART.', 'VEN.', 'VEN.', 'MIX.', 'CENTRAL VENOUS.'
        ]) AS vessel,
        CASE
            WHEN support = 'ventilator' AND planned >= intubated_at AND planned <= extubated_at THEN
                least(100, 5 * round((40 + 12 * lungs + normal(at_draw, 'oxygen', 0, 5)) / 5))
            WHEN support IN ('high flow', 'bilevel', 'tracheostomy') THEN
                least(100, 5 * round((45 + 8 * lungs + normal(at_draw, 'oxygen', 0, 4)) / 5))
            WHEN support IN ('mask', 'ventilator') THEN 50
            ELSE 21
        END AS oxygen_percent,
        -- the worst ratio early, better ones later
        lowest_ratio * CASE
            WHEN chance(at_draw, 'worst') < 0.4 THEN 1
            ELSE least(1.3, 530 / lowest_ratio, uniform(at_draw, 'ratio', 1.0, 1.3))
        END AS ratio,
        CASE acid_base
            WHEN 'metabolic acidosis' THEN uniform(stay_no, 'bicarbonate', 6, 19)
            WHEN 'metabolic alkalosis' THEN uniform(stay_no, 'bicarbonate', 30, 42)
            WHEN 'respiratory acidosis' THEN uniform(stay_no, 'bicarbonate', 23, 32)
            WHEN 'respiratory alkalosis' THEN uniform(stay_no, 'bicarbonate', 19, 25)
            ELSE normal(stay_no, 'bicarbonate', 24, 1.5)
        END AS bicarbonate,
        exp(normal(at_draw, 'lactate', ln(1.3 + 0.6 * circulation), 0.35)) AS lactate
    FROM draw
    WHERE planned > -30 AND chance(at_draw, 'gas') < CASE
        WHEN support = 'ventilator' THEN 0.8
        WHEN support IN ('high flow', 'bilevel', 'tracheostomy') THEN 0.55
        WHEN arterial_line THEN 0.4
        ELSE 0.12
    END
),

gas_with_acidity AS (
    SELECT
        *,
        -- breathing answers a metabolic disorder, as Winters' formula has it; a respiratory one is the lungs' own
        greatest(13, CASE acid_base
            WHEN 'respiratory acidosis' THEN uniform(stay_no, 'carbon dioxide', 48, 88)
            WHEN 'respiratory alkalosis' THEN uniform(stay_no, 'carbon dioxide', 18, 32)
            WHEN 'metabolic alkalosis' THEN 0.7 * bicarbonate + normal(stay_no, 'answer', 20, 4)
            WHEN 'metabolic acidosis' THEN 1.5 * bicarbonate + normal(stay_no, 'answer', 9, 6)
            ELSE 40
        END + normal(at_draw, 'carbon dioxide', 0, 2.5)) AS carbon_dioxide,
        round(6.1 + log10(bicarbonate / (0.0307 * carbon_dioxide)), 2) AS acidity
    FROM gas
),

gas_result AS (
    SELECT
        stay_no,
        draw_no,
        0 AS panel_no,
        charttime,
        unnest([52033, 50821, 50818, 50820, 50816, 50802, 50804, 50813, 50817, 50808, 50801]) AS itemid,
        unnest([
            NULL,
            CASE
                WHEN chance(at_draw, 'no oxygen tension') < 0.03 THEN NULL
                WHEN vessel = 'ART.' THEN round(greatest(38, ratio * oxygen_percent / 100))
                ELSE round(uniform(at_draw, 'venous', 30, 48))
            END,
            round(carbon_dioxide + CASE WHEN vessel = 'ART.' THEN 0 ELSE 6 END),
            acidity - CASE WHEN vessel = 'ART.' THEN 0 ELSE 0.04 END,
            CASE
                WHEN chance(at_draw, 'oxygen told') > 0.45 THEN NULL
                WHEN chance(stay_no, 'told as fraction') < 0.05 THEN oxygen_percent / 100.0
                ELSE oxygen_percent
            END,
            round(0.93 * (bicarbonate - 24.4 + 14.8 * (acidity - 7.4))),
            round(bicarbonate + 0.0307 * carbon_dioxide),
            round(lactate, 1),
            CASE
                WHEN vessel <> 'ART.' THEN round(uniform(at_draw, 'venous saturation', 55, 78))
                WHEN chance(at_draw, 'saturation told') < 0.4 THEN round(uniform(at_draw, 'saturation', 92, 99))
            END,
            round(normal(at_draw, 'free calcium', 1.13, 0.06), 2),
            -- the analyser works the gradient out when it is told the inspired oxygen of a ventilated patient
            CASE
                WHEN support = 'ventilator' AND vessel = 'ART.' AND chance(at_draw, 'oxygen told') <= 0.45 THEN
                    round(greatest(5, (
                        7.13 * oxygen_percent - carbon_dioxide / 0.8 - greatest(38, ratio * oxygen_percent / 100)
                    )))
            END
        ]) AS number,
        unnest([
            CASE WHEN chance(at_draw, 'unlabelled') > 0.04 THEN vessel END,
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
        ]) AS text
    FROM gas_with_acidity
),

-- chemistry: creatinine rises to its highest value around the first day, stays there for half a day and recovers
chemistry AS (
    SELECT
        *,
        highest_creatinine * (
            creatinine_share_before
            + (1 - creatinine_share_before) * CASE
                WHEN planned < creatinine_peak_hour THEN exp((planned - creatinine_peak_hour) / 14)
                WHEN planned <= creatinine_peak_hour + 12 THEN 1
                ELSE exp((creatinine_peak_hour + 12 - planned) / recovery_hours)
            END
        ) * CASE WHEN chance(at_draw, 'peak') < 0.5 THEN 1 ELSE uniform(at_draw, 'creatinine', 0.93, 1.0) END
            AS creatinine
    FROM draw
    WHERE chance(at_draw, 'chemistry') < 0.62 AND chance(stay_no, 'no chemistry') > 0.02
),

chemistry_result AS (
    SELECT
        stay_no,
        draw_no,
        1 AS panel_no,
        charttime,
        unnest([50912, 51006, 50983, 50971, 50902, 50882, 50868, 50931, 50893, 50862]) AS itemid,
        unnest([
            greatest(0.2, round(creatinine, 1)),
            round(greatest(3, creatinine * normal(stay_no, 'urea', 15, 3))),
            round(usual_sodium + normal(at_draw, 'sodium', 0, 1.5)),
            CASE
                WHEN abs(planned - crisis_hour) < 8 AND extreme_potassium IS NOT NULL THEN extreme_potassium
                ELSE round(greatest(2.9, normal(at_draw, 'potassium', 4.0 + 0.12 * kidneys, 0.4)), 1)
            END,
            round(normal(at_draw, 'chloride', 104 + 0.8 * (usual_sodium - 139), 3)),
            round(greatest(5, normal(at_draw, 'serum bicarbonate', CASE acid_base
                WHEN 'metabolic acidosis' THEN uniform(stay_no, 'bicarbonate', 6, 19)
                WHEN 'metabolic alkalosis' THEN uniform(stay_no, 'bicarbonate', 30, 42)
                ELSE 24.5 - 0.8 * kidneys
            END, 1.6))),
            round(greatest(
                3,
                normal(at_draw, 'gap', 12 + kidneys + CASE acid_base WHEN 'metabolic acidosis' THEN 6 ELSE 0 END, 2.2)
            )),
            CASE
                WHEN abs(planned - crisis_hour) < 6 AND extreme_glucose IS NOT NULL THEN extreme_glucose
                ELSE round(greatest(42, exp(normal(at_draw, 'glucose', ln(135), 0.3))))
            END,
            round(normal(at_draw, 'calcium', 8.4, 0.5), 1),
            CASE
                WHEN chance(at_draw, 'albumin told') < 0.25
                    THEN round(greatest(1.1, normal(stay_no, 'albumin', 3.2 - 0.15 * liver, 0.6)), 1)
            END
        ]) AS number,
        CAST(NULL AS VARCHAR) AS text
    FROM chemistry
),

liver_result AS (
    SELECT
        stay_no,
        draw_no,
        2 AS panel_no,
        charttime,
        unnest([50885, 50861, 50878, 50863, 50954]) AS itemid,
        unnest([
            round(
                highest_bilirubin
                * CASE
                    WHEN chance(at_draw, 'peak bilirubin') < 0.5 THEN 1
                    ELSE uniform(at_draw, 'bilirubin', 0.75, 1.0)
                END,
                1
            ),
            round(exp(normal(at_draw, 'alanine', ln(28 + 40 * liver), 0.6))),
            round(exp(normal(at_draw, 'aspartate', ln(32 + 50 * liver), 0.6))),
            round(exp(normal(at_draw, 'phosphatase', ln(85 + 20 * liver), 0.4))),
            round(exp(normal(at_draw, 'dehydrogenase', ln(230 + 60 * liver), 0.3)))
        ]) AS number,
        CAST(NULL AS VARCHAR) AS text
    FROM draw
    WHERE chance(at_draw, 'liver panel') < 0.3 AND chance(stay_no, 'liver ever') < 0.5 + 0.1 * liver
),

count_result AS (
    SELECT
        stay_no,
        draw_no,
        3 AS panel_no,
        charttime,
        unnest([51301, 51265, 51222, 51221, 51279, 51250, 51277, 51256, 51244, 51144]) AS itemid,
        unnest([
            round(
                CASE
                    WHEN chance(at_draw, 'extreme white') < 0.5 THEN extreme_white_cells
                    ELSE extreme_white_cells + (8.2 - extreme_white_cells) * uniform(at_draw, 'white', 0, 0.5)
                END, 1
            ),
            round(
                lowest_platelets
                * CASE
                    WHEN chance(at_draw, 'lowest platelets') < 0.4 THEN 1
                    ELSE uniform(at_draw, 'platelets', 1.0, 1.25)
                END
            ),
            round(greatest(5.0, normal(stay_no, 'hemoglobin', 10.6, 1.8)), 1),
            round(3 * greatest(5.0, normal(stay_no, 'hemoglobin', 10.6, 1.8)), 1),
            round(greatest(5.0, normal(stay_no, 'hemoglobin', 10.6, 1.8)) / 2.95, 2),
            round(normal(stay_no, 'cell volume', 90, 5)),
            round(normal(stay_no, 'width', 14.8, 1.6), 1),
            CASE WHEN chance(at_draw, 'differential') < 0.3 THEN round(uniform(at_draw, 'neutrophils', 60, 88), 1) END,
            CASE WHEN chance(at_draw, 'differential') < 0.3 THEN round(uniform(at_draw, 'lymphocytes', 4, 24), 1) END,
            CASE
                WHEN chance(at_draw, 'differential') < 0.12 AND inflamed
                    THEN level_value(at_draw, 'many bands', 2, 22, 0)
                WHEN chance(at_draw, 'differential') < 0.12 THEN level_value(at_draw, 'bands', 0, 10, 0)
            END
        ]) AS number,
        CAST(NULL AS VARCHAR) AS text
    FROM draw
    WHERE chance(at_draw, 'count') < 0.55 AND chance(stay_no, 'no count') > 0.02
),

clotting_result AS (
    SELECT
        stay_no,
        draw_no,
        4 AS panel_no,
        charttime,
        unnest([51237, 51274, 51275]) AS itemid,
        unnest([
            round(greatest(0.9, normal(at_draw, 'ratio of times', 1.2 + 0.3 * liver, 0.15)), 1),
            round(11 * greatest(0.9, normal(at_draw, 'ratio of times', 1.2 + 0.3 * liver, 0.15)), 1),
            round(normal(at_draw, 'thromboplastin', 32 + 5 * clotting, 4), 1)
        ]) AS number,
        CAST(NULL AS VARCHAR) AS text
    FROM draw
    WHERE chance(at_draw, 'clotting panel') < 0.35
)

SELECT * FROM gas_result WHERE number IS NOT NULL OR text IS NOT NULL
UNION ALL
SELECT * FROM chemistry_result WHERE number IS NOT NULL
UNION ALL
SELECT * FROM liver_result WHERE number IS NOT NULL
UNION ALL
SELECT * FROM count_result WHERE number IS NOT NULL
UNION ALL
SELECT * FROM clotting_result WHERE number IS NOT NULL;
