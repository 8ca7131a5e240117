/**
 * The tables of a store; docs/postgres.md describes them for people who query them. `{schema}` is the name of the schema.
 *
 * - JSON is stored as text, because `jsonb` refuses the character NUL, halves of surrogate pairs, and rewrites numbers.
 *   The function `readable` makes `jsonb` of it for queries.
 * - Names may be longer than an entry of a B-tree, so the indexes of names are hash indexes or have a hash.
 * - Each row has a checksum, `sum`, of all that it says and of the record that it belongs to. A person who changes a row sets
 *   its `sum` to `NULL`; the row is then accepted. A damaged record stays in its row with the reason in `damage`.
 * - `lines` has one row for the journal or transcript lines of one write: a JSON array, and the number of its first line.
 * - Free space in the pages of `records` and `snapshots` keeps an updated row on its page, so no index changes.
 */
export const tables = `
  CREATE TABLE {schema}.records (
    number bigint PRIMARY KEY,
    id text NOT NULL,
    kind text NOT NULL,
    contact text,
    parent text,
    definition text,
    version text,
    created_at double precision NOT NULL,
    updated_at double precision NOT NULL,
    status text NOT NULL,
    ended boolean NOT NULL,
    revision bigint NOT NULL,
    timers text NOT NULL,
    due_at double precision,
    questions bigint NOT NULL,
    last_letter bigint NOT NULL,
    letter_count bigint NOT NULL,
    last_part bigint NOT NULL,
    part_count bigint NOT NULL,
    journal_length bigint NOT NULL,
    transcript_length bigint NOT NULL,
    damage text,
    sum bigint,
    EXCLUDE USING hash (id WITH =)
  ) WITH (fillfactor = 70);
  CREATE INDEX records_by_age ON {schema}.records (created_at, number);
  CREATE INDEX records_in_progress ON {schema}.records (created_at, number) WHERE NOT ended;
  CREATE INDEX records_by_kind ON {schema}.records
    (hashtextextended(kind, 0), ended, created_at, number);
  CREATE INDEX records_by_contact ON {schema}.records USING hash (contact);
  CREATE INDEX records_by_parent ON {schema}.records
    (hashtextextended(parent, 0), created_at, number) WHERE parent IS NOT NULL;
  CREATE INDEX records_by_definition ON {schema}.records
    (hashtextextended(definition, 0), hashtextextended(version, 0), ended, created_at, number)
    WHERE definition IS NOT NULL;
  CREATE INDEX records_by_due ON {schema}.records (due_at, number) WHERE due_at IS NOT NULL;
  CREATE INDEX records_with_questions ON {schema}.records (created_at, number) WHERE questions > 0;
  CREATE INDEX records_with_damage ON {schema}.records (number) WHERE damage IS NOT NULL;

  CREATE TABLE {schema}.snapshots (
    record bigint PRIMARY KEY,
    sum bigint,
    text text NOT NULL
  ) WITH (fillfactor = 50, toast_tuple_target = 8160);

  CREATE TABLE {schema}.parts (
    record bigint NOT NULL,
    place bigint NOT NULL,
    key text NOT NULL,
    sum bigint,
    text text NOT NULL,
    PRIMARY KEY (record, place)
  );

  CREATE TABLE {schema}.letters (
    record bigint NOT NULL,
    place bigint NOT NULL,
    id text NOT NULL,
    sum bigint,
    text text NOT NULL,
    PRIMARY KEY (record, place)
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

  CREATE TABLE {schema}.lines (
    record bigint NOT NULL,
    kind text NOT NULL,
    first bigint NOT NULL,
    sum bigint,
    text text NOT NULL,
    PRIMARY KEY (record, kind, first)
  );

  CREATE TABLE {schema}.progress (
    latest_group uuid NOT NULL
  );
  INSERT INTO {schema}.progress VALUES (gen_random_uuid());
`;
