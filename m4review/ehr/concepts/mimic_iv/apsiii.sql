-- apsiii: acute physiology score of APACHE III, first ICU day.
--
-- grain:   one row per ICU stay, every stay
-- sources: mimiciv_icu.icustays, mimiciv_hosp.diagnoses_icd; first_day_vitalsign, first_day_lab, first_day_gcs,
--          first_day_urine_output, ventilation; bg (by admission)
-- window:  ICU admission - 6 h to + 24 h, both ends included; urine from admission on; arterial gases from ICU
--          admission up to ICU discharge, the end excluded
-- units:   /min, mmHg, degrees Celsius, %, K/uL, mg/dL, mEq/L, g/dL, mL
-- rules:   of lowest and highest value the one further from a fixed normal value scores, at equal distance the one
--          with more points; a value on a limit belongs to the band above it. BUN and bilirubin score by the highest
--          value, creatinine too in acute renal failure (creatinine 1.5 or more, urine below 410 mL, coded diagnoses
--          without chronic kidney disease stage 4 to 5). Without invasive ventilation and with FiO2 below 50 % (21 %
--          when unknown) the highest PaO2 scores, else under invasive ventilation with FiO2 of 50 % or more the
--          highest alveolar-arterial gradient the laboratory reported. Acid-base takes the gas with most points. A
--          component without data is missing and adds nothing.
-- edges:   a stay counts as ventilated when an invasive episode starts or ends on the first day or spans it; then a
--          breathing rate below 14 scores 0
-- differs: the reference apsiii-24h takes gases of the first 24 hours only and puts out 0 for a missing component
-- source:  Knaus WA et al. Chest 1991;100:1619-1636

WITH band AS (
    -- limits between the bands of a value, and the points of the bands from the lowest to the highest
    SELECT
        variable,
        CAST(limits AS DOUBLE[]) AS limits,
        points
    FROM (
        VALUES
        ('hr', [40, 50, 100, 110, 120, 140, 155], [8, 5, 0, 1, 5, 7, 13, 17]),
        ('mbp', [40, 60, 70, 80, 100, 120, 130, 140], [23, 15, 7, 6, 0, 4, 7, 9, 10]),
        ('temp', [33.0, 33.5, 34.0, 35.0, 36.0, 40.0], [20, 16, 13, 8, 2, 0, 4]),
        ('resp_rate', [6, 12, 14, 25, 35, 40, 50], [17, 8, 7, 0, 6, 9, 11, 18]),
        ('resp_rate, ventilated', [25, 35, 40, 50], [0, 6, 9, 11, 18]),
        ('hematocrit', [41.0, 50.0], [3, 0, 3]),
        ('wbc', [1.0, 3.0, 20.0, 25.0], [19, 5, 0, 1, 5]),
        ('creatinine', [0.5, 1.5, 1.95], [3, 0, 4, 7]),
        ('creatinine, acute renal failure', [1.5], [0, 10]),
        ('uo', [400, 600, 900, 1500, 2000, 4000], [15, 8, 7, 5, 4, 0, 1]),
        ('bun', [17, 20, 40, 80], [0, 2, 7, 11, 12]),
        ('sodium', [120, 135, 155], [3, 2, 0, 4]),
        ('albumin', [2.0, 2.5, 4.5], [11, 6, 0, 4]),
        ('bilirubin', [2.0, 3.0, 5.0, 8.0], [0, 5, 6, 8, 16]),
        ('glucose', [40, 60, 200, 350], [8, 9, 0, 3, 5]),
        ('pao2', [50, 70, 80], [15, 5, 2, 0]),
        ('aado2', [100, 250, 350, 500], [0, 7, 9, 11, 14])
    ) AS listed (variable, limits, points)
),

ventilated_stay AS (
    SELECT DISTINCT stay.stay_id
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.ventilation AS episode
        ON stay.stay_id = episode.stay_id AND episode.ventilation_status = 'InvasiveVent'
    WHERE
        episode.starttime BETWEEN stay.intime AND stay.intime + INTERVAL 24 HOUR
        OR episode.endtime BETWEEN stay.intime AND stay.intime + INTERVAL 24 HOUR
        OR (episode.starttime <= stay.intime AND episode.endtime >= stay.intime + INTERVAL 24 HOUR)
),

