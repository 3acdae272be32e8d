-- Infection: antibiotics for the infected and for operations, in the unit and on the ward, among the orders everybody
-- gets; cultures before and after the first dose, most of them negative, some cancelled, some with a date only. Drops,
-- creams and desensitisation bear the names of antibiotics and are none.

CREATE TABLE infection AS
SELECT
    *,
    chance(stay_no, 'infection') < 0.18 + 0.35 * CAST(inflamed AS INTEGER) + 0.05 * (circulation + lungs) AS infected,
    CASE
        WHEN chance(stay_no, 'infected at') < 0.75 THEN uniform(stay_no, 'infected first', -20, 12)
        ELSE uniform(stay_no, 'infected later', 12, 90)
    END AS onset
FROM illness;

CREATE VIEW drug_order WITH (DEFER_BINDING) AS
WITH antibiotic_order AS (
    -- for the infected: a broad pair at first, something narrower after two days, a third drug for some
    SELECT
        *,
        unnest(
            one_of(stay_no, 'regimen', [
                [
                    {'drug': 'Vancomycin', 'route': 'IV', 'begins': 0.0, 'days': 3.0},
                    {'drug': 'CefePIME', 'route': 'IV', 'begins': 0.3, 'days': 6.0}
                ],
                [
                    {'drug': 'Vancomycin', 'route': 'IV', 'begins': 0.2, 'days': 2.0},
                    {'drug': 'Piperacillin-Tazobactam', 'route': 'IV', 'begins': 0.0, 'days': 5.0},
                    {'drug': 'Piperacillin-Tazobactam', 'route': 'IV', 'begins': 26.0, 'days': 4.0}
                ],
                [
                    {'drug': 'CeftriaXONE', 'route': 'IV', 'begins': 0.0, 'days': 5.0},
                    {'drug': 'Azithromycin', 'route': 'IV', 'begins': 0.0, 'days': 4.0},
                    {'drug': 'Levofloxacin', 'route': 'PO/NG', 'begins': 55.0, 'days': 4.0}
                ],
                [
                    {'drug': 'Meropenem', 'route': 'IV', 'begins': 0.0, 'days': 7.0},
                    {'drug': 'Linezolid', 'route': 'IV', 'begins': 1.5, 'days': 5.0},
                    {'drug': 'Tobramycin Inhalation Soln', 'route': 'IH', 'begins': 20.0, 'days': 5.0}
                ],
                [
                    {'drug': 'Ciprofloxacin IV', 'route': 'IV', 'begins': 0.0, 'days': 3.0},
                    {'drug': 'MetRONIDAZOLE (FLagyl)', 'route': 'IV', 'begins': 0.5, 'days': 6.0},
                    {'drug': 'Ciprofloxacin HCl', 'route': 'PO', 'begins': 60.0, 'days': 5.0}
                ],
                [
                    {'drug': 'Ampicillin-Sulbactam', 'route': 'IV', 'begins': 0.0, 'days': 5.0},
                    {'drug': 'Amoxicillin-Clavulanic Acid', 'route': 'PO', 'begins': 70.0, 'days': 4.0}
                ],
                [
                    {'drug': 'Vancomycin Oral Liquid', 'route': 'PO', 'begins': 0.0, 'days': 10.0},
                    {'drug': 'MetRONIDAZOLE (FLagyl)', 'route': 'IV', 'begins': 0.0, 'days': 5.0}
                ],
                [
                    {'drug': 'Sulfameth/Trimethoprim DS', 'route': 'PO/NG', 'begins': 0.0, 'days': 7.0},
                    {'drug': 'Aztreonam', 'route': 'IV', 'begins': 4.0, 'days': 3.0}
                ],
                [
                    {'drug': 'Nafcillin', 'route': 'IV', 'begins': 0.0, 'days': 10.0},
                    {'drug': 'Gentamicin', 'route': 'IV', 'begins': 0.0, 'days': 2.0},
                    {'drug': 'Rifampin', 'route': 'PO', 'begins': 48.0, 'days': 8.0}
                ]
            ]), recursive := true
        )
    FROM infection
    WHERE infected
),

