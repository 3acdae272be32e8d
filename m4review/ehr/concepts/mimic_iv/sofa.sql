-- sofa: Sequential Organ Failure Assessment for every hour of an ICU stay.
--
-- grain:   one row per stay and hour from hour 0 on
-- sources: icustay_hourly, mimiciv_icu.icustays; bg (by patient), ventilation, vitalsign, gcs, urine_output_rate (by
--          stay); chemistry, enzyme, complete_blood_count (by admission); norepinephrine, epinephrine, dopamine,
--          dobutamine
-- window:  the hour (end - 1 h, end]; an infusion counts when it runs at the end of the hour: start < end of hour <=
--          end. The 24-hour columns take the highest points of the hour and the 23 before it, hours before hour 0
--          included
-- units:   mmHg, K/uL, mg/dL, mcg/kg/min, mL per 24 h
-- rules:   each organ takes the first line that fits; the points of an hour are missing without any data, those of 24
--          hours are then 0. Urine counts when 22 to 30 hours of collection are charted and is scaled to 24 hours.
-- edges:   invasive ventilation alone counts as ventilated, ends of an episode included; an epinephrine or
--          norepinephrine rate of exactly 0 scores 3; a ventilated ratio scores below 300 and 400 like an
--          unventilated one
-- source:  Vincent JL et al. Intensive Care Med 1996;22:707-710

WITH stay_hour AS (
    SELECT
        hourly.stay_id,
        hourly.hr,
        hourly.endtime
    FROM mimiciv_derived.icustay_hourly AS hourly
    INNER JOIN mimiciv_icu.icustays AS stay ON hourly.stay_id = stay.stay_id
),

-- hours end on the full hour, so a time belongs to the hour that ends at it or at the next full hour
gas_of_stay AS (
    SELECT
        stay.stay_id,
        date_trunc('hour', gas.charttime - INTERVAL 1 MICROSECOND) + INTERVAL 1 HOUR AS hour_end,
        gas.pao2fio2ratio,
        EXISTS (
            SELECT 1 FROM mimiciv_derived.ventilation AS episode
            WHERE
                episode.stay_id = stay.stay_id
                AND episode.ventilation_status = 'InvasiveVent'
                AND gas.charttime BETWEEN episode.starttime AND episode.endtime
        ) AS ventilated
    FROM mimiciv_icu.icustays AS stay
    INNER JOIN mimiciv_derived.bg AS gas ON stay.subject_id = gas.subject_id
    WHERE gas.specimen = 'ART.' AND gas.pao2fio2ratio IS NOT NULL
),

oxygenation AS (
    SELECT
        stay_id,
        hour_end,
        min(pao2fio2ratio) FILTER (NOT ventilated) AS pao2fio2ratio_novent,
        min(pao2fio2ratio) FILTER (ventilated) AS pao2fio2ratio_vent
    FROM gas_of_stay
    GROUP BY stay_id, hour_end
),

pressure AS (
    SELECT
        stay_id,
        date_trunc('hour', charttime - INTERVAL 1 MICROSECOND) + INTERVAL 1 HOUR AS hour_end,
        min(mbp) AS meanbp_min
    FROM mimiciv_derived.vitalsign
    GROUP BY stay_id, hour_end
),

coma AS (
    SELECT
        stay_id,
        date_trunc('hour', charttime - INTERVAL 1 MICROSECOND) + INTERVAL 1 HOUR AS hour_end,
        min(gcs) AS gcs_min
    FROM mimiciv_derived.gcs
    GROUP BY stay_id, hour_end
),

urine AS (
    SELECT
        stay_id,
        date_trunc('hour', charttime - INTERVAL 1 MICROSECOND) + INTERVAL 1 HOUR AS hour_end,
        max(urineoutput_24hr / uo_tm_24hr * 24) AS uo_24hr
    FROM mimiciv_derived.urine_output_rate
    WHERE uo_tm_24hr BETWEEN 22 AND 30
    GROUP BY stay_id, hour_end
),

