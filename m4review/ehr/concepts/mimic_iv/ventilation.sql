-- ventilation: episodes of ventilatory support.
--
-- grain:   one row per episode; episodes of one stay may touch, the next one starting where the last ended
-- sources: ventilator_setting, oxygen_delivery
-- window:  a gap of 14 clock hours (hour boundaries crossed, so 10:59 to 00:59 is 14) ends an episode
-- rules:   the status of a time is the first that fits: tracheostomy, invasive, noninvasive, high-flow, supplemental
--          oxygen, none; times without any are left out. The texts are exact, trailing blanks included.
--          A new episode starts at the first time, at a change of status, and after a gap since the same status.
--          An episode lasts up to the next time of any status, if that comes within 14 clock hours.
--          Episodes with a single charting time are discarded.

WITH charting_time AS (
    SELECT stay_id, charttime FROM mimiciv_derived.ventilator_setting
    UNION
    SELECT stay_id, charttime FROM mimiciv_derived.oxygen_delivery
),

with_status AS (
    SELECT
        charting_time.stay_id,
        charting_time.charttime,
        CASE
            WHEN oxygen.o2_delivery_device_1 IN ('Tracheostomy tube', 'Trach mask ') THEN 'Tracheostomy'
            WHEN
                oxygen.o2_delivery_device_1 = 'Endotracheal tube'
                OR setting.ventilator_mode IN (
                    '(S) CMV', 'APRV', 'APRV/Biphasic+ApnPress', 'APRV/Biphasic+ApnVol', 'APV (cmv)', 'Ambient',
                    'Apnea Ventilation', 'CMV', 'CMV/ASSIST', 'CMV/ASSIST/AutoFlow', 'CMV/AutoFlow', 'CPAP/PPS',
                    'CPAP/PSV', 'CPAP/PSV+Apn TCPL', 'CPAP/PSV+ApnPres', 'CPAP/PSV+ApnVol', 'MMV', 'MMV/AutoFlow',
                    'MMV/PSV', 'MMV/PSV/AutoFlow', 'P-CMV', 'PCV+', 'PCV+/PSV', 'PCV+Assist', 'PRES/AC', 'PRVC/AC',
                    'PRVC/SIMV', 'PSV/SBT', 'SIMV', 'SIMV/AutoFlow', 'SIMV/PRES', 'SIMV/PSV', 'SIMV/PSV/AutoFlow',
                    'SIMV/VOL', 'SYNCHRON MASTER', 'SYNCHRON SLAVE', 'VOL/AC'
                )
                OR setting.ventilator_mode_hamilton IN (
                    'APRV', 'APV (cmv)', 'Ambient', '(S) CMV', 'P-CMV', 'SIMV', 'APV (simv)', 'P-SIMV', 'VS', 'ASV'
                )
                THEN 'InvasiveVent'
            WHEN
                oxygen.o2_delivery_device_1 IN ('Bipap mask ', 'CPAP mask ')
                OR oxygen.o2_delivery_device_2 IN ('Bipap mask ', 'CPAP mask ')
                OR oxygen.o2_delivery_device_3 IN ('Bipap mask ', 'CPAP mask ')
                OR oxygen.o2_delivery_device_4 IN ('Bipap mask ', 'CPAP mask ')
                OR setting.ventilator_mode_hamilton IN ('DuoPaP', 'NIV', 'NIV-ST')
                THEN 'NonInvasiveVent'
            WHEN oxygen.o2_delivery_device_1 = 'High flow nasal cannula' THEN 'HFNC'
            WHEN
                oxygen.o2_delivery_device_1 IN (
                    'Non-rebreather', 'Face tent', 'Aerosol-cool', 'Venti mask ', 'Medium conc mask ',
                    'Ultrasonic neb', 'Vapomist', 'Oxymizer', 'High flow neb', 'Nasal cannula'
                )
                THEN 'SupplementalOxygen'
            WHEN oxygen.o2_delivery_device_1 = 'None' THEN 'None'
        END AS ventilation_status
    FROM charting_time
    LEFT JOIN mimiciv_derived.ventilator_setting AS setting
        ON charting_time.stay_id = setting.stay_id AND charting_time.charttime = setting.charttime
    LEFT JOIN mimiciv_derived.oxygen_delivery AS oxygen
        ON charting_time.stay_id = oxygen.stay_id AND charting_time.charttime = oxygen.charttime
),

with_neighbours AS (
    SELECT
        *,
        lag(ventilation_status) OVER any_status AS status_before,
        lead(charttime) OVER any_status AS next_time,
        date_diff('hour', lag(charttime) OVER same_status, charttime) AS hours_since_same_status,
        date_diff('hour', charttime, lead(charttime) OVER any_status) AS hours_to_next
    FROM with_status
    WHERE ventilation_status IS NOT NULL
    WINDOW
        any_status AS (PARTITION BY stay_id ORDER BY charttime),
        same_status AS (PARTITION BY stay_id, ventilation_status ORDER BY charttime)
),

numbered AS (
    SELECT
        *,
        sum(
            CASE
                WHEN status_before IS NULL THEN 1
                WHEN hours_since_same_status >= 14 THEN 1
                WHEN status_before <> ventilation_status THEN 1
                ELSE 0
            END
        ) OVER (PARTITION BY stay_id ORDER BY charttime) AS episode
    FROM with_neighbours
)

SELECT
    stay_id,
    min(charttime) AS starttime,
    max(CASE WHEN next_time IS NULL OR hours_to_next >= 14 THEN charttime ELSE next_time END) AS endtime,
    max(ventilation_status) AS ventilation_status
FROM numbered
GROUP BY stay_id, episode
HAVING min(charttime) <> max(charttime)
ORDER BY stay_id, starttime
