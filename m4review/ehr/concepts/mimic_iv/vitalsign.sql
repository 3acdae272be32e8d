-- vitalsign: bedside vital signs, averaged per charting time.
--
-- grain:   one row per (subject_id, stay_id, charttime) at which any listed item was charted, even when every value
--          of that time lies outside its valid range
-- sources: mimiciv_icu.chartevents
-- units:   /min, mmHg, degrees Celsius, %, mg/dL
-- ranges:  strict on both sides unless noted; temperature is tested in the unit charted
--          heart rate 0-300, systolic 0-400, diastolic and mean pressure 0-300, respiratory rate 0-70,
--          Fahrenheit 70-120, Celsius 10-50, saturation 0 < v <= 100, glucose above 0 without an upper limit
-- rules:   invasive and cuff pressures are pooled; mean pressure is the charted one, never computed;
--          temperature is the mean in Celsius, taken to 9 and then rounded to 2 decimals, half away from zero
-- ties:    means add their values in ascending order, so that the last digit does not depend on the row order;
--          sorted lists do that in half the time of an ordered aggregate

WITH charted AS (
    SELECT
        subject_id,
        stay_id,
        charttime,
        itemid,
        value,
        CASE
            WHEN itemid = 220045 AND valuenum > 0 AND valuenum < 300 THEN valuenum
            WHEN itemid IN (220179, 220050, 225309) AND valuenum > 0 AND valuenum < 400 THEN valuenum
            WHEN itemid IN (220180, 220051, 225310) AND valuenum > 0 AND valuenum < 300 THEN valuenum
            WHEN itemid IN (220181, 220052, 225312) AND valuenum > 0 AND valuenum < 300 THEN valuenum
            WHEN itemid IN (220210, 224690) AND valuenum > 0 AND valuenum < 70 THEN valuenum
            WHEN itemid = 223761 AND valuenum > 70 AND valuenum < 120 THEN (valuenum - 32) / 1.8
            WHEN itemid = 223762 AND valuenum > 10 AND valuenum < 50 THEN valuenum
            WHEN itemid = 220277 AND valuenum > 0 AND valuenum <= 100 THEN valuenum
            WHEN itemid IN (225664, 220621, 226537) AND valuenum > 0 THEN valuenum
        END AS reading
    FROM mimiciv_icu.chartevents
    WHERE
        stay_id IS NOT NULL
        AND itemid IN (
            220045,                                  -- Heart Rate
            220179, 220050, 225309,                  -- systolic: cuff, arterial line, ART
            220180, 220051, 225310,                  -- diastolic
            220181, 220052, 225312,                  -- mean
            220210, 224690,                          -- Respiratory Rate, Respiratory Rate (Total)
            223761, 223762, 224642,                  -- Temperature Fahrenheit, Celsius, Site
            220277,                                  -- O2 saturation pulseoxymetry
            225664, 220621, 226537                   -- Glucose: finger stick, serum, whole blood
        )
)

SELECT
    subject_id,
    stay_id,
    charttime,
    list_avg(list_sort(list(reading) FILTER (itemid = 220045))) AS heart_rate,
    list_avg(list_sort(list(reading) FILTER (itemid IN (220179, 220050, 225309)))) AS sbp,
    list_avg(list_sort(list(reading) FILTER (itemid IN (220180, 220051, 225310)))) AS dbp,
    list_avg(list_sort(list(reading) FILTER (itemid IN (220181, 220052, 225312)))) AS mbp,
    list_avg(list_sort(list(reading) FILTER (itemid = 220179))) AS sbp_ni,
    list_avg(list_sort(list(reading) FILTER (itemid = 220180))) AS dbp_ni,
    list_avg(list_sort(list(reading) FILTER (itemid = 220181))) AS mbp_ni,
    list_avg(list_sort(list(reading) FILTER (itemid IN (220210, 224690)))) AS resp_rate,
    round(
        CAST(list_avg(list_sort(list(reading) FILTER (itemid IN (223761, 223762)))) AS DECIMAL(38, 9)), 2
    ) AS temperature,
    max(value) FILTER (itemid = 224642) AS temperature_site,
    list_avg(list_sort(list(reading) FILTER (itemid = 220277))) AS spo2,
    list_avg(list_sort(list(reading) FILTER (itemid IN (225664, 220621, 226537)))) AS glucose
FROM charted
GROUP BY subject_id, stay_id, charttime
ORDER BY stay_id, charttime
