import { checkedName, checkedTime } from './check.ts';
import type { Attention, RecordSummary } from './contract.ts';
import { badRequest } from './errors.ts';

/**
 * Checks the attention of a record. Absent fields stay absent.
 *
 * @throws `store/bad-request`
 */
export function checkedAttention({ queue, since, owner, actedAt }: Attention): Attention {
  if ((queue === undefined) !== (since === undefined))
    throw badRequest('A record in a queue has the time since when it waits, and no other has it.');
  return {
    ...(queue === undefined ? {} : { queue: checkedName(queue, 'queue') }),
    ...(since === undefined ? {} : { since: checkedTime(since, 'time of the queue') }),
    ...(owner === undefined ? {} : { owner: checkedName(owner, 'owner') }),
    ...(actedAt === undefined ? {} : { actedAt: checkedTime(actedAt, 'time of the last act') }),
  };
}

/** The field of a summary. It is absent when it would be empty. */
export function attentionField(attention: Attention | undefined): Pick<RecordSummary, 'attention'> {
  if (attention === undefined || Object.keys(attention).length === 0) return {};
  return { attention };
}

/** The attention as columns of a table: absent fields are null. */
export interface AttentionColumns {
  readonly queue: string | null;
  readonly queued_at: number | null;
  readonly owner: string | null;
  readonly acted_at: number | null;
}

export function attentionColumns({ queue, since, owner, actedAt }: Attention): AttentionColumns {
  return {
    queue: queue ?? null,
    queued_at: since ?? null,
    owner: owner ?? null,
    acted_at: actedAt ?? null,
  };
}

export function attentionIn(columns: AttentionColumns): Pick<RecordSummary, 'attention'> {
  const { queue, queued_at: since, owner, acted_at: actedAt } = columns;
  return attentionField({
    ...(queue === null ? {} : { queue }),
    ...(since === null ? {} : { since }),
    ...(owner === null ? {} : { owner }),
    ...(actedAt === null ? {} : { actedAt }),
  });
}

/** The part of a row's checksum for its attention; empty for a record without one. */
export function attentionSum(columns: AttentionColumns): string {
  const { queue, queued_at: since, owner, acted_at: actedAt } = columns;
  const values = [queue, since, owner, actedAt];
  return values.every((value) => value === null) ? '' : ` ${values.join(' ')}`;
}
