-- norepinephrine: infusions of norepinephrine.
--
-- grain:   one row per infusion interval (row of inputevents)
-- sources: mimiciv_icu.inputevents 221906 Norepinephrine
-- units:   vaso_rate mcg/kg/min; vaso_amount as charted
--          rates in mg/kg/min are multiplied by 1000, except with a weight of 1 kg, which marks a mislabelled unit
-- rules:   no filter on status, dose or duration; a bolus may have no rate

SELECT
    stay_id,
    linkorderid,
    CASE
        WHEN rateuom = 'mg/kg/min' AND patientweight = 1 THEN rate
        WHEN rateuom = 'mg/kg/min' THEN rate * 1000.0
        ELSE rate
    END AS vaso_rate,
    amount AS vaso_amount,
    starttime,
    endtime
FROM mimiciv_icu.inputevents
WHERE itemid = 221906
ORDER BY stay_id, starttime, endtime, linkorderid
