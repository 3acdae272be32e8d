-- vasopressin: infusions of vasopressin.
--
-- grain:   one row per infusion interval (row of inputevents)
-- sources: mimiciv_icu.inputevents 222315 Vasopressin
-- units:   vaso_rate units/hour, not per kg; rates in units/min are multiplied by 60; vaso_amount as charted
-- rules:   no filter on status, dose or duration; a bolus may have no rate

SELECT
    stay_id,
    linkorderid,
    CASE WHEN rateuom = 'units/min' THEN rate * 60.0 ELSE rate END AS vaso_rate,
    amount AS vaso_amount,
    starttime,
    endtime
FROM mimiciv_icu.inputevents
WHERE itemid = 222315
ORDER BY stay_id, starttime, endtime, linkorderid
