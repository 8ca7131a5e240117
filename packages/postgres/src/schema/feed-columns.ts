/**
 * What the feed needs: the order in which journal lines were committed. `position` counts the rows of journal lines of all records;
 * `count` is the number of lines in a row. Rows of transcripts have neither.
 *
 * Rows of an earlier version get positions record by record, because their order is not known.
 */
export const feedColumns = `
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
