/** Another owner has taken the store. Nothing was stored. */
export const fencedOff = 'DR001';
/**
 * The group is not the next one: the server has lost a group that it had acknowledged, for example in a failover. Nothing was
 * stored.
 */
export const outOfTurn = 'DR002';
/** A record does not have the revision that the writer expects. Nothing was stored. */
export const changedBehind = 'DR003';

/**
 * The function that stores a group of writes. A call is one statement and one transaction, so a stalled client cannot keep its
 * locks.
 *
 * Each group has an id, and names the one before it. So a group that is sent again because its answer was lost is stored once,
 * and a late group is refused.
 *
 * Each row is a statement of its own: groups are small, and a join of the table with twenty arrays takes longer than some of them. An
 * array without values is null.
 *
 * The connection plans each statement once, because planning takes as long as the call. A plan from when the tables were small
 * would scan large tables later, so such plans are disabled. Their high cost would make the server compile each statement
 * (`jit`).
 *
 * The states of new records are the first ones, in the order of `created_number`.
 *
 * @returns by the function: false when the group had been stored before
 */
export const storeGroup = `
  DROP FUNCTION IF EXISTS {schema}.store_group;
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
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
  AS $function$
  DECLARE
    created_count integer := coalesce(cardinality(created_number), 0);
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

    IF deleted IS NOT NULL THEN
      DELETE FROM {schema}.records WHERE number = ANY (deleted);
      DELETE FROM {schema}.snapshots WHERE record = ANY (deleted);
      DELETE FROM {schema}.parts WHERE record = ANY (deleted);
      DELETE FROM {schema}.letters WHERE record = ANY (deleted);
      DELETE FROM {schema}.lines WHERE record = ANY (deleted);
    END IF;

    FOR i IN 1 .. created_count LOOP
      INSERT INTO {schema}.records (
        number, id, kind, contact, parent, definition, version, created_at,
        updated_at, status, ended, revision, timers, due_at, questions, queue, queued_at, owner, acted_at,
        last_letter, letter_count, last_part, part_count, journal_length, transcript_length, sum)
      VALUES (
        created_number[i], created_id[i], created_kind[i], created_contact[i], created_parent[i], created_definition[i],
        created_version[i], created_time[i], state_updated_at[i], state_status[i], state_ended[i], state_revision[i],
        state_timers[i], state_due_at[i], state_questions[i], state_queue[i], state_queued_at[i], state_owner[i],
        state_acted_at[i], state_last_letter[i], state_letter_count[i], state_last_part[i], state_part_count[i],
        state_journal_length[i], state_transcript_length[i], state_sum[i]);
    END LOOP;

    FOR i IN created_count + 1 .. coalesce(cardinality(state_number), 0) LOOP
      UPDATE {schema}.records SET
        updated_at = state_updated_at[i], status = state_status[i], ended = state_ended[i], revision = state_revision[i],
        timers = state_timers[i], due_at = state_due_at[i], questions = state_questions[i], queue = state_queue[i],
        queued_at = state_queued_at[i], owner = state_owner[i], acted_at = state_acted_at[i],
        last_letter = state_last_letter[i], letter_count = state_letter_count[i], last_part = state_last_part[i],
        part_count = state_part_count[i], journal_length = state_journal_length[i],
        transcript_length = state_transcript_length[i], sum = state_sum[i]
      WHERE number = state_number[i] AND revision = state_base[i];
      IF NOT FOUND THEN
        RAISE EXCEPTION 'A record was changed by another program.' USING ERRCODE = '${changedBehind}';
      END IF;
    END LOOP;

    FOR i IN 1 .. coalesce(cardinality(snapshot_record), 0) LOOP
      INSERT INTO {schema}.snapshots (record, sum, text) VALUES (snapshot_record[i], snapshot_sum[i], snapshot_text[i])
      ON CONFLICT (record) DO UPDATE SET sum = excluded.sum, text = excluded.text;
    END LOOP;

    FOR i IN 1 .. coalesce(cardinality(removed_part_record), 0) LOOP
      DELETE FROM {schema}.parts WHERE record = removed_part_record[i] AND place = removed_part_place[i];
    END LOOP;
    FOR i IN 1 .. coalesce(cardinality(part_record), 0) LOOP
      INSERT INTO {schema}.parts (record, place, key, sum, text)
      VALUES (part_record[i], part_place[i], part_key[i], part_sum[i], part_text[i])
      ON CONFLICT (record, place) DO UPDATE SET sum = excluded.sum, text = excluded.text;
    END LOOP;

    FOR i IN 1 .. coalesce(cardinality(removed_letter_record), 0) LOOP
      DELETE FROM {schema}.letters WHERE record = removed_letter_record[i] AND place = removed_letter_place[i];
    END LOOP;
    FOR i IN 1 .. coalesce(cardinality(letter_record), 0) LOOP
      INSERT INTO {schema}.letters (record, place, id, sum, text)
      VALUES (letter_record[i], letter_place[i], letter_id[i], letter_sum[i], letter_text[i]);
    END LOOP;

    FOR i IN 1 .. coalesce(cardinality(line_record), 0) LOOP
      INSERT INTO {schema}.lines (record, kind, first, position, count, sum, text)
      VALUES (line_record[i], line_kind[i], line_first[i], line_position[i], line_count[i], line_sum[i], line_text[i]);
    END LOOP;

    FOR i IN 1 .. coalesce(cardinality(damaged_number), 0) LOOP
      UPDATE {schema}.records SET damage = damaged_reason[i] WHERE number = damaged_number[i];
    END LOOP;
    RETURN true;
  END
  $function$;
`;
