-- first_day_sofa: Sequential Organ Failure Assessment of the first ICU day.
--
-- grain:   one row per ICU stay, every stay
-- sources: mimiciv_icu.icustays; bg, ventilation; norepinephrine, epinephrine, dopamine, dobutamine;
--          first_day_vitalsign, first_day_lab, first_day_gcs, first_day_urine_output
-- window:  ICU admission - 6 h to + 24 h, both ends included; urine from admission on; an infusion counts by its
--          start
-- units:   mmHg, K/uL, mg/dL, mcg/kg/min, mL
-- rules:   each organ takes the first line that fits; an organ without data is missing and adds nothing to the total
-- edges:   bilirubin 12.0 and creatinine 5.0 score 4; a norepinephrine or epinephrine rate of exactly 0 scores 3; a
--          ventilated ratio of 200 or more scores nothing by itself
-- differs: the reference sofa-24h gives a rate of exactly 0 no points and a missing organ 0
-- source:  Vincent JL et al. Intensive Care Med 1996;22:707-710

WITH arterial_gas AS (
    SELECT
        stay.stay_id,
        gas.pao2fio2ratio,
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
            stay.subject_id = gas.subject_id
            AND gas.specimen = 'ART.'
            AND gas.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
),

oxygenation AS (
    SELECT
        stay_id,
        min(pao2fio2ratio) FILTER (ventilated) AS pf_ventilated,
        min(pao2fio2ratio) FILTER (NOT ventilated) AS pf_unventilated
    FROM arterial_gas
    GROUP BY stay_id
),

infusion AS (
    SELECT stay_id, 'norepinephrine' AS drug, vaso_rate, starttime FROM mimiciv_derived.norepinephrine
    UNION ALL
    SELECT stay_id, 'epinephrine' AS drug, vaso_rate, starttime FROM mimiciv_derived.epinephrine
    UNION ALL
    SELECT stay_id, 'dopamine' AS drug, vaso_rate, starttime FROM mimiciv_derived.dopamine
    UNION ALL
    SELECT stay_id, 'dobutamine' AS drug, vaso_rate, starttime FROM mimiciv_derived.dobutamine
),

highest_rates AS (
    SELECT
        stay.stay_id,
        max(infusion.vaso_rate) FILTER (infusion.drug = 'norepinephrine') AS norepinephrine,
        max(infusion.vaso_rate) FILTER (infusion.drug = 'epinephrine') AS epinephrine,
        max(infusion.vaso_rate) FILTER (infusion.drug = 'dopamine') AS dopamine,
        max(infusion.vaso_rate) FILTER (infusion.drug = 'dobutamine') AS dobutamine
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN infusion
        ON
            stay.stay_id = infusion.stay_id
            AND infusion.starttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
    GROUP BY stay.stay_id
),

organ_points AS (
    SELECT
        stay.subject_id,
        stay.hadm_id,
        stay.stay_id,
        CASE
            WHEN oxygenation.pf_ventilated < 100 THEN 4
            WHEN oxygenation.pf_ventilated < 200 THEN 3
            WHEN oxygenation.pf_unventilated < 300 THEN 2
            WHEN oxygenation.pf_unventilated < 400 THEN 1
            WHEN coalesce(oxygenation.pf_ventilated, oxygenation.pf_unventilated) IS NOT NULL THEN 0
        END AS respiration,
        CASE
            WHEN lab.platelets_min < 20 THEN 4
            WHEN lab.platelets_min < 50 THEN 3
            WHEN lab.platelets_min < 100 THEN 2
            WHEN lab.platelets_min < 150 THEN 1
            WHEN lab.platelets_min IS NOT NULL THEN 0
        END AS coagulation,
        CASE
            WHEN lab.bilirubin_total_max >= 12.0 THEN 4
            WHEN lab.bilirubin_total_max >= 6.0 THEN 3
            WHEN lab.bilirubin_total_max >= 2.0 THEN 2
            WHEN lab.bilirubin_total_max >= 1.2 THEN 1
            WHEN lab.bilirubin_total_max IS NOT NULL THEN 0
        END AS liver,
        CASE
            WHEN rate.dopamine > 15 OR rate.epinephrine > 0.1 OR rate.norepinephrine > 0.1 THEN 4
            WHEN rate.dopamine > 5 OR rate.epinephrine <= 0.1 OR rate.norepinephrine <= 0.1 THEN 3
            WHEN rate.dopamine > 0 OR rate.dobutamine > 0 THEN 2
            WHEN vital.mbp_min < 70 THEN 1
            WHEN
                coalesce(
                    vital.mbp_min, rate.dopamine, rate.dobutamine, rate.epinephrine, rate.norepinephrine
                ) IS NOT NULL
                THEN 0
        END AS cardiovascular,
        CASE
            WHEN coma.gcs_min < 6 THEN 4
            WHEN coma.gcs_min BETWEEN 6 AND 9 THEN 3
            WHEN coma.gcs_min BETWEEN 10 AND 12 THEN 2
            WHEN coma.gcs_min BETWEEN 13 AND 14 THEN 1
            WHEN coma.gcs_min IS NOT NULL THEN 0
        END AS cns,
        CASE
            WHEN lab.creatinine_max >= 5.0 OR urine.urineoutput < 200 THEN 4
            WHEN lab.creatinine_max >= 3.5 OR urine.urineoutput < 500 THEN 3
            WHEN lab.creatinine_max >= 2.0 THEN 2
            WHEN lab.creatinine_max >= 1.2 THEN 1
            WHEN coalesce(lab.creatinine_max, urine.urineoutput) IS NOT NULL THEN 0
        END AS renal
    FROM mimiciv_icu.icustays AS stay
    LEFT JOIN oxygenation ON stay.stay_id = oxygenation.stay_id
    LEFT JOIN highest_rates AS rate ON stay.stay_id = rate.stay_id
    LEFT JOIN mimiciv_derived.first_day_vitalsign AS vital ON stay.stay_id = vital.stay_id
    LEFT JOIN mimiciv_derived.first_day_lab AS lab ON stay.stay_id = lab.stay_id
    LEFT JOIN mimiciv_derived.first_day_gcs AS coma ON stay.stay_id = coma.stay_id
    LEFT JOIN mimiciv_derived.first_day_urine_output AS urine ON stay.stay_id = urine.stay_id
)

SELECT
    subject_id,
    hadm_id,
    stay_id,
    coalesce(respiration, 0)
    + coalesce(coagulation, 0)
    + coalesce(liver, 0)
    + coalesce(cardiovascular, 0)
    + coalesce(cns, 0)
    + coalesce(renal, 0) AS sofa,
    respiration,
    coagulation,
    liver,
    cardiovascular,
    cns,
    renal
FROM organ_points
ORDER BY stay_id
