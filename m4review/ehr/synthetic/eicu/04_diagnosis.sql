-- Diagnosis: why a stay began, after the organ that fails most, and what was noted and done because of it.

CREATE TABLE admission_diagnosis AS
WITH reason AS (
    SELECT
        *,
        CASE
            WHEN hypertensive_emergency THEN 'pressure'
            WHEN after_surgery THEN 'surgery'
            WHEN greatest(lungs, circulation, brain, kidneys) = 0 THEN 'watch'
            WHEN circulation = greatest(lungs, circulation, brain, kidneys) THEN 'circulation'
            WHEN lungs = greatest(lungs, brain, kidneys) THEN 'lungs'
            WHEN brain >= kidneys THEN 'brain'
            ELSE 'kidneys'
        END AS reason
    FROM illness
),

diagnosed AS (
    SELECT
        *,
        CASE reason
            WHEN 'pressure' THEN [{
                'name': 'Hypertension, uncontrolled (for cerebrovascular accident-see Neurological System)',
                'code': 'HYPERTENS', 'organ': 'Cardiovascular'
            }]
            WHEN 'surgery' THEN [
                {'name': 'CABG alone, coronary artery bypass grafting', 'code': 'S-CABG', 'organ': 'Cardiovascular'},
                {'name': 'Aortic valve replacement (isolated)', 'code': 'S-VALVAO', 'organ': 'Cardiovascular'},
                {
                    'name': 'GI obstruction, surgery for (including lysis of adhesions)', 'code': 'S-GIOBSTRX',
                    'organ': 'Gastrointestinal'
                },
                {'name': 'Endarterectomy, carotid', 'code': 'S-CAROTEND', 'organ': 'Cardiovascular'},
                {'name': 'Thoracotomy for lung cancer', 'code': 'S-THOR/CA', 'organ': 'Respiratory'}
            ]
            WHEN 'circulation' THEN [
                {'name': 'Sepsis, pulmonary', 'code': 'SEPSISPULM', 'organ': 'Cardiovascular'},
                {'name': 'Sepsis, renal/UTI (including bladder)', 'code': 'SEPSISUTI', 'organ': 'Cardiovascular'},
                {'name': 'Infarction, acute myocardial (MI)', 'code': 'AMI', 'organ': 'Cardiovascular'},
                {'name': 'CHF, congestive heart failure', 'code': 'CHF', 'organ': 'Cardiovascular'},
                {'name': 'Bleeding, upper GI', 'code': 'UGIBLEED', 'organ': 'Gastrointestinal'}
            ]
            WHEN 'lungs' THEN [
                {'name': 'Pneumonia, bacterial', 'code': 'PNEUMBACT', 'organ': 'Respiratory'},
                {'name': 'Emphysema/bronchitis', 'code': 'EMPHYSBRON', 'organ': 'Respiratory'},
                {'name': 'Arrest, respiratory (without cardiac arrest)', 'code': 'RESPARREST', 'organ': 'Respiratory'}
            ]
            WHEN 'brain' THEN [
                {'name': 'CVA, cerebrovascular accident/stroke', 'code': 'CVASTROKE', 'organ': 'Neurologic'},
                {'name': 'Seizures (primary-no structural brain disease)', 'code': 'SEIZURES', 'organ': 'Neurologic'},
                {
                    'name': 'Overdose, sedatives, hypnotics, antipsychotics, benzodiazepines', 'code': 'ODSEDHYP',
                    'organ': 'Toxicology'
                }
            ]
            WHEN 'kidneys' THEN [
                {'name': 'Renal failure, acute', 'code': 'RENALOTHER', 'organ': 'Genitourinary'},
                {'name': 'Sepsis, renal/UTI (including bladder)', 'code': 'SEPSISUTI', 'organ': 'Cardiovascular'}
            ]
            ELSE [
                {'name': 'Diabetic ketoacidosis', 'code': 'DKA', 'organ': 'Metabolic/Endocrine'},
                {'name': 'Chest pain, unknown origin', 'code': 'UNSTANGINA', 'organ': 'Cardiovascular'},
                {
                    'name': 'Rhythm disturbance (atrial, supraventricular)', 'code': 'RHYTHATR',
                    'organ': 'Cardiovascular'
                },
                {'name': 'Bleeding, lower GI', 'code': 'LOWGIBLEED', 'organ': 'Gastrointestinal'}
            ]
        END AS choices
    FROM reason
)

