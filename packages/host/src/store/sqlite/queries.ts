import type { CountFilter, RecordFilter } from '../contract.ts';
import { recordColumns } from './rows.ts';

/**
 * A parameter of a statement. SQLite plans a statement again for each new value of a limit or a sort column, which takes ten
 * times as long as the search. A subquery hides the value, and the same indexes are used.
 */
export const parameter = '(SELECT ?)';

export const afterCursor = `(created_at, id) > (${parameter}, ${parameter})`;

export interface Query {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** The columns of indexes that begin with the value of a column. The first one that a filter has is used. */
const indexedColumns = ['queue', 'contact', 'parent', 'owner', 'status'];

/**
 * Chooses the index that finds the fewest records for a filter. `+` keeps SQLite from using another index. The parameters of the
 * cursor and of the limit follow the values.
 */
export function listQuery(filter: RecordFilter): Query {
  const { queue, contact, parent, owner, status, kind, ended, asks, actedSince, definition } =
    filter;
  const all: readonly (readonly [column: string, value: unknown])[] = [
    ['queue', queue],
    ['contact', contact],
    ['parent', parent],
    ['owner', owner],
    ['status', status],
    ['kind', kind],
    ['ended', ended === undefined ? undefined : Number(ended)],
    ['definition', definition?.name],
    ['version', definition?.version],
  ];
  const given = all.filter(([, value]) => value !== undefined);
  const names = given.map(([column]) => column);
  const [first = '', second] = names;
  // Records with open questions are few, so their index is enough.
  const isAsking = asks === true && !['queue', 'contact', 'parent'].includes(first);
  const indexed = isAsking
    ? 0
    : first === 'kind' && second === 'ended'
      ? 2
      : indexedColumns.includes(first)
        ? 1
        : 0;
  const conditions = names.map(
    (name, index) => `${index < indexed ? '' : '+'}${name} = ${parameter}`,
  );
  if (asks !== undefined) conditions.push(asks ? 'questions > 0' : 'questions = 0');
  const values = given.map(([, value]) => value);
  if (actedSince !== undefined) {
    conditions.push(`acted_at >= ${parameter}`);
    values.push(actedSince);
  }
  // Few records have recent acts, and a list by age would read all records.
  const index = actedSince !== undefined && first === 'kind' ? 'INDEXED BY records_by_act' : '';
  const time = queue === undefined ? 'created_at' : 'queued_at';
  const after = afterCursor.replace('created_at', time);
  const sql = `SELECT ${recordColumns} FROM records ${index}
    WHERE ${[...conditions, 'damage IS NULL', after].join(' AND ')}
    ORDER BY ${time}, id LIMIT ${parameter}`;
  return { sql, values };
}

/** Counts with an index alone: the index of records in progress is the smallest. */
export function countQuery(filter: CountFilter): Query {
  const { queue, kind, ended }: RecordFilter = filter;
  const given: [string, unknown][] = [];
  if (queue !== undefined) given.push(['queue', queue]);
  if (kind !== undefined) given.push(['kind', kind]);
  const conditions = given.map(([name]) => `${name} = ${parameter}`);
  if (ended !== undefined) conditions.push(ended ? 'ended = 1' : 'ended = 0');
  const index = ended === false ? 'INDEXED BY records_in_progress' : '';
  return {
    sql: `SELECT count(*) AS count FROM records ${index} WHERE ${conditions.join(' AND ') || 'true'}`,
    values: given.map(([, value]) => value),
  };
}