other_order AS (
    -- everybody's orders, and the ones that only look like antibiotics
    SELECT
        *,
        unnest([
            {'drug': 'Heparin', 'route': 'SC', 'begins': 1.0, 'days': 4.0, 'share': 0.7},
            {'drug': 'Acetaminophen', 'route': 'PO/NG', 'begins': 1.5, 'days': 4.0, 'share': 0.6},
            {'drug': 'Pantoprazole', 'route': 'IV', 'begins': 2.0, 'days': 5.0, 'share': 0.5},
            {'drug': 'Insulin', 'route': 'SC', 'begins': 2.0, 'days': 5.0, 'share': 0.5},
            {'drug': 'Metoprolol Tartrate', 'route': 'PO', 'begins': 9.0, 'days': 6.0, 'share': 0.4},
            {'drug': 'Furosemide', 'route': 'IV', 'begins': 14.0, 'days': 1.0, 'share': 0.4},
            {'drug': 'CefazoLIN', 'route': 'IV', 'begins': 0.5, 'days': 1.0, 'share': 0.14},
            {'drug': 'Mupirocin Nasal Ointment 2%', 'route': 'NU', 'begins': 3.0, 'days': 5.0, 'share': 0.03},
            {'drug': 'Erythromycin', 'route': 'IV', 'begins': 30.0, 'days': 2.0, 'share': 0.02},
            {'drug': 'Erythromycin 0.5% Ophth Oint', 'route': 'BOTH EYES', 'begins': 6.0, 'days': 5.0, 'share': 0.03},
            {'drug': 'Ciprofloxacin 0.3% Ophth Soln', 'route': 'OS', 'begins': 7.0, 'days': 5.0, 'share': 0.01},
            {'drug': 'Neomycin-Polymyxin-HC Otic Susp', 'route': 'LEFT EAR', 'begins': 8.0, 'days': 5.0, 'share': 0.01},
            {'drug': 'Mupirocin Cream 2%', 'route': 'TP', 'begins': 6.0, 'days': 7.0, 'share': 0.02},
            {'drug': 'MetRONIDAZOLE Topical 1 % Gel', 'route': 'TP', 'begins': 12.0, 'days': 7.0, 'share': 0.01},
            {'drug': 'Ampicillin Desensitization', 'route': 'IV', 'begins': 10.0, 'days': 0.5, 'share': 0.006}
        ], recursive := true)
    FROM illness
),

ward_order AS (
    -- before and after the unit
    SELECT
        *,
        unnest([
            {'drug': 'CeftriaXONE', 'route': 'IV', 'begins': -30.0, 'days': 2.0, 'share': 0.08},
            {'drug': 'Cephalexin', 'route': 'PO', 'begins': 6.0 + hours, 'days': 5.0, 'share': 0.05},
            {
                'drug': 'Nitrofurantoin Monohyd (MacroBID)', 'route': 'PO', 'begins': 20.0 + hours, 'days': 5.0,
                'share': 0.03
            },
            {'drug': 'Doxycycline Hyclate', 'route': 'PO', 'begins': 28.0 + hours, 'days': 7.0, 'share': 0.03}
        ], recursive := true)
    FROM illness
),

every_order AS (
    SELECT
        stay_no, subject_id, hadm_id, intime, 'MAIN' AS drug_type, drug, route, onset + begins AS begins, days,
        0 AS series
    FROM antibiotic_order
    UNION ALL
    -- the bag that the powder is dissolved in
    SELECT
        stay_no,
        subject_id,
        hadm_id,
        intime,
        'BASE',
        one_of(hash(stay_no, drug), 'bag', ['0.9% Sodium Chloride (Mini Bag Plus)', 'Iso-Osmotic Dextrose', 'D5W']),
        route,
        onset + begins,
        days,
        100
    FROM antibiotic_order
    WHERE route = 'IV'
    UNION ALL
    SELECT stay_no, subject_id, hadm_id, intime, 'MAIN', drug, route, begins, days, 200 FROM other_order
    WHERE chance(hash(stay_no, drug), 'ordered') < share
    UNION ALL
    SELECT stay_no, subject_id, hadm_id, intime, 'MAIN', drug, route, begins, days, 300 FROM ward_order
    WHERE chance(hash(stay_no, drug), 'ordered on the ward') < share
),

numbered AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY stay_no ORDER BY series, begins, drug, days) AS order_no
    FROM every_order
)

SELECT
    *,
    hash(stay_no, order_no, 'order') AS at_order,
    CASE
        WHEN chance(hash(stay_no, order_no, 'order'), 'no start') > 0.006
            -- orders start on the full hour, new ones at the minute
            THEN date_trunc(
                CASE WHEN chance(hash(stay_no, order_no, 'order'), 'minute') < 0.2 THEN 'minute' ELSE 'hour' END,
                moment(intime, begins)
            )
    END AS starttime
FROM numbered;

