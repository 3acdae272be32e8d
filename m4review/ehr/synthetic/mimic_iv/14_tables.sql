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
    UNION ALL
    FROM dialysis_charting
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
        WHEN chance(result.specimen_id, 'outpatient') > 0.06 AND result.charttime >= admission.admittime
            THEN stay.hadm_id
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
FROM infusion
UNION ALL
SELECT
    subject_id,
    hadm_id,
    stay_id,
    NULL,
    moment(intime, bag_begins),
    moment(intime, bag_ends),
    moment(intime, bag_ends),
    fluid,
    round(rate * (bag_ends - bag_begins), 2),
    unit,
    rate,
    unit || '/hour',
    CAST(stay_no * 1000 + 600 + bag * 2 + fluid % 2 AS INTEGER),
    CAST(stay_no * 1000 + 600 + fluid % 2 AS INTEGER),
    '02-Fluids (Crystalloids)',
    NULL,
    'Main order parameter',
    'Continuous IV',
    weight,
    NULL,
    NULL,
    0,
    0,
    'FinishedRunning',
    round(rate * (bag_ends - bag_begins), 2),
    rate
FROM dialysis_fluid;

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

CREATE VIEW procedureevents WITH (DEFER_BINDING) AS
SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    CAST(NULL AS INTEGER) AS caregiver_id,
    moment(stay.intime, procedure.begins) AS starttime,
    moment(stay.intime, procedure.ends) AS endtime,
    moment(stay.intime, procedure.ends) AS storetime,
    procedure.itemid,
    CAST(round((procedure.ends - procedure.begins) * 60) AS DOUBLE) AS value,
    'min' AS valueuom,
    CAST(NULL AS VARCHAR) AS location,
    CAST(NULL AS VARCHAR) AS locationcategory,
    CAST(stay.stay_no * 1000 + 700 + procedure.number AS INTEGER) AS orderid,
    CAST(stay.stay_no * 1000 + 700 + procedure.number AS INTEGER) AS linkorderid,
    item.category AS ordercategoryname,
    'ContinuousProcess' AS ordercategorydescription,
    stay.weight AS patientweight,
    CAST(0 AS SMALLINT) AS isopenbag,
    CAST(0 AS SMALLINT) AS continueinnextdept,
    'FinishedRunning' AS statusdescription,
    CAST(round((procedure.ends - procedure.begins) * 60) AS DOUBLE) AS originalamount,
    CAST(0 AS DOUBLE) AS originalrate
FROM bedside_procedure AS procedure
INNER JOIN illness AS stay USING (stay_no)
INNER JOIN d_items AS item USING (itemid)
WHERE procedure.begins < procedure.ends;

CREATE VIEW prescriptions WITH (DEFER_BINDING) AS
SELECT
    ordered.subject_id,
    ordered.hadm_id,
    CAST(ordered.stay_no * 64 + ordered.order_no AS INTEGER) AS pharmacy_id,
    CAST(NULL AS VARCHAR) AS poe_id,
    CAST(NULL AS INTEGER) AS poe_seq,
    CAST(NULL AS VARCHAR) AS order_provider_id,
    ordered.starttime,
    date_trunc('hour', moment(ordered.starttime, ordered.days * 24)) AS stoptime,
    ordered.drug_type,
    ordered.drug,
    CAST(NULL AS VARCHAR) AS formulary_drug_cd,
    CAST(NULL AS VARCHAR) AS gsn,
    CAST(NULL AS VARCHAR) AS ndc,
    CAST(NULL AS VARCHAR) AS prod_strength,
    CAST(NULL AS VARCHAR) AS form_rx,
    CASE WHEN ordered.drug_type = 'BASE' THEN '100' ELSE one_of(ordered.at_order, 'dose', ['1', '2', '500', '1000']) END
        AS dose_val_rx,
    CASE
        WHEN ordered.drug_type = 'BASE' THEN 'mL'
        WHEN one_of(ordered.at_order, 'dose', ['1', '2', '500', '1000']) IN ('1', '2') THEN 'g'
        ELSE 'mg'
    END AS dose_unit_rx,
    CAST(NULL AS VARCHAR) AS form_val_disp,
    CAST(NULL AS VARCHAR) AS form_unit_disp,
    CAST(one_of(ordered.at_order, 'times', [1, 2, 3, 4]) AS FLOAT) AS doses_per_24_hrs,
    CASE WHEN chance(ordered.at_order, 'no route') > 0.003 THEN ordered.route END AS route
