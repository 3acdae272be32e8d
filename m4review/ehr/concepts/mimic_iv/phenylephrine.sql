-- phenylephrine: infusions of phenylephrine.
--
-- grain:   one row per infusion interval (row of inputevents)
-- sources: mimiciv_icu.inputevents 221749 Phenylephrine
-- units:   vaso_rate mcg/kg/min; vaso_amount as charted rates in mcg/min are divided by the weight on the infusion
--          row; without that weight the rate is missing, with a weight of 0 it is infinite
-- rules:   no filter on status, dose or duration; a bolus may have no rate

SELECT
    stay_id,
    linkorderid,
    CASE WHEN rateuom = 'mcg/min' THEN rate / patientweight ELSE rate END AS vaso_rate,
    amount AS vaso_amount,
    starttime,
    endtime
FROM mimiciv_icu.inputevents
WHERE itemid = 221749
ORDER BY stay_id, starttime, endtime, linkorderid