bilirubin AS (
    SELECT
        hadm_id,
        date_trunc('hour', charttime - INTERVAL 1 MICROSECOND) + INTERVAL 1 HOUR AS hour_end,
        max(bilirubin_total) AS bilirubin_max
    FROM mimiciv_derived.enzyme
    GROUP BY hadm_id, hour_end
),

creatinine AS (
    SELECT
        hadm_id,
        date_trunc('hour', charttime - INTERVAL 1 MICROSECOND) + INTERVAL 1 HOUR AS hour_end,
        max(creatinine) AS creatinine_max
    FROM mimiciv_derived.chemistry
    GROUP BY hadm_id, hour_end
),

platelets AS (
    SELECT
        hadm_id,
        date_trunc('hour', charttime - INTERVAL 1 MICROSECOND) + INTERVAL 1 HOUR AS hour_end,
        min(platelet) AS platelet_min
    FROM mimiciv_derived.complete_blood_count
    GROUP BY hadm_id, hour_end
),

infusion AS (
    SELECT 'epinephrine' AS drug, stay_id, vaso_rate, starttime, endtime FROM mimiciv_derived.epinephrine
    UNION ALL
    SELECT 'norepinephrine' AS drug, stay_id, vaso_rate, starttime, endtime FROM mimiciv_derived.norepinephrine
    UNION ALL
    SELECT 'dopamine' AS drug, stay_id, vaso_rate, starttime, endtime FROM mimiciv_derived.dopamine
    UNION ALL
    SELECT 'dobutamine' AS drug, stay_id, vaso_rate, starttime, endtime FROM mimiciv_derived.dobutamine
),

running_infusion AS (
    SELECT
        drug,
        stay_id,
        vaso_rate,
        unnest(generate_series(date_trunc('hour', starttime) + INTERVAL 1 HOUR, endtime, INTERVAL 1 HOUR)) AS hour_end
    FROM infusion
),

highest_rate AS (
    SELECT
        stay_id,
        hour_end,
        max(vaso_rate) FILTER (drug = 'epinephrine') AS rate_epinephrine,
        max(vaso_rate) FILTER (drug = 'norepinephrine') AS rate_norepinephrine,
        max(vaso_rate) FILTER (drug = 'dopamine') AS rate_dopamine,
        max(vaso_rate) FILTER (drug = 'dobutamine') AS rate_dobutamine
    FROM running_infusion
    GROUP BY stay_id, hour_end
),

of_admission AS (
    SELECT * FROM bilirubin
    UNION ALL BY NAME
    SELECT * FROM creatinine
    UNION ALL BY NAME
    SELECT * FROM platelets
),

-- stacked and grouped rather than joined one by one, which would keep a table per organ in memory; each value has one
-- row per hour, so the highest of them is that value
charted AS (
    SELECT * FROM oxygenation
    UNION ALL BY NAME
    SELECT * FROM highest_rate
    UNION ALL BY NAME
    SELECT * FROM pressure
    UNION ALL BY NAME
    SELECT * FROM coma
    UNION ALL BY NAME
    SELECT * FROM urine
    UNION ALL BY NAME
    SELECT stay.stay_id, of_admission.* EXCLUDE (hadm_id)
    FROM of_admission
    INNER JOIN mimiciv_icu.icustays AS stay ON of_admission.hadm_id = stay.hadm_id
),

charted_hour AS (
    SELECT stay_id, hour_end, max(COLUMNS(* EXCLUDE (stay_id, hour_end)))
    FROM charted
    GROUP BY stay_id, hour_end
),

hour_values AS (
    SELECT
        stay_hour.stay_id,
        stay_hour.hr,
        stay_hour.endtime - INTERVAL 1 HOUR AS starttime,
        stay_hour.endtime,
        charted_hour.pao2fio2ratio_novent,
        charted_hour.pao2fio2ratio_vent,
        charted_hour.rate_epinephrine,
        charted_hour.rate_norepinephrine,
        charted_hour.rate_dopamine,
        charted_hour.rate_dobutamine,
        charted_hour.meanbp_min,
        charted_hour.gcs_min,
        charted_hour.uo_24hr,
        charted_hour.bilirubin_max,
        charted_hour.creatinine_max,
        charted_hour.platelet_min
    FROM stay_hour
    LEFT JOIN charted_hour ON stay_hour.stay_id = charted_hour.stay_id AND stay_hour.endtime = charted_hour.hour_end
),