FROM drug_order AS ordered
INNER JOIN admissions AS admission USING (hadm_id)
WHERE ordered.starttime IS NULL OR ordered.starttime BETWEEN admission.admittime AND admission.dischtime;

CREATE VIEW microbiologyevents WITH (DEFER_BINDING) AS
WITH tested AS (
    -- an organism is tested against a few drugs, one row each; everything else is a single row
    SELECT
        *,
        unnest(CASE
            WHEN growth = 'positive' AND organism NOT IN (
                'YEAST', 'CLOSTRIDIUM DIFFICILE', 'POSITIVE FOR METHICILLIN RESISTANT STAPH AUREUS'
            )
                THEN [1, 2, 3]
            ELSE [1]
        END) AS test_no
    FROM culture
),

named AS (
    SELECT
        *,
        growth = 'positive' AND organism NOT IN (
            'YEAST', 'CLOSTRIDIUM DIFFICILE', 'POSITIVE FOR METHICILLIN RESISTANT STAPH AUREUS'
        ) AS drug_tested,
        CASE growth
            WHEN 'positive' THEN organism
            WHEN 'cancelled' THEN 'CANCELLED'
            WHEN 'said to be negative' THEN 'NEGATIVE'
        END AS org_name
    FROM tested
)

SELECT
    CAST(stay_no * 24 + culture_no * 4 + test_no AS INTEGER) AS microevent_id,
    subject_id,
    CASE WHEN chance(at_culture, 'no admission') > 0.08 THEN hadm_id END AS hadm_id,
    CAST(stay_no * 8 + culture_no AS INTEGER) AS micro_specimen_id,
    CAST(NULL AS VARCHAR) AS order_provider_id,
    date_trunc('day', taken_at) AS chartdate,
    CASE WHEN chance(at_culture, 'date only') > 0.08 THEN taken_at END AS charttime,
    specimen_item(specimen) AS spec_itemid,
    specimen AS spec_type_desc,
    1 AS test_seq,
    date_trunc('day', moment(taken_at, 72)) AS storedate,
    date_trunc('minute', moment(taken_at, uniform(at_culture, 'reported', 40, 90))) AS storetime,
    90100 + specimen_item(specimen) - 70000 AS test_itemid,
    CASE specimen
        WHEN 'BLOOD CULTURE' THEN 'Blood Culture, Routine' WHEN 'URINE' THEN 'URINE CULTURE'
        WHEN 'SPUTUM' THEN 'RESPIRATORY CULTURE' WHEN 'MRSA SCREEN' THEN 'MRSA SCREEN'
        WHEN 'STOOL' THEN 'C. difficile PCR' ELSE 'FLUID CULTURE'
    END AS test_name,
    CASE growth
        WHEN 'positive' THEN organism_item(organism) WHEN 'cancelled' THEN 90760 WHEN 'said to be negative' THEN 90856
    END AS org_itemid,
    org_name,
    CASE WHEN growth = 'positive' THEN CAST(1 AS SMALLINT) END AS isolate_num,
    CAST(NULL AS VARCHAR) AS quantity,
    CASE WHEN drug_tested THEN [90012, 90025, 90018][test_no] END AS ab_itemid,
    CASE WHEN drug_tested THEN ['GENTAMICIN', 'LEVOFLOXACIN', 'CEFTAZIDIME'][test_no] END AS ab_name,
    CASE WHEN drug_tested THEN '<=' || one_of(hash(at_culture, test_no), 'dilution', ['1', '2', '4']) END
        AS dilution_text,
    CASE WHEN drug_tested THEN '<=' END AS dilution_comparison,
    CASE WHEN drug_tested THEN CAST(one_of(hash(at_culture, test_no), 'dilution', ['1', '2', '4']) AS DOUBLE) END
        AS dilution_value,
    CASE WHEN drug_tested THEN one_of(hash(at_culture, test_no), 'answer', ['S', 'S', 'S', 'I', 'R']) END
        AS interpretation,
    CASE WHEN growth = 'negative' THEN 'NO GROWTH.' END AS comments
FROM named;
