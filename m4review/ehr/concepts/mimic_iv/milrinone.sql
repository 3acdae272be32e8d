-- milrinone: infusions of milrinone.
--
-- grain:   one row per infusion interval (row of inputevents)
-- sources: mimiciv_icu.inputevents 221986 Milrinone
-- units:   vaso_rate mcg/kg/min; vaso_amount as charted
-- rules:   no filter on status, dose or duration; a bolus may have no rate

SELECT
    stay_id,
    linkorderid,
    rate AS vaso_rate,
    amount AS vaso_amount,
    starttime,
    endtime
FROM mimiciv_icu.inputevents
WHERE itemid = 221986
ORDER BY stay_id, starttime, endtime, linkorderid
