import { StoreError } from '@dramaturg/host';
import type { Database, Statements } from '../connection/database.ts';
import { leaseStatements } from '../lease/holder.ts';
import type { Lease } from '../lease/lease.ts';
import { storeGroup } from './store-group.ts';

/**
 * The tables of a store; docs/postgres.md describes them for people who query them. `{schema}` is the name of the schema.
 *
 * - JSON is stored as text, because `jsonb` refuses the character NUL and halves of surrogate pairs, and rewrites numbers.
 *   The function `readable` converts it to `jsonb` for queries.
 * - Names may be longer than an entry of a B-tree, so the indexes of names are hash indexes or have a hash.
 * - Each row has a checksum, `sum`, of its contents and its record. A person who changes a row sets its `sum` to `NULL`; the row
 *   is then accepted. A damaged record stays in its row with the reason in `damage`.
 * - `lines` has one row for the journal or transcript lines of one write: a JSON array, and the number of its first line.
 * - Free space in the pages of `records` and `snapshots` keeps an updated row on its page, so no index changes.
 */
const tables = `
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

/**
 * Views for people, report programs and psql; docs/postgres.md describes them. The store itself does not use them.
 *
 * `readable` replaces what `jsonb` refuses (the character NUL and halves of surrogate pairs) by U+FFFD. `moment` is NULL for
 * times that are not valid dates.
 */
const views = `
  CREATE FUNCTION {schema}.readable(json text) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
    SELECT regexp_replace(replace(json, '\\u0000', '\\ufffd'), '\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g')::jsonb
  $function$;

  CREATE FUNCTION {schema}.moment(ms double precision) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
    SELECT CASE WHEN ms BETWEEN -6e13 AND 9e15 THEN to_timestamp(ms / 1000) END
  $function$;

  CREATE FUNCTION {schema}.moment(ms jsonb) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
    SELECT CASE WHEN jsonb_typeof(ms) = 'number' THEN {schema}.moment(ms::double precision) END
  $function$;

  CREATE VIEW {schema}.instances AS
    SELECT id, definition, version, contact, status AS state, ended, since.since, {schema}.moment(created_at) AS started,
      {schema}.moment(updated_at) AS changed, {schema}.moment(due_at) AS next_timer, questions AS open_decisions,
      letter_count AS waiting_letters, transcript_length AS messages, parent, number
    FROM {schema}.records r LEFT JOIN LATERAL (
      SELECT {schema}.moment(event -> 'at') AS since
      FROM (
        SELECT text FROM {schema}.lines
        WHERE record = r.number AND kind = 'journal'
          AND text LIKE '%"source":"lifecycle","event":{"type":"state.entered"%'
        ORDER BY record DESC, kind DESC, first DESC LIMIT 1
      ) last, jsonb_array_elements({schema}.readable(last.text)) WITH ORDINALITY AS each (event, place)
      WHERE event ->> 'source' = 'lifecycle' AND event #>> '{event,type}' = 'state.entered'
      ORDER BY place DESC LIMIT 1
    ) since ON true
    WHERE r.kind = 'instance' AND damage IS NULL;

  CREATE VIEW {schema}.journal AS
    SELECT r.id AS instance, l.first + each.place - 1 AS line, {schema}.moment(each.event -> 'at') AS at,
      each.event ->> 'source' AS source, each.event #>> '{event,type}' AS type, each.event -> 'event' AS event
    FROM {schema}.records r
      JOIN {schema}.lines l ON l.record = r.number AND l.kind = 'journal',
      jsonb_array_elements({schema}.readable(l.text)) WITH ORDINALITY AS each (event, place)
    WHERE r.kind = 'instance';

  CREATE VIEW {schema}.transcript AS
    SELECT r.id AS instance, l.first + each.place - 1 AS line, {schema}.moment(each.message -> 'at') AS at,
      each.message ->> 'role' AS role, each.message ->> 'text' AS text
    FROM {schema}.records r
      JOIN {schema}.lines l ON l.record = r.number AND l.kind = 'transcript',
      jsonb_array_elements({schema}.readable(l.text)) WITH ORDINALITY AS each (message, place)
    WHERE r.kind = 'instance';

  CREATE VIEW {schema}.deliverables AS
    SELECT DISTINCT ON (r.number, found.event #>> '{event,deliverable}')
      r.id AS instance, r.definition, r.contact, found.event #>> '{event,deliverable}' AS deliverable,
      found.event #> '{event,value}' AS value, found.event #>> '{event,state}' AS state,
      {schema}.moment(found.event -> 'at') AS collected
    FROM {schema}.records r
      JOIN {schema}.lines l ON l.record = r.number AND l.kind = 'journal' AND l.text LIKE '%"deliverable.collected"%',
      jsonb_array_elements({schema}.readable(l.text)) WITH ORDINALITY AS found (event, place)
    WHERE r.kind = 'instance' AND found.event #>> '{event,type}' = 'deliverable.collected'
    ORDER BY r.number, found.event #>> '{event,deliverable}', l.first DESC, found.place DESC;

  CREATE VIEW {schema}.timers AS
    SELECT r.id AS instance, timer ->> 'key' AS timer, {schema}.moment(timer -> 'at') AS due
    FROM {schema}.records r, jsonb_array_elements({schema}.readable(r.timers)) AS timer
    WHERE r.due_at IS NOT NULL;
`;

/**
 * The columns of the feed: the order in which journal lines were committed. `position` counts the rows of journal lines of all
 * records; `count` is the number of lines in a row. Rows of transcripts have neither.
 *
 * Rows of an earlier version get positions record by record, because their order is not known.
 */
const feedColumns = `
  ALTER TABLE {schema}.lines ADD COLUMN position bigint, ADD COLUMN count bigint;
  UPDATE {schema}.lines l SET position = numbered.position, count = json_array_length(l.text::json)
  FROM (
    SELECT record, first, row_number() OVER (ORDER BY record, first) AS position
    FROM {schema}.lines WHERE kind = 'journal'
  ) numbered
  WHERE l.kind = 'journal' AND l.record = numbered.record AND l.first = numbered.first;
  CREATE UNIQUE INDEX lines_by_position ON {schema}.lines (position) WHERE position IS NOT NULL;

  ALTER TABLE {schema}.progress
    ADD COLUMN feed text NOT NULL DEFAULT gen_random_uuid()::text,
    ADD COLUMN last_position bigint NOT NULL DEFAULT 0;
  UPDATE {schema}.progress SET last_position = coalesce((SELECT max(position) FROM {schema}.lines), 0);

  DROP FUNCTION IF EXISTS {schema}.store_group;
`;

/**
 * The columns for lists of people's work: the queue of a record and since when, its owner, and the last act of a person.
 *
 * Instances of an earlier version get the queue of their state. Their checksums were made without it, so they are not compared
 * until the next write. Open instances have their own index, so that they are counted without reading their rows.
 */
const attentionColumns = `
  ALTER TABLE {schema}.records
    ADD COLUMN queue text, ADD COLUMN queued_at double precision, ADD COLUMN owner text, ADD COLUMN acted_at double precision;
  UPDATE {schema}.records SET queued_at = updated_at, sum = NULL, queue = CASE
      WHEN status = 'PAUSED' THEN 'paused'
      WHEN status = 'NEEDS_HUMAN_INTERVENTION' THEN 'needsPerson'
      ELSE 'decisions'
    END
  WHERE kind = 'instance' AND NOT ended AND (status IN ('PAUSED', 'NEEDS_HUMAN_INTERVENTION') OR questions > 0);
  CREATE INDEX records_by_queue ON {schema}.records (hashtextextended(queue, 0), queued_at, number) WHERE queue IS NOT NULL;
  CREATE INDEX records_by_owner ON {schema}.records (hashtextextended(owner, 0), created_at, number) WHERE owner IS NOT NULL;
  CREATE INDEX records_by_act ON {schema}.records (acted_at) WHERE acted_at IS NOT NULL;
  CREATE INDEX records_open_instances ON {schema}.records (number) WHERE NOT ended AND kind = 'instance';

  DROP FUNCTION IF EXISTS {schema}.store_group;
`;

/** A value that was withdrawn or renamed is not shown any more. */
const standingDeliverables = `
  CREATE OR REPLACE VIEW {schema}.deliverables AS
    SELECT instance, definition, contact, deliverable, value, state, collected FROM (
      SELECT DISTINCT ON (r.number, found.event #>> '{event,deliverable}')
        r.id AS instance, r.definition, r.contact, found.event #>> '{event,deliverable}' AS deliverable,
        found.event #> '{event,value}' AS value, found.event #>> '{event,state}' AS state,
        {schema}.moment(found.event -> 'at') AS collected, found.event #>> '{event,type}' AS type
      FROM {schema}.records r
        JOIN {schema}.lines l ON l.record = r.number AND l.kind = 'journal' AND l.text LIKE '%"deliverable.%',
        jsonb_array_elements({schema}.readable(l.text)) WITH ORDINALITY AS found (event, place)
      WHERE r.kind = 'instance'
        AND found.event #>> '{event,type}' IN ('deliverable.collected', 'deliverable.withdrawn')
      ORDER BY r.number, found.event #>> '{event,deliverable}', l.first DESC, found.place DESC
    ) newest
    WHERE type = 'deliverable.collected';
`;

/** The changes of each version to the one before it. A released version is never changed. */
const migrations: readonly string[] = [
  [tables, views].join('\n'),
  feedColumns,
  attentionColumns,
  storeGroup,
  standingDeliverables,
];

const newestVersion = migrations.length;

/**
 * Checks that the schema can become a store, or is one. Changes nothing.
 *
 * @throws `store/foreign`
 */
export async function checkMigration(database: Database): Promise<void> {
  await database.transaction('READ ONLY', async (statements) => {
    await requireUtf8(database, statements);
    await versionOf(database, statements);
  });
}

/**
 * Creates the tables, or brings them to the version of this release. Only the holder of the lease does it, so a standby of a
 * newer release does not change the tables of the active host.
 */
export async function migrate(database: Database, lease: Lease): Promise<void> {
  await database.transaction('', async (statements) => {
    const { run } = statements;
    const { text, values } = lease.fence;
    if ((await run(text, values)).length === 0) throw await lease.lose();
    const version = await versionOf(database, statements);
    if (version === newestVersion) return;
    if (version === undefined) await createVersions(statements);
    await migrateFrom(version ?? 0, statements);
  });
}

/** Creates all tables in a schema that has none of them. */
export async function createTables({ place }: Database, statements: Statements): Promise<void> {
  await statements.run(leaseStatements(place.schema).create);
  await createVersions(statements);
  await migrateFrom(0, statements);
}

async function migrateFrom(version: number, { run }: Statements): Promise<void> {
  for (let next = version; next < newestVersion; next += 1) {
    await run(migrations[next]!);
    await run('INSERT INTO {schema}.store_versions (version) VALUES ($1)', [next + 1]);
  }
}

/** @throws `store/foreign` when the schema is not a store of this version */
export async function requireStore(database: Database): Promise<void> {
  const version = await database.transaction('READ ONLY', (statements) =>
    versionOf(database, statements),
  );
  if (version === newestVersion) return;
  const { label } = database.place;
  throw new StoreError(
    'store/foreign',
    version === undefined
      ? `There is no store in ${label}. Check the name of the database and of the schema.`
      : `${label} is a store of version ${version}, and this release reads version ${newestVersion}. Open it for writing once, which brings it to this version.`,
  );
}

/**
 * @returns undefined when the schema is empty
 * @throws `store/foreign` when the schema has something else, or a store of a later version
 */
async function versionOf(
  { place: { schema, label } }: Database,
  { run }: Statements,
): Promise<number | undefined> {
  const found = await run<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = $1 AND relname IN ('store_versions', 'records', 'snapshots', 'parts', 'letters', 'lines', 'progress')`,
    [schema],
  );
  if (found.length === 0) return undefined;
  if (!found.some(({ name }) => name === 'store_versions')) {
    throw new StoreError(
      'store/foreign',
      `${label} is not a store, and has a table "${found[0]!.name}". Name another schema.`,
    );
  }
  const [{ version } = { version: 0 }] = await run<{ version: number }>(
    'SELECT max(version) AS version FROM {schema}.store_versions',
  );
  if (version <= newestVersion) return version;
  throw new StoreError(
    'store/foreign',
    `${label} is a store of version ${version}, and this release reads version ${newestVersion}. Use the release that made it, or a later one.`,
  );
}

async function createVersions({ run }: Statements): Promise<void> {
  await run(
    `CREATE TABLE {schema}.store_versions (
       version integer PRIMARY KEY,
       migrated_at timestamptz NOT NULL DEFAULT now()
     )`,
  );
}

async function requireUtf8({ place: { label } }: Database, { run }: Statements): Promise<void> {
  const [found] = await run<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  if (found?.encoding === 'UTF8') return;
  throw new StoreError(
    'store/foreign',
    `The database of ${label} has the encoding ${found?.encoding}. Create one with the encoding UTF8.`,
  );
}