SELECT
    stay_no,
    patientunitstayid,
    reason,
    unnest(one_of(stay_no, 'diagnosis', choices))
FROM diagnosed;

CREATE TABLE admissiondx AS
SELECT
    stay_no AS admissiondxid,
    patientunitstayid,
    CAST(round(uniform(stay_no, 'diagnosis entered', 3, 240)) AS BIGINT) AS admitdxenteredoffset,
    'admission diagnosis|All Diagnosis|' || CASE reason WHEN 'surgery' THEN 'Operative' ELSE 'Non-operative' END
    || '|Diagnosis|' || organ || '|' || name AS admitdxpath,
    name AS admitdxname,
    name AS admitdxtext
FROM admission_diagnosis;

CREATE TABLE diagnosis AS
WITH noted AS (
    SELECT
        stay_no,
        patientunitstayid,
        unnest(list_filter([
            CASE
                WHEN lungs >= 3 THEN {
                    'slot': 1, 'text': 'pulmonary|respiratory failure|acute respiratory failure',
                    'code': '518.81, J96.00'
                }
            END,
            CASE
                WHEN circulation >= 3 THEN {
                    'slot': 2, 'text': 'cardiovascular|shock / hypotension|septic shock', 'code': '785.52, R65.21'
                }
            END,
            CASE
                WHEN kidneys >= 2 THEN {
                    'slot': 3, 'text': 'renal|disorder of kidney|acute renal failure', 'code': '584.9, N17.9'
                }
            END,
            CASE
                WHEN brain >= 3 THEN {
                    'slot': 4, 'text': 'neurologic|altered mental status / pain|coma', 'code': '780.01, R40.20'
                }
            END,
            {'slot': 5, 'text': 'cardiovascular|vascular disorders|hypertension', 'code': '401.9, I10'}
        ], lambda entry: entry IS NOT NULL), recursive := true)
    FROM illness
)

SELECT
    stay_no * 10 + slot AS diagnosisid,
    patientunitstayid,
    CASE WHEN chance(hash(stay_no, slot), 'lasting') < 0.6 THEN 'True' ELSE 'False' END AS activeupondischarge,
    CAST(round(uniform(hash(stay_no, slot), 'noted', 5, 900)) AS BIGINT) AS diagnosisoffset,
    text AS diagnosisstring,
    code AS icd9code,
    CASE WHEN slot = min(slot) OVER (PARTITION BY stay_no) THEN 'Primary' ELSE 'Other' END AS diagnosispriority
FROM noted
WHERE slot < 5 OR chance(stay_no, 'hypertension') < 0.35;

CREATE TABLE treatment AS
WITH given AS (
    SELECT
        stay_no,
        patientunitstayid,
        minutes,
        unnest(list_filter([
            CASE
                WHEN intubated_at IS NOT NULL THEN {
                    'slot': 1, 'minute': greatest(5, intubated_at),
                    'text': 'pulmonary|ventilation and oxygenation|mechanical ventilation'
                }
            END,
            CASE
                WHEN circulation >= 3 THEN {
                    'slot': 2, 'minute': 90,
                    'text': 'cardiovascular|shock|vasopressors|norepinephrine > 0.1 micrograms/kg/min'
                }
            END,
            CASE
                WHEN inflamed THEN {
                    'slot': 3, 'minute': 60,
                    'text': 'infectious diseases|medications|therapeutic antibacterials|vancomycin'
                }
            END,
            CASE WHEN kidneys = 4 THEN {'slot': 4, 'minute': 600, 'text': 'renal|dialysis|C V V H D'} END
        ], lambda entry: entry IS NOT NULL), recursive := true)
    FROM illness
)

SELECT
    stay_no * 10 + slot AS treatmentid,
    patientunitstayid,
    minute + CAST(round(uniform(hash(stay_no, slot), 'treated', 0, 50)) AS BIGINT) AS treatmentoffset,
    text AS treatmentstring,
    CASE WHEN chance(hash(stay_no, slot), 'still treated') < 0.4 THEN 'True' ELSE 'False' END AS activeupondischarge
FROM given
WHERE minute < minutes;