advanced_kidney_disease AS (
    SELECT
        hadm_id,
        bool_or(
            (icd_version = 9 AND left(icd_code, 4) IN ('5854', '5855', '5856'))
            OR (icd_version = 10 AND left(icd_code, 4) IN ('N184', 'N185', 'N186'))
        ) AS coded
    FROM mimiciv_hosp.diagnoses_icd
    GROUP BY hadm_id
),

arterial_gas AS (
    SELECT
        stay.stay_id,
        gas.po2,
        gas.pco2,
        gas.ph,
        gas.aado2,
        coalesce(gas.fio2, gas.fio2_chartevents) AS fio2,
        EXISTS (
            SELECT 1 FROM mimiciv_derived.ventilation AS episode
            WHERE
                episode.stay_id = stay.stay_id
                AND episode.ventilation_status = 'InvasiveVent'
                AND gas.charttime BETWEEN episode.starttime AND episode.endtime
        ) AS ventilated
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.bg AS gas
        ON
            stay.hadm_id = gas.hadm_id
            AND gas.specimen = 'ART.'
            AND gas.charttime >= stay.intime
            AND gas.charttime < stay.outtime
),

gas_summary AS (
    SELECT
        stay_id,
        max(po2) FILTER (NOT ventilated AND coalesce(fio2, 21) < 50) AS pao2,
        max(aado2) FILTER (ventilated AND fio2 >= 50) AS aado2,
        max(
            CASE
                WHEN ph IS NULL OR pco2 IS NULL THEN NULL
                WHEN ph < 7.20 THEN CASE WHEN pco2 < 50 THEN 12 ELSE 4 END
                WHEN ph < 7.30
                    THEN CASE WHEN pco2 < 30 THEN 9 WHEN pco2 < 40 THEN 6 WHEN pco2 < 50 THEN 3 ELSE 2 END
                WHEN ph < 7.35 THEN CASE WHEN pco2 < 30 THEN 9 WHEN pco2 < 45 THEN 0 ELSE 1 END
                WHEN ph < 7.45 THEN CASE WHEN pco2 < 30 THEN 5 WHEN pco2 < 45 THEN 0 ELSE 1 END
                WHEN ph < 7.50
                    THEN CASE WHEN pco2 < 30 THEN 5 WHEN pco2 < 35 THEN 0 WHEN pco2 < 45 THEN 2 ELSE 12 END
                WHEN ph < 7.60 THEN CASE WHEN pco2 < 40 THEN 3 ELSE 12 END
                ELSE CASE WHEN pco2 < 25 THEN 0 WHEN pco2 < 40 THEN 3 ELSE 12 END
            END
        ) AS acidbase_score
    FROM arterial_gas
    GROUP BY stay_id
),

first_day AS (
    SELECT
        stay.subject_id,
        stay.hadm_id,
        stay.stay_id,
        vital.heart_rate_min,
        vital.heart_rate_max,
        vital.mbp_min,
        vital.mbp_max,
        vital.temperature_min,
        vital.temperature_max,
        vital.resp_rate_min,
        vital.resp_rate_max,
        lab.hematocrit_min,
        lab.hematocrit_max,
        lab.wbc_min,
        lab.wbc_max,
        lab.creatinine_min,
        lab.creatinine_max,
        lab.bun_max,
        lab.sodium_min,
        lab.sodium_max,
        lab.albumin_min,
        lab.albumin_max,
        lab.bilirubin_total_max,
        least(lab.glucose_min, vital.glucose_min) AS glucose_min,
        greatest(lab.glucose_max, vital.glucose_max) AS glucose_max,
        urine.urineoutput,
        coma.gcs_eyes,
        coma.gcs_verbal,
        coma.gcs_motor,
        coma.gcs_unable,
        gas_summary.pao2,
        CASE WHEN gas_summary.pao2 IS NULL THEN gas_summary.aado2 END AS aado2,
        gas_summary.acidbase_score,
        ventilated_stay.stay_id IS NOT NULL AS ventilated,
        coalesce(lab.creatinine_max >= 1.5 AND urine.urineoutput < 410 AND NOT kidney.coded, false)
            AS acute_renal_failure
    FROM mimiciv_icu.icustays AS stay
    LEFT JOIN mimiciv_derived.first_day_vitalsign AS vital ON stay.stay_id = vital.stay_id
    LEFT JOIN mimiciv_derived.first_day_lab AS lab ON stay.stay_id = lab.stay_id
    LEFT JOIN mimiciv_derived.first_day_urine_output AS urine ON stay.stay_id = urine.stay_id
    LEFT JOIN mimiciv_derived.first_day_gcs AS coma ON stay.stay_id = coma.stay_id
    LEFT JOIN gas_summary ON stay.stay_id = gas_summary.stay_id
    LEFT JOIN ventilated_stay ON stay.stay_id = ventilated_stay.stay_id
    LEFT JOIN advanced_kidney_disease AS kidney ON stay.hadm_id = kidney.hadm_id
),

