-- oxygen_delivery: oxygen flow and the devices charted with it.
--
-- grain:   one row per (subject_id, charttime) with an oxygen flow; stay_id is the highest
-- sources: mimiciv_icu.chartevents 223834 O2 Flow, 227582 BiPap O2 Flow (counts as O2 Flow),
--          227287 O2 Flow (additional cannula), 226732 O2 Delivery Device(s)
-- units:   L/min
-- rules:   a device charted at a time without any flow row is dropped; of the devices of one time, the first four count
-- ties:    of several flows of one kind the one stored last, then the highest; devices are numbered from the one stored
--          last, among equals from the last in byte order; a missing storage time or text comes last

WITH flow_rows AS (
    SELECT
        subject_id,
        stay_id,
        charttime,
        CASE WHEN itemid = 227582 THEN 223834 ELSE itemid END AS itemid,
        storetime,
        valuenum
    FROM mimiciv_icu.chartevents
    WHERE itemid IN (223834, 227582, 227287) AND value IS NOT NULL
),

flow AS (
    SELECT * FROM flow_rows
    QUALIFY row_number() OVER (
        PARTITION BY subject_id, charttime, itemid
        ORDER BY storetime DESC NULLS LAST, valuenum DESC NULLS LAST, stay_id DESC NULLS LAST
    ) = 1
),

device AS (
    SELECT
        subject_id,
        stay_id,
        charttime,
        value,
        row_number() OVER (
            PARTITION BY subject_id, charttime
            ORDER BY storetime DESC NULLS LAST, value DESC NULLS LAST, stay_id DESC NULLS LAST
        ) AS slot
    FROM mimiciv_icu.chartevents
    WHERE itemid = 226732
)

SELECT
    flow.subject_id,
    max(coalesce(flow.stay_id, device.stay_id)) AS stay_id,
    flow.charttime,
    max(flow.valuenum) FILTER (flow.itemid = 223834) AS o2_flow,
    max(flow.valuenum) FILTER (flow.itemid = 227287) AS o2_flow_additional,
    max(device.value) FILTER (device.slot = 1) AS o2_delivery_device_1,
    max(device.value) FILTER (device.slot = 2) AS o2_delivery_device_2,
    max(device.value) FILTER (device.slot = 3) AS o2_delivery_device_3,
    max(device.value) FILTER (device.slot = 4) AS o2_delivery_device_4
FROM flow
LEFT JOIN device ON flow.subject_id = device.subject_id AND flow.charttime = device.charttime
GROUP BY flow.subject_id, flow.charttime
ORDER BY max(coalesce(flow.stay_id, device.stay_id)), flow.charttime
