-- ventilation: episodes of ventilatory support.
--
-- grain:   one row per episode, numbered within the stay by its start; neighbours may touch
-- sources: ventilator_setting, oxygen_delivery
-- window:  a gap of 14 hours of exact time ends an episode; charting outside the stay counts
-- units:   status text, of which "None" is one
-- rules:   the status of a time is the first that fits: tracheostomy, invasive, noninvasive, high-flow, supplemental
--          oxygen, none; only the first oxygen device is looked at; times without any status are left out. The texts
--          are exact, trailing blanks included. A new episode starts at the first time, at a change of status, and
--          after a gap since the same status. An episode lasts up to the next time of any status, if that comes
--          within less than 14 hours. Episodes with a single charting time are discarded before the numbering, but
--          still separate their neighbours.
-- ties:    none; a stay has one status at a time
-- differs: the concept ventilation counts clock hours and finds masks in any of four device slots
-- source:  Johnson AEW et al. Sci Data 2023;10:1

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
        charttime - INTERVAL 14 HOUR >= lag(charttime) OVER same_status AS after_gap,
        charttime + INTERVAL 14 HOUR <= next_time AS before_gap
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
                WHEN after_gap THEN 1
                WHEN status_before <> ventilation_status THEN 1
                ELSE 0
            END
        ) OVER (PARTITION BY stay_id ORDER BY charttime) AS episode
    FROM with_neighbours
),

kept_episode AS (
    SELECT
        stay_id,
        min(charttime) AS starttime,
        max(CASE WHEN next_time IS NULL OR before_gap THEN charttime ELSE next_time END) AS endtime,
        max(ventilation_status) AS ventilation_status
    FROM numbered
    GROUP BY stay_id, episode
    HAVING min(charttime) <> max(charttime)
)

SELECT
    stay_id,
    row_number() OVER (PARTITION BY stay_id ORDER BY starttime) AS ventilation_seq,
    starttime,
    endtime,
    ventilation_status
FROM kept_episode
ORDER BY stay_id, ventilation_seq
