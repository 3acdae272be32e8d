-- Chance: every draw is a hash of the seed, of what it belongs to and of its topic, so that it depends neither on the
-- number of threads nor on the order of rows, and a new draw does not shift the others.
-- Hashed twice, because DuckDB combines the hashes of several values so simply that draws of two topics would go
-- together.
-- Variables: seed, stays. Views are bound when they are read, once, which halves the time for a small ward.

CREATE MACRO chance(key, topic) AS (hash(hash(getvariable('seed'), key, topic)) >> 11) / 9007199254740992.0;

CREATE MACRO uniform(key, topic, low, high) AS low + (high - low) * chance(key, topic);

CREATE MACRO normal(key, topic, mean, deviation) AS
    mean + deviation * sqrt(-2 * ln(1 - chance(key, topic))) * cos(2 * pi() * chance(key, topic || ' angle'));

CREATE MACRO one_of(key, topic, choices) AS choices[1 + CAST(floor(chance(key, topic) * len(choices)) AS INTEGER)];

-- A number as charted: no decimal point when it is whole.
CREATE MACRO as_text(number) AS CASE
    WHEN number = trunc(number) THEN CAST(CAST(number AS BIGINT) AS VARCHAR)
    ELSE CAST(number AS VARCHAR)
END;

-- A value of a scoring level, from the level's lowest to its highest value; both ends are more frequent than in
-- patients, because they are where a derivation goes wrong.
CREATE MACRO level_value(key, topic, low, high, digits) AS round(
    CASE
        WHEN chance(key, topic || ' edge') < 0.07 THEN low
        WHEN chance(key, topic || ' edge') < 0.14 THEN high
        ELSE uniform(key, topic, low, high)
    END, digits
);

-- An organ's level from 0 (healthy) to 4 (failing), likelier high in the severely ill.
CREATE MACRO organ_level(key, topic, severity) AS list_sum([
    CAST(chance(key, topic) + 0.5 * (severity - 0.5) > bound AS INTEGER)
    FOR bound IN [0.50, 0.70, 0.84, 0.93]
]);