CREATE VIEW culture WITH (DEFER_BINDING) AS
WITH planned_culture AS (
    -- around the onset, with the first dose in between
    SELECT
        *,
        onset + CASE culture_no
            WHEN 0 THEN uniform(stay_no, 'first culture', -5, 0.5)
            WHEN 1 THEN uniform(stay_no, 'second culture', -2, 4)
            WHEN 2 THEN uniform(stay_no, 'third culture', -60, 20)
            ELSE uniform(stay_no, 'fourth culture', 20, 60)
        END AS taken,
        one_of(hash(stay_no, culture_no), 'specimen', [
            'BLOOD CULTURE', 'BLOOD CULTURE', 'BLOOD CULTURE', 'URINE', 'URINE', 'SPUTUM', 'SPUTUM',
            'BRONCHOALVEOLAR LAVAGE', 'STOOL', 'SWAB', 'CSF;SPINAL FLUID', 'PERITONEAL FLUID'
        ]) AS specimen
    FROM infection, range(0, 4) AS cultures (culture_no)
    WHERE infected AND chance(stay_no, 'cultured') < 0.93 AND chance(hash(stay_no, culture_no), 'taken') < 0.7
    UNION ALL
    -- everybody is screened on arrival, and a few are cultured for other reasons
    SELECT *, 4, uniform(stay_no, 'screening', 0.5, 8), 'MRSA SCREEN' FROM infection
    WHERE chance(stay_no, 'screened') < 0.3
    UNION ALL
    SELECT
        *, 5, uniform(stay_no, 'other culture', -200, hours),
        one_of(stay_no, 'other specimen', ['URINE', 'BLOOD CULTURE'])
    FROM infection
    WHERE chance(stay_no, 'cultured otherwise') < 0.15
)

SELECT
    stay_no,
    culture_no,
    subject_id,
    hadm_id,
    hash(stay_no, culture_no, 'culture') AS at_culture,
    date_trunc('minute', moment(intime, taken)) AS taken_at,
    CASE WHEN chance(hash(stay_no, culture_no), 'no specimen') > 0.015 THEN specimen END AS specimen,
    CASE
        WHEN chance(hash(stay_no, culture_no), 'growth') < 0.03 THEN 'cancelled'
        WHEN chance(hash(stay_no, culture_no), 'growth') < 0.33 AND specimen <> 'MRSA SCREEN' THEN 'positive'
        WHEN chance(hash(stay_no, culture_no), 'growth') < 0.09 THEN 'positive'
        WHEN chance(hash(stay_no, culture_no), 'growth') > 0.97 THEN 'said to be negative'
        ELSE 'negative'
    END AS growth,
    CASE specimen
        WHEN 'URINE' THEN
            one_of(
                hash(stay_no, culture_no), 'organism',
                ['ESCHERICHIA COLI', 'KLEBSIELLA PNEUMONIAE', 'ENTEROCOCCUS SP.']
            )
        WHEN 'STOOL' THEN 'CLOSTRIDIUM DIFFICILE'
        WHEN 'MRSA SCREEN' THEN 'POSITIVE FOR METHICILLIN RESISTANT STAPH AUREUS'
        WHEN 'SPUTUM' THEN
            one_of(
                hash(stay_no, culture_no), 'organism', ['STAPH AUREUS COAG +', 'PSEUDOMONAS AERUGINOSA', 'YEAST']
            )
        ELSE one_of(hash(stay_no, culture_no), 'organism', [
            'STAPH AUREUS COAG +', 'STAPHYLOCOCCUS, COAGULASE NEGATIVE', 'ESCHERICHIA COLI', 'KLEBSIELLA PNEUMONIAE'
        ])
    END AS organism
FROM planned_culture;

-- Item numbers of specimens, tests, organisms and drugs: a small part of the hospital's list.
CREATE MACRO specimen_item(specimen) AS 70000 + list_position([
    'BLOOD CULTURE', 'URINE', 'SPUTUM', 'BRONCHOALVEOLAR LAVAGE', 'STOOL', 'SWAB', 'CSF;SPINAL FLUID',
    'PERITONEAL FLUID',
    'MRSA SCREEN'
], specimen);

CREATE MACRO organism_item(organism) AS 80000 + list_position([
    'ESCHERICHIA COLI', 'KLEBSIELLA PNEUMONIAE', 'ENTEROCOCCUS SP.', 'CLOSTRIDIUM DIFFICILE', 'STAPH AUREUS COAG +',
    'POSITIVE FOR METHICILLIN RESISTANT STAPH AUREUS', 'PSEUDOMONAS AERUGINOSA', 'YEAST',
    'STAPHYLOCOCCUS, COAGULASE NEGATIVE'
], organism);
