import type { RecordFilter } from '@dramaturg/host/store';
import { forkingStatus, type ListPosition } from '@dramaturg/host/engine';
import { headKey, type RecordHead } from '../records/record-object.ts';
import { readerKey } from '../instance/state-layout.ts';
import { quoted } from '../restate/admin.ts';

export interface RecordConditions {
  readonly filter: RecordFilter;
  /** Whether the outbox has a letter. */
  readonly hasLetters?: boolean;
}

/**
 * The query for records, oldest first. Heads are JSON. Restate compares all their fields, so it returns only the records of the
 * page.
 */
export function pageQuery(
  services: readonly string[],
  conditions: RecordConditions,
  { after, limit }: { readonly after?: ListPosition; readonly limit: number },
): string {
  const all = [allHeads(services), ...conditionsOf(conditions)];
  const time = conditions.filter.queue === undefined ? createdAt : queuedAt;
  if (after) {
    const { id } = after;
    const at = `cast(${after.createdAt} as double)`;
    all.push(`(${time} > ${at} or (${time} = ${at} and ${ofOrigin('id')} > ${quoted(id)}))`);
  }
  return `select ${headColumns} from state where ${all.join(' and ')} order by ${time}, ${ofOrigin('id')} limit ${limit}`;
}

/** The query for the number of records. */
export function countQuery(services: readonly string[], filter: RecordFilter): string {
  const all = [allHeads(services), ...conditionsOf({ filter })];
  return `select count(*) as "count" from state where ${all.join(' and ')}`;
}

/** The query for all records that have timers. */
export function timersQuery(services: readonly string[]): string {
  return `select ${headColumns} from state where ${allHeads(services)} and json_length(value_utf8, 'timers') > 0`;
}

/** The fields of a head that lists return, as JSON. The snapshot and the lines stay in Restate. */
const headColumns = [
  ...['origin', 'status', 'ended', 'revision', 'updatedAt', 'timers', 'questions', 'attention'].map(
    (field) => `json_get_json(value_utf8, '${field}') as "${field}"`,
  ),
  ...['journal', 'transcript'].map(
    (kind) => `json_get_json(value_utf8, '${kind}', 'lines') as "${kind}"`,
  ),
].join(', ');

export type HeadRow = Readonly<Record<string, string | null>>;

/** Reads the head from a row of a query for records. */
export function headOfRow(row: HeadRow): RecordHead {
  const fields = Object.entries(row).map(([field, json]) => [
    field,
    json === null ? undefined : (JSON.parse(json) as unknown),
  ]);
  const { journal, transcript, ...head } = Object.fromEntries(fields);
  return {
    ...head,
    ...(journal === undefined ? {} : { journal: { lines: journal } }),
    ...(transcript === undefined ? {} : { transcript: { lines: transcript } }),
  };
}

/** The query for an instance with a call or a message whose outcome Restate has not delivered yet. */
export function openWorkQuery(service: string): string {
  return `select service_key as id from state where ${allHeads([service])} and json_length(value_utf8, 'work') > 0 limit 1`;
}

/** The query for the lengths of the journals of all complete instances. */
export function journalLengthsQuery(service: string): string {
  const lines = `json_get_int(value_utf8, 'journal', 'lines')`;
  const updatedAt = `coalesce(json_get_float(value_utf8, 'updatedAt'), cast(json_get_int(value_utf8, 'updatedAt') as double))`;
  const isComplete = `value_utf8->>'status' <> ${quoted(forkingStatus)}`;
  return `select service_key as id, ${lines} as lines, ${updatedAt} as "updatedAt" from state where ${allHeads([service])} and ${isComplete}`;
}

/** The query for the number of journal lines that a reader has read of each instance. */
export function linesReadQuery(service: string, reader: string): string {
  return `select service_key as id, value_utf8 as lines from state where service_name = ${quoted(service)} and key = ${quoted(readerKey(reader))}`;
}

/** The condition that selects the heads of all records of some services. */
export function allHeads(services: readonly string[]): string {
  return `key = ${quoted(headKey)} and service_name in (${services.map(quoted).join(', ')})`;
}

function* conditionsOf({ filter, hasLetters }: RecordConditions): Iterable<string> {
  const { kind, contact, parent, status, ended, asks, queue, owner, actedSince, definition } =
    filter;
  if (kind !== undefined) yield `${ofOrigin('kind')} = ${quoted(kind)}`;
  if (contact !== undefined) yield `${ofOrigin('contact')} = ${quoted(contact)}`;
  if (parent !== undefined) yield `${ofOrigin('parent')} = ${quoted(parent)}`;
  if (status !== undefined) yield `value_utf8->>'status' = ${quoted(status)}`;
  if (ended !== undefined) yield `value_utf8->>'ended' = '${ended}'`;
  if (asks !== undefined) yield `value_utf8->>'questions' ${asks ? '<>' : '='} '0'`;
  if (queue !== undefined) yield `${ofAttention('queue')} = ${quoted(queue)}`;
  if (owner !== undefined) yield `${ofAttention('owner')} = ${quoted(owner)}`;
  if (actedSince !== undefined)
    yield `${numberAt("'attention', 'actedAt'")} >= cast(${actedSince} as double)`;
  if (hasLetters) yield `json_length(value_utf8, 'outbox') > 0`;
  if (definition === undefined) return;
  yield `${ofDefinition('name')} = ${quoted(definition.name)}`;
  if (definition.version !== undefined)
    yield `${ofDefinition('version')} = ${quoted(definition.version)}`;
}

function ofOrigin(name: string): string {
  return `json_get_str(value_utf8, 'origin', '${name}')`;
}

function ofDefinition(name: string): string {
  return `json_get_str(value_utf8, 'origin', 'definition', '${name}')`;
}

function ofAttention(name: string): string {
  return `json_get_str(value_utf8, 'attention', '${name}')`;
}

/** Reads a number, which is stored as an integer or with a fraction. */
function numberAt(path: string): string {
  return `coalesce(json_get_float(value_utf8, ${path}), cast(json_get_int(value_utf8, ${path}) as double))`;
}

const createdAt = numberAt("'origin', 'createdAt'");
const queuedAt = numberAt("'attention', 'since'");