hour_points AS (
    SELECT
        *,
        CASE
            WHEN pao2fio2ratio_vent < 100 THEN 4
            WHEN pao2fio2ratio_vent < 200 THEN 3
            WHEN pao2fio2ratio_novent < 300 OR pao2fio2ratio_vent < 300 THEN 2
            WHEN pao2fio2ratio_novent < 400 OR pao2fio2ratio_vent < 400 THEN 1
            WHEN coalesce(pao2fio2ratio_vent, pao2fio2ratio_novent) IS NOT NULL THEN 0
        END AS respiration,
        CASE
            WHEN platelet_min < 20 THEN 4
            WHEN platelet_min < 50 THEN 3
            WHEN platelet_min < 100 THEN 2
            WHEN platelet_min < 150 THEN 1
            WHEN platelet_min IS NOT NULL THEN 0
        END AS coagulation,
        CASE
            WHEN bilirubin_max >= 12.0 THEN 4
            WHEN bilirubin_max >= 6.0 THEN 3
            WHEN bilirubin_max >= 2.0 THEN 2
            WHEN bilirubin_max >= 1.2 THEN 1
            WHEN bilirubin_max IS NOT NULL THEN 0
        END AS liver,
        CASE
            WHEN rate_dopamine > 15 OR rate_epinephrine > 0.1 OR rate_norepinephrine > 0.1 THEN 4
            WHEN rate_dopamine > 5 OR rate_epinephrine <= 0.1 OR rate_norepinephrine <= 0.1 THEN 3
            WHEN rate_dopamine > 0 OR rate_dobutamine > 0 THEN 2
            WHEN meanbp_min < 70 THEN 1
            WHEN
                coalesce(meanbp_min, rate_dopamine, rate_dobutamine, rate_epinephrine, rate_norepinephrine) IS NOT NULL
                THEN 0
        END AS cardiovascular,
        CASE
            WHEN gcs_min BETWEEN 13 AND 14 THEN 1
            WHEN gcs_min BETWEEN 10 AND 12 THEN 2
            WHEN gcs_min BETWEEN 6 AND 9 THEN 3
            WHEN gcs_min < 6 THEN 4
            WHEN gcs_min IS NOT NULL THEN 0
        END AS cns,
        CASE
            WHEN creatinine_max >= 5.0 OR uo_24hr < 200 THEN 4
            WHEN creatinine_max >= 3.5 OR uo_24hr < 500 THEN 3
            WHEN creatinine_max >= 2.0 THEN 2
            WHEN creatinine_max >= 1.2 THEN 1
            WHEN coalesce(creatinine_max, uo_24hr) IS NOT NULL THEN 0
        END AS renal
    FROM hour_values
),

day_points AS (
    SELECT
        *,
        coalesce(max(respiration) OVER last_24_hours, 0) AS respiration_24hours,
        coalesce(max(coagulation) OVER last_24_hours, 0) AS coagulation_24hours,
        coalesce(max(liver) OVER last_24_hours, 0) AS liver_24hours,
        coalesce(max(cardiovascular) OVER last_24_hours, 0) AS cardiovascular_24hours,
        coalesce(max(cns) OVER last_24_hours, 0) AS cns_24hours,
        coalesce(max(renal) OVER last_24_hours, 0) AS renal_24hours
    FROM hour_points
    WINDOW last_24_hours AS (PARTITION BY stay_id ORDER BY hr ROWS BETWEEN 23 PRECEDING AND CURRENT ROW)
)

SELECT
    *,
    respiration_24hours
    + coagulation_24hours
    + liver_24hours
    + cardiovascular_24hours
    + cns_24hours
    + renal_24hours AS sofa_24hours
FROM day_points
WHERE hr >= 0
ORDER BY stay_id, hr
