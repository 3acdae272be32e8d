-- Tables: what the other steps made, under the published column names.

CREATE VIEW chartevents WITH (DEFER_BINDING) AS
SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    CAST(NULL AS INTEGER) AS caregiver_id,
    charting.charttime,
    moment(charting.charttime, uniform(hash(charting.itemid, charting.charttime, stay.stay_no), 'stored', 0.02, 0.7))
        AS storetime,
    charting.itemid,
    coalesce(charting.text, as_text(charting.number)) AS value,
    CAST(charting.number AS DOUBLE) AS valuenum,
    item.unitname AS valueuom,
    CAST(0 AS SMALLINT) AS warning
FROM (
    FROM vital_charting
    UNION ALL
    FROM coma_charting
    UNION ALL
    FROM breathing_charting
) AS charting
INNER JOIN illness AS stay USING (stay_no)
INNER JOIN d_items AS item USING (itemid);

CREATE VIEW labevents WITH (DEFER_BINDING) AS
WITH result AS (
    SELECT
        *,
        CAST(stay_no * 128 + draw_no * 5 + panel_no AS INTEGER) AS specimen_id
    FROM laboratory_result
)

SELECT
    CAST(result.specimen_id * 16 + test.slot AS INTEGER) AS labevent_id,
    stay.subject_id,
    CASE
        WHEN chance(result.specimen_id, 'outpatient') > 0.06 AND result.charttime >= admission.admittime THEN stay.hadm_id
    END AS hadm_id,
    result.specimen_id,
    result.itemid,
    CAST(NULL AS VARCHAR) AS order_provider_id,
    date_trunc('minute', result.charttime) AS charttime,
    date_trunc('minute', moment(result.charttime, uniform(result.specimen_id, 'run', 0.3, 2))) AS storetime,
    coalesce(result.text, CASE WHEN NOT cancelled THEN as_text(result.number) END) AS value,
    CASE WHEN cancelled THEN NULL ELSE CAST(result.number AS DOUBLE) END AS valuenum,
    test.unit AS valueuom,
    CAST(NULL AS DOUBLE) AS ref_range_lower,
    CAST(NULL AS DOUBLE) AS ref_range_upper,
    CAST(NULL AS VARCHAR) AS flag,
    one_of(result.specimen_id, 'priority', ['STAT', 'ROUTINE']) AS priority,
    CASE WHEN cancelled THEN 'HEMOLYZED. TEST NOT PERFORMED.' END AS comments
FROM (SELECT *, number IS NOT NULL AND chance(hash(specimen_id, itemid), 'cancelled') < 0.006 AS cancelled FROM result)
    AS result
INNER JOIN laboratory_test AS test USING (itemid)
INNER JOIN illness AS stay USING (stay_no)
INNER JOIN admissions AS admission USING (hadm_id);

CREATE VIEW inputevents WITH (DEFER_BINDING) AS
SELECT
    subject_id,
    hadm_id,
    stay_id,
    CAST(NULL AS INTEGER) AS caregiver_id,
    starttime,
    CASE WHEN is_bolus THEN moment(starttime, 1 / 60) ELSE endtime END AS endtime,
    endtime AS storetime,
    itemid,
    CAST(amount AS DOUBLE) AS amount,
    CASE drug WHEN 'saline' THEN 'ml' WHEN 'vasopressin' THEN 'units' ELSE 'mg' END AS amountuom,
    CASE WHEN is_bolus THEN NULL ELSE CAST(charted_rate AS DOUBLE) END AS rate,
    CASE WHEN is_bolus THEN NULL ELSE rate_unit END AS rateuom,
    CAST(stay_no * 1000 + (itemid % 60) * 10 + step AS INTEGER) AS orderid,
    CAST(stay_no * 1000 + (itemid % 60) * 10 AS INTEGER) AS linkorderid,
    CASE WHEN drug = 'saline' THEN '03-IV Fluid Bolus' ELSE '01-Drips' END AS ordercategoryname,
    CASE WHEN drug <> 'saline' THEN '02-Fluids (Crystalloids)' END AS secondaryordercategoryname,
    'Main order parameter' AS ordercomponenttypedescription,
    CASE WHEN is_bolus THEN 'Bolus' ELSE 'Continuous Med' END AS ordercategorydescription,
    CAST(charted_weight AS DOUBLE) AS patientweight,
    CAST(NULL AS DOUBLE) AS totalamount,
    CAST(NULL AS VARCHAR) AS totalamountuom,
    CAST(0 AS SMALLINT) AS isopenbag,
    CAST(0 AS SMALLINT) AS continueinnextdept,
    one_of(hash(stay_no, itemid, step), 'status', ['FinishedRunning', 'ChangeDose/Rate', 'ChangeDose/Rate', 'Stopped'])
        AS statusdescription,
    CAST(amount AS DOUBLE) AS originalamount,
    CASE WHEN is_bolus THEN NULL ELSE CAST(charted_rate AS DOUBLE) END AS originalrate
FROM infusion;

CREATE VIEW outputevents WITH (DEFER_BINDING) AS
SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    CAST(NULL AS INTEGER) AS caregiver_id,
    charting.charttime,
    moment(charting.charttime, 0.2) AS storetime,
    charting.itemid,
    CAST(charting.volume AS DOUBLE) AS value,
    'mL' AS valueuom
FROM urine_charting AS charting
INNER JOIN illness AS stay USING (stay_no);
