/**
 * Views for people, programs of reports, and psql; docs/postgres.md describes them. The store itself does not use them.
 *
 * `readable` replaces what `jsonb` refuses (the character NUL and halves of surrogate pairs) by U+FFFD. `moment` is NULL for
 * times that are no dates.
 */
export const views = `
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
