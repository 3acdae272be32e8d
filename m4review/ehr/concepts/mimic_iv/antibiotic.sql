-- antibiotic: orders of systemic antibiotics, recognised by drug name and route.
--
-- grain:   one row per prescription row and matching ICU stay; repeated orders stay separate
-- sources: mimiciv_hosp.prescriptions, mimiciv_icu.icustays
-- window:  the stay is one of the same admission with ICU admission <= order start < ICU discharge, else missing
-- rules:   a pair of drug and route counts when some order of it that is not a base fluid has a systemic route and a
--          name holding one of the fragments below (any case); then every order of exactly that pair is taken, base
--          fluids included. Local routes are tested in capital letters, "ear", "eye" and the excluded forms in any
--          case.
-- edges:   "ear" and "gel" also hit words that merely contain them; amphotericin and anidulafungin, both antifungals,
--          count; an order without a route never counts; an order is a proxy for the administration

WITH name_fragment AS (
    SELECT unnest([
        'adoxa', 'ala-tet', 'alodox', 'amikacin', 'amikin', 'amoxicill', 'amphotericin', 'ampicillin', 'ancef',
        'anidulafungin', 'augmentin', 'avelox', 'avidoxy', 'axetil', 'azactam', 'azithromycin', 'aztreonam',
        'bactocill', 'bactrim', 'bactroban', 'bethkis', 'biaxin', 'bicillin l-a',
        'cayston', 'cedax', 'cefaclor', 'cefadroxil', 'cefazolin', 'cefdinir', 'cefditoren', 'cefepime', 'cefotan',
        'cefotaxime', 'cefotetan', 'cefoxitin', 'cefpirome', 'cefpodoxime', 'cefprozil', 'ceftaroline',
        'ceftazidime', 'ceftibuten', 'ceftin', 'ceftriaxone', 'cefuroxime', 'cephalexin', 'cephalothin',
        'cephapririn', 'chloramphenicol', 'cipro', 'ciprofloxacin', 'claforan', 'clarithromycin', 'clavulanate',
        'cleocin', 'clindamycin', 'cubicin',
        'dicloxacillin', 'dirithromycin', 'doryx', 'doxycy', 'duricef', 'dynacin',
        'ery-tab', 'eryc', 'eryped', 'erythrocin', 'erythromycin',
        'factive', 'flagyl', 'fortaz', 'furadantin',
        'garamycin', 'gentamicin', 'kanamycin', 'keflex', 'kefzol', 'ketek',
        'levaquin', 'levofloxacin', 'lincocin', 'linezolid',
        'macrobid', 'macrodantin', 'maxipime', 'mefoxin', 'meropenem', 'methicillin', 'metronidazole', 'minocin',
        'minocycline', 'monodox', 'monurol', 'morgidox', 'moxatag', 'moxifloxacin', 'mupirocin', 'myrac',
        'nafcillin', 'neomycin', 'nicazel doxy 30', 'nitrofurantoin', 'norfloxacin', 'noroxin',
        'ocudox', 'ofloxacin', 'omnicef', 'oracea', 'oraxyl', 'oxacillin',
        'panixine', 'pc pen vk', 'pce dispertab', 'pediazole', 'penicillin', 'periostat', 'pfizerpen',
        'piperacillin', 'primsol', 'proquin',
        'raniclor', 'rifadin', 'rifampin', 'rocephin',
        'septra', 'septra ds', 'smz-tmp', 'solodyn', 'spectracef', 'streptomycin', 'sulfadiazine',
        'sulfamethoxazole', 'sulfatrim', 'sulfisoxazole', 'suprax', 'synercid',
        'tazicef', 'tazobactam', 'tetracycline', 'timentin', 'tobramycin', 'trimethoprim',
        'unasyn', 'vancocin', 'vancomycin', 'vantin', 'vibativ', 'vibra-tabs', 'vibramycin',
        'zinacef', 'zithromax', 'zosyn', 'zyvox'
    ]) AS fragment
),

systemic_order AS (
    SELECT DISTINCT drug, route
    FROM mimiciv_hosp.prescriptions
    WHERE
        drug_type <> 'BASE'
        AND route NOT IN ('OU', 'OS', 'OD', 'AU', 'AS', 'AD', 'TP')      -- eyes, ears, topical
        AND NOT contains(lower(route), 'ear')
        AND NOT contains(lower(route), 'eye')
        AND NOT contains(lower(drug), 'cream')
        AND NOT contains(lower(drug), 'desensitization')
        AND NOT contains(lower(drug), 'ophth oint')
        AND NOT contains(lower(drug), 'gel')
),

antibiotic_pair AS (
    SELECT
        systemic_order.drug,
        systemic_order.route
    FROM systemic_order
    WHERE EXISTS (
        SELECT 1 FROM name_fragment
        WHERE contains(lower(systemic_order.drug), name_fragment.fragment)
    )
)

SELECT
    prescription.subject_id,
    prescription.hadm_id,
    stay.stay_id,
    prescription.drug AS antibiotic,
    prescription.route,
    prescription.starttime,
    prescription.stoptime
FROM mimiciv_hosp.prescriptions AS prescription
INNER JOIN antibiotic_pair
    ON prescription.drug = antibiotic_pair.drug AND prescription.route = antibiotic_pair.route
LEFT JOIN mimiciv_icu.icustays AS stay
    ON
        prescription.hadm_id = stay.hadm_id
        AND prescription.starttime >= stay.intime
        AND prescription.starttime < stay.outtime
ORDER BY
    prescription.subject_id,
    prescription.starttime,
    prescription.stoptime,
    prescription.drug,
    prescription.hadm_id,
    stay.stay_id,
    prescription.route