measured AS (
    -- lowest and highest value with their distance from the normal value; one value alone counts as both
    SELECT
        stay_id,
        unnest([
            {
                'variable': 'hr', 'lowest': heart_rate_min, 'highest': heart_rate_max,
                'below': abs(heart_rate_min - 75), 'above': abs(heart_rate_max - 75)
            },
            {
                'variable': 'mbp', 'lowest': mbp_min, 'highest': mbp_max,
                'below': abs(mbp_min - 90), 'above': abs(mbp_max - 90)
            },
            {
                'variable': 'temp', 'lowest': temperature_min, 'highest': temperature_max,
                'below': abs(temperature_min - 38), 'above': abs(temperature_max - 38)
            },
            {
                'variable': CASE WHEN ventilated THEN 'resp_rate, ventilated' ELSE 'resp_rate' END,
                'lowest': resp_rate_min, 'highest': resp_rate_max,
                'below': abs(resp_rate_min - 19), 'above': abs(resp_rate_max - 19)
            },
            {
                'variable': 'hematocrit', 'lowest': hematocrit_min, 'highest': hematocrit_max,
                'below': abs(hematocrit_min - 45.5), 'above': abs(hematocrit_max - 45.5)
            },
            {
                'variable': 'wbc', 'lowest': wbc_min, 'highest': wbc_max,
                'below': abs(wbc_min - 11.5), 'above': abs(wbc_max - 11.5)
            },
            {
                'variable': CASE WHEN acute_renal_failure THEN 'creatinine, acute renal failure' ELSE 'creatinine' END,
                'lowest': CASE WHEN acute_renal_failure THEN creatinine_max ELSE creatinine_min END,
                'highest': creatinine_max,
                'below': abs(CASE WHEN acute_renal_failure THEN creatinine_max ELSE creatinine_min END - 1),
                'above': abs(creatinine_max - 1)
            },
            {
                'variable': 'sodium', 'lowest': sodium_min, 'highest': sodium_max,
                'below': abs(sodium_min - 145.5), 'above': abs(sodium_max - 145.5)
            },
            {
                'variable': 'albumin', 'lowest': albumin_min, 'highest': albumin_max,
                'below': abs(albumin_min - 3.5), 'above': abs(albumin_max - 3.5)
            },
            {
                'variable': 'glucose', 'lowest': glucose_min, 'highest': glucose_max,
                'below': abs(glucose_min - 130), 'above': abs(glucose_max - 130)
            },
            {'variable': 'bun', 'lowest': bun_max, 'highest': bun_max, 'below': 0, 'above': 0},
            {
                'variable': 'bilirubin', 'lowest': bilirubin_total_max, 'highest': bilirubin_total_max,
                'below': 0, 'above': 0
            },
            {'variable': 'uo', 'lowest': urineoutput, 'highest': urineoutput, 'below': 0, 'above': 0},
            {'variable': 'pao2', 'lowest': pao2, 'highest': pao2, 'below': 0, 'above': 0},
            {'variable': 'aado2', 'lowest': aado2, 'highest': aado2, 'below': 0, 'above': 0}
        ], recursive := true)
    FROM first_day
),

worst_value AS (
    SELECT stay_id, variable, highest AS reading FROM measured WHERE above >= below AND highest IS NOT NULL
    UNION ALL
    SELECT stay_id, variable, lowest AS reading FROM measured WHERE below >= above AND lowest IS NOT NULL
),

value_points AS (
    SELECT
        worst_value.stay_id,
        worst_value.variable,
        max(band.points[1 + len([x FOR x IN band.limits IF x <= worst_value.reading])]) AS points
    FROM worst_value
    INNER JOIN band ON worst_value.variable = band.variable
    GROUP BY worst_value.stay_id, worst_value.variable
),

