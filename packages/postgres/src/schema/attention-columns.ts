/**
 * What lists of people's work need: the queue that a record is in and since when, who has taken it, and when a person acted on it
 * last.
 *
 * Instances of an earlier version get the queue of their state. Their checksums were made without it, so they are not compared
 * until the next write. The open instances have an index of their own, so that they are counted without reading their rows.
 */
export const attentionColumns = `
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
