/** Another owner has taken the store. Nothing was stored. */
export const fencedOff = 'DR001';
/** The group is not the next one: the server has lost one that it had answered, for example in a failover. Nothing was stored. */
export const outOfTurn = 'DR002';
/** A record is not at the revision at which the writer knows it. Nothing was stored. */
export const changedBehind = 'DR003';

/**
 * The function that stores a group of writes: one call, and so one statement and one transaction. A client that is stalled
 * cannot keep its locks.
 *
 * Each group has an id, and names the one before it. So a group that is sent again, because the answer was lost, is
 * stored once, and one that arrives late is refused.
 *
 * The connection makes a plan of each statement once; to make one for each call takes as long as the call. A plan that was made while the
 * tables were small must not read them as a whole later, so such plans are disabled. Their high cost would make the server compile each
 * statement (`jit`).
 *
 * The states of new records are the first ones, in the order of `created_number`.
 *
 * @returns by the function: false when the group had been stored before
 */
export const storeGroup = `
  CREATE FUNCTION {schema}.store_group(
    own_token bigint, own_claim uuid, previous_group uuid, this_group uuid, own_last_position bigint,
    deleted bigint[],
    created_number bigint[], created_id text[], created_kind text[], created_contact text[], created_parent text[],
    created_definition text[], created_version text[], created_time double precision[],
    state_number bigint[], state_base bigint[], state_updated_at double precision[], state_status text[],
    state_ended boolean[], state_revision bigint[], state_timers text[], state_due_at double precision[],
    state_questions bigint[], state_queue text[], state_queued_at double precision[], state_owner text[],
    state_acted_at double precision[], state_last_letter bigint[], state_letter_count bigint[], state_last_part bigint[],
    state_part_count bigint[], state_journal_length bigint[], state_transcript_length bigint[], state_sum bigint[],
    snapshot_record bigint[], snapshot_sum bigint[], snapshot_text text[],
    removed_part_record bigint[], removed_part_place bigint[],
    part_record bigint[], part_place bigint[], part_key text[], part_sum bigint[], part_text text[],
    removed_letter_record bigint[], removed_letter_place bigint[],
    letter_record bigint[], letter_place bigint[], letter_id text[], letter_sum bigint[], letter_text text[],
    line_record bigint[], line_kind text[], line_first bigint[], line_position bigint[], line_count bigint[],
    line_sum bigint[], line_text text[],
    damaged_number bigint[], damaged_reason text[]
  ) RETURNS boolean LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
  AS $function$
  DECLARE
    changed_count bigint;
  BEGIN
    PERFORM 1 FROM {schema}.fence WHERE token = own_token AND claim = own_claim FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'Another owner has taken the store.' USING ERRCODE = '${fencedOff}';
    END IF;
    UPDATE {schema}.progress SET latest_group = this_group, last_position = own_last_position
    WHERE latest_group = previous_group;
    IF NOT FOUND THEN
      PERFORM 1 FROM {schema}.progress WHERE latest_group = this_group;
      IF FOUND THEN RETURN false; END IF;
      RAISE EXCEPTION 'The group of writes is not the next one.' USING ERRCODE = '${outOfTurn}';
    END IF;

    IF cardinality(deleted) > 0 THEN
      DELETE FROM {schema}.records WHERE number = ANY (deleted);
      DELETE FROM {schema}.snapshots WHERE record = ANY (deleted);
      DELETE FROM {schema}.parts WHERE record = ANY (deleted);
      DELETE FROM {schema}.letters WHERE record = ANY (deleted);
      DELETE FROM {schema}.lines WHERE record = ANY (deleted);
    END IF;

    IF cardinality(created_number) > 0 THEN
      INSERT INTO {schema}.records (
        number, id, kind, contact, parent, definition, version, created_at,
        updated_at, status, ended, revision, timers, due_at, questions, queue, queued_at, owner, acted_at,
        last_letter, letter_count, last_part, part_count, journal_length, transcript_length, sum)
      SELECT * FROM unnest(
        created_number, created_id, created_kind, created_contact, created_parent, created_definition, created_version, created_time,
        state_updated_at, state_status, state_ended, state_revision, state_timers, state_due_at, state_questions, state_queue,
        state_queued_at, state_owner, state_acted_at, state_last_letter, state_letter_count, state_last_part, state_part_count,
        state_journal_length, state_transcript_length, state_sum)
      LIMIT cardinality(created_number);
    END IF;

    IF cardinality(state_number) > cardinality(created_number) THEN
      UPDATE {schema}.records r SET
        updated_at = s.updated_at, status = s.status, ended = s.ended, revision = s.revision, timers = s.timers,
        due_at = s.due_at, questions = s.questions, queue = s.queue, queued_at = s.queued_at, owner = s.owner,
        acted_at = s.acted_at, last_letter = s.last_letter, letter_count = s.letter_count,
        last_part = s.last_part, part_count = s.part_count, journal_length = s.journal_length,
        transcript_length = s.transcript_length, sum = s.sum
      FROM unnest(state_number, state_base, state_updated_at, state_status, state_ended, state_revision, state_timers,
          state_due_at, state_questions, state_queue, state_queued_at, state_owner, state_acted_at, state_last_letter,
          state_letter_count, state_last_part, state_part_count, state_journal_length, state_transcript_length, state_sum)
          AS s (number, base, updated_at, status, ended, revision, timers, due_at, questions, queue, queued_at, owner,
            acted_at, last_letter, letter_count, last_part, part_count, journal_length, transcript_length, sum)
      WHERE r.number = s.number AND r.revision = s.base;
      GET DIAGNOSTICS changed_count = ROW_COUNT;
      IF changed_count <> cardinality(state_number) - cardinality(created_number) THEN
        RAISE EXCEPTION 'A record was changed by another program.' USING ERRCODE = '${changedBehind}';
      END IF;
    END IF;

    IF cardinality(snapshot_record) > 0 THEN
      INSERT INTO {schema}.snapshots AS s (record, sum, text)
      SELECT * FROM unnest(snapshot_record, snapshot_sum, snapshot_text)
      ON CONFLICT (record) DO UPDATE SET sum = excluded.sum, text = excluded.text;
    END IF;

    IF cardinality(removed_part_record) > 0 THEN
      DELETE FROM {schema}.parts p USING unnest(removed_part_record, removed_part_place) AS r (record, place)
      WHERE p.record = r.record AND p.place = r.place;
    END IF;
    IF cardinality(part_record) > 0 THEN
      INSERT INTO {schema}.parts (record, place, key, sum, text)
      SELECT * FROM unnest(part_record, part_place, part_key, part_sum, part_text)
      ON CONFLICT (record, place) DO UPDATE SET sum = excluded.sum, text = excluded.text;
    END IF;

    IF cardinality(removed_letter_record) > 0 THEN
      DELETE FROM {schema}.letters l USING unnest(removed_letter_record, removed_letter_place) AS r (record, place)
      WHERE l.record = r.record AND l.place = r.place;
    END IF;
    IF cardinality(letter_record) > 0 THEN
      INSERT INTO {schema}.letters (record, place, id, sum, text)
      SELECT * FROM unnest(letter_record, letter_place, letter_id, letter_sum, letter_text);
    END IF;

    IF cardinality(line_record) > 0 THEN
      INSERT INTO {schema}.lines (record, kind, first, position, count, sum, text)
      SELECT * FROM unnest(line_record, line_kind, line_first, line_position, line_count, line_sum, line_text);
    END IF;

    IF cardinality(damaged_number) > 0 THEN
      UPDATE {schema}.records r SET damage = d.reason
      FROM unnest(damaged_number, damaged_reason) AS d (number, reason) WHERE r.number = d.number;
    END IF;
    RETURN true;
  END
  $function$;
`;