physiology AS (
    SELECT
        stay_id,
        max(points) FILTER (variable = 'hr') AS hr_score,
        max(points) FILTER (variable = 'mbp') AS mbp_score,
        max(points) FILTER (variable = 'temp') AS temp_score,
        max(points) FILTER (variable IN ('resp_rate', 'resp_rate, ventilated')) AS resp_rate_score,
        max(points) FILTER (variable IN ('pao2', 'aado2')) AS pao2_aado2_score,
        max(points) FILTER (variable = 'hematocrit') AS hematocrit_score,
        max(points) FILTER (variable = 'wbc') AS wbc_score,
        max(points) FILTER (variable IN ('creatinine', 'creatinine, acute renal failure')) AS creatinine_score,
        max(points) FILTER (variable = 'uo') AS uo_score,
        max(points) FILTER (variable = 'bun') AS bun_score,
        max(points) FILTER (variable = 'sodium') AS sodium_score,
        max(points) FILTER (variable = 'albumin') AS albumin_score,
        max(points) FILTER (variable = 'bilirubin') AS bilirubin_score,
        max(points) FILTER (variable = 'glucose') AS glucose_score
    FROM value_points
    GROUP BY stay_id
),

components AS (
    SELECT
        first_day.subject_id,
        first_day.hadm_id,
        first_day.stay_id,
        physiology.* EXCLUDE (stay_id),
        first_day.acidbase_score,
        CASE
            WHEN gcs_unable = 1 THEN 0
            WHEN gcs_eyes = 1 AND gcs_verbal = 1 THEN
                CASE
                    WHEN gcs_motor IN (1, 2) THEN 48
                    WHEN gcs_motor IN (3, 4) THEN 33
                    WHEN gcs_motor IN (5, 6) THEN 16
                END
            WHEN gcs_eyes = 1 AND gcs_verbal IN (2, 3) THEN
                CASE WHEN gcs_motor IN (1, 2) THEN 29 WHEN gcs_motor IN (3, 4) THEN 24 END
            WHEN gcs_eyes > 1 AND gcs_verbal = 1 THEN
                CASE
                    WHEN gcs_motor IN (1, 2) THEN 29
                    WHEN gcs_motor IN (3, 4) THEN 24
                    WHEN gcs_motor IN (5, 6) THEN 15
                END
            WHEN gcs_eyes > 1 AND gcs_verbal IN (2, 3) THEN
                CASE
                    WHEN gcs_motor IN (1, 2) THEN 29
                    WHEN gcs_motor IN (3, 4) THEN 24
                    WHEN gcs_motor = 5 THEN 13
                    WHEN gcs_motor = 6 THEN 10
                END
            WHEN gcs_eyes > 1 AND gcs_verbal = 4 THEN
                CASE WHEN gcs_motor BETWEEN 1 AND 4 THEN 13 WHEN gcs_motor = 5 THEN 8 WHEN gcs_motor = 6 THEN 3 END
            WHEN gcs_eyes > 1 AND gcs_verbal = 5 THEN
                CASE WHEN gcs_motor BETWEEN 1 AND 5 THEN 3 WHEN gcs_motor = 6 THEN 0 END
        END AS gcs_score
    FROM first_day
    LEFT JOIN physiology ON first_day.stay_id = physiology.stay_id
),

total AS (
    SELECT
        *,
        coalesce(hr_score, 0)
        + coalesce(mbp_score, 0)
        + coalesce(temp_score, 0)
        + coalesce(resp_rate_score, 0)
        + coalesce(pao2_aado2_score, 0)
        + coalesce(hematocrit_score, 0)
        + coalesce(wbc_score, 0)
        + coalesce(creatinine_score, 0)
        + coalesce(uo_score, 0)
        + coalesce(bun_score, 0)
        + coalesce(sodium_score, 0)
        + coalesce(albumin_score, 0)
        + coalesce(bilirubin_score, 0)
        + coalesce(glucose_score, 0)
        + coalesce(acidbase_score, 0)
        + coalesce(gcs_score, 0) AS apsiii
    FROM components
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    apsiii,
    1 / (1 + exp(-(-4.4360 + 0.04726 * apsiii))) AS apsiii_prob,
    hr_score,
    mbp_score,
    temp_score,
    resp_rate_score,
    pao2_aado2_score,
    hematocrit_score,
    wbc_score,
    creatinine_score,
    uo_score,
    bun_score,
    sodium_score,
    albumin_score,
    bilirubin_score,
    glucose_score,
    acidbase_score,
    gcs_score
FROM total
ORDER BY stay_id
