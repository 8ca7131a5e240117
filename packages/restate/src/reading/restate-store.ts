import type { Json } from '@dramaturg/compiler';
import type { Store } from '@dramaturg/host';
import {
  badStoreRequest,
  checkedName,
  checkedPage,
  concurrently,
  isInstanceId,
  type ListPosition,
  matchesFilter,
  readPages,
  SoleOwnership,
  toCursor,
  unlessErased,
} from '@dramaturg/host/engine';
import {
  type Change,
  CheckedReader,
  type Committed,
  type CountFilter,
  type DamagedRecord,
  dueIn,
  type DueTimer,
  type LineRange,
  type NewRecord,
  type Page,
  type PageRequest,
  type RecordFilter,
  type RecordSummary,
  type StoredRecords,
  type StoreRecord,
  type Verification,
} from '@dramaturg/host/store';
import type { LineKind } from '../instance/state-layout.ts';
import type { ServiceNames } from '../names.ts';
import { summaryOf } from '../records/record-object.ts';
import { type Admin, quoted } from '../restate/admin.ts';
import { BeingWrittenError, type Ingress } from '../restate/ingress.ts';
import {
  allHeads,
  countQuery,
  headOfRow,
  type HeadRow,
  journalLengthsQuery,
  linesReadQuery,
  pageQuery,
  type RecordConditions,
  timersQuery,
} from './record-query.ts';

/** The approximate time to write a step, in milliseconds. */
const writePauseMs = 5;

export interface RestateStoreOptions {
  readonly ingress: Ingress;
  readonly admin: Admin;
  readonly names: ServiceNames;
}

/**
 * The records of a host in Restate, as a store. Each is a virtual object: an instance, or another record. Reads call the object
 * itself, so they include every earlier stored write. Lists query Restate with SQL.
 *
 * Only the objects of instances write instances. `create` and `commit` are for the other records, and for copies of instances
 * until they are complete.
 */
export class RestateStore extends CheckedReader implements Store {
  protected readonly records: RestateRecords;
  readonly #options: RestateStoreOptions;
  /** Any number of processes may work on the objects: Restate serializes them. */
  readonly ownership = new SoleOwnership();

  constructor(options: RestateStoreOptions) {
    super();
    this.#options = options;
    this.records = new RestateRecords(options);
  }

  async create(record: NewRecord): Promise<Committed> {
    return this.#call(record.id, isInstanceId(record.id) ? 'createCopy' : 'create', record);
  }

  async commit(change: Change): Promise<Committed> {
    return this.#call(change.id, isInstanceId(change.id) ? 'continueCopy' : 'commit', change);
  }

  /** Objects acknowledge their letters themselves. */
  async acknowledge(): Promise<undefined> {
    this.checkOpen();
    throw badStoreRequest('Only the object of an instance removes letters of its outbox.');
  }

  /** The number of journal lines of all complete instances, with one query. `updatedAt` is in milliseconds since 1970 UTC. */
  async journalLengths(): Promise<
    readonly { readonly id: string; readonly lines: number; readonly updatedAt: number }[]
  > {
    this.checkOpen();
    const { admin, names } = this.#options;
    return admin.query(journalLengthsQuery(names.instance));
  }

  /** The number of journal lines that a reader has read, for each instance that stores it. */
  async linesRead(reader: string): Promise<readonly (readonly [id: string, lines: number])[]> {
    this.checkOpen();
    const { admin, names } = this.#options;
    const rows = await admin.query<{ readonly id: string; readonly lines: string }>(
      linesReadQuery(names.instance, reader),
    );
    return rows.map(({ id, lines }) => [id, Number(lines)]);
  }

  async delete(id: string): Promise<boolean> {
    this.checkOpen();
    return this.#call(id, 'delete');
  }

  /** Restate checks its own files. */
  async damaged(): Promise<readonly DamagedRecord[]> {
    this.checkOpen();
    return [];
  }

  /** Reads every record with all its lines, and compares the number of lines with its head. */
  async verify(onProgress?: (done: number, all: number) => void): Promise<Verification> {
    this.checkOpen();
    const [row] = await this.#options.admin.query<{ readonly n: number }>(
      `select count(*) n from state where ${allHeads(this.records.services)}`,
    );
    const all = row?.n ?? 0;
    const damaged: DamagedRecord[] = [];
    let [records, lines] = [0, 0];
    for await (const page of readPages((request) => this.list({}, request)))
      for (const summary of page) {
        const found = await this.#countLines(summary);
        if (found < summary.journalLength + summary.transcriptLength)
          damaged.push({
            id: summary.id,
            reason: 'Some of its lines are missing.',
            where: 'Restate',
          });
        records += 1;
        lines += found;
        onProgress?.(records, Math.max(all, records));
      }
    return { records, lines, damaged };
  }

  /** The number of bytes of all state entries. The files of Restate also have its log, and take more. */
  async size(): Promise<number> {
    this.checkOpen();
    const names = Object.values(this.#options.names as unknown as Record<string, string>);
    const [{ bytes } = { bytes: 0 }] = await this.#options.admin.query<{ bytes: number | null }>(
      `select sum(octet_length(value_utf8)) bytes from state where service_name in (${names.map(quoted).join(', ')})`,
    );
    return bytes ?? 0;
  }

  /** Restate frees the space of deleted state by itself. */
  async compact(): Promise<undefined> {
    this.checkOpen();
  }

  async backup(): Promise<void> {
    this.checkOpen();
    throw badStoreRequest(
      'The host is on Restate, which backs itself up: configure snapshots of its partitions to an object store.',
    );
  }

  protected async closeNow(): Promise<void> {
    this.ownership.close();
  }

  #call<Value>(id: string, handler: string, parameter?: unknown): Promise<Value> {
    this.checkRecord(checkedName(id, 'id'));
    return this.records.call(id, handler, parameter);
  }

  async #countLines({ id, journalLength, transcriptLength }: RecordSummary): Promise<number> {
    let count = 0;
    for (const [kind, length] of [
      ['journal', journalLength],
      ['transcript', transcriptLength],
    ] as const)
      for (let from = 0; from < length; from += 500)
        count += (await this[kind](id, { from, limit: Math.min(500, length - from) })).length;
    return count;
  }
}

/** Reads the records in Restate. */
class RestateRecords implements StoredRecords {
  readonly #options: RestateStoreOptions;

  constructor(options: RestateStoreOptions) {
    this.#options = options;
  }

  get services(): readonly string[] {
    const { instance, record } = this.#options.names;
    return [instance, record];
  }

  call<Value>(id: string, handler: string, parameter: unknown = null): Promise<Value> {
    const { ingress, names } = this.#options;
    const service = isInstanceId(id) ? names.instance : names.record;
    return ingress.call({ service, key: id, handler }, parameter);
  }

  async record(id: string): Promise<StoreRecord | undefined> {
    for (;;) {
      try {
        return (await unlessErased(this.call<StoreRecord | null>(id, 'read'))) ?? undefined;
      } catch (error) {
        if (!(error instanceof BeingWrittenError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, writePauseMs));
      }
    }
  }

  /** Only instances have lines. */
  async lines(id: string, kind: LineKind, range: LineRange): Promise<Json[] | undefined> {
    if (!isInstanceId(id)) return (await this.record(id)) && [];
    return unlessErased(this.call(id, 'lines', { kind, range }));
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    const { kind, contact } = filter;
    const { ingress, names } = this.#options;
    const known =
      kind === 'instance' && contact !== undefined
        ? await instancesOfContact(checkedName(contact, 'contact'), ingress, names)
        : undefined;
    if (!known) return this.#page({ filter }, page);
    const { after, limit } = checkedPage(page);
    const position = positionIn(filter);
    const rest = known
      .filter(
        (each) => matchesFilter(each, filter) && (!after || compare(position(each), after) > 0),
      )
      .toSorted((one, other) => compare(position(one), position(other)));
    return pageOf(rest, limit, position);
  }

  async count(filter: CountFilter): Promise<number> {
    const { admin } = this.#options;
    const [found] = await admin.query<{ count: number }>(countQuery(this.services, filter));
    return found?.count ?? 0;
  }

  async due(before: number, limit: number): Promise<DueTimer[]> {
    return dueIn(await this.#rows(timersQuery(this.services)), before, limit);
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    const { items, next } = await this.#page({ filter: {}, hasLetters: true }, page);
    return { items: items.map(({ id }) => id), ...(next === undefined ? {} : { next }) };
  }

  /** Objects write independently of one another, so their writes have no common order. */
  feed(): never {
    throw badStoreRequest('Writes to different objects of Restate have no common order.');
  }

  async #page(conditions: RecordConditions, page: PageRequest): Promise<Page<RecordSummary>> {
    const { after, limit } = checkedPage(page);
    const rows = await this.#rows(
      pageQuery(this.services, conditions, { limit: limit + 1, ...(after && { after }) }),
    );
    return pageOf(rows, limit, positionIn(conditions.filter));
  }

  async #rows(query: string): Promise<readonly RecordSummary[]> {
    const rows = await this.#options.admin.query<HeadRow>(query);
    return rows.map((row) => summaryOf(headOfRow(row)));
  }
}

/** The first records of a list, with a cursor if there are more. */
function pageOf(
  records: readonly RecordSummary[],
  limit: number,
  position: (record: RecordSummary) => ListPosition,
): Page<RecordSummary> {
  const items = records.slice(0, limit);
  return { items, ...(records.length > limit ? { next: toCursor(position(items.at(-1)!)) } : {}) };
}

/** The position of a record in a list: in a queue, by the beginning of its wait. */
function positionIn({ queue }: RecordFilter): (record: RecordSummary) => ListPosition {
  if (queue === undefined) return (record) => record;
  return ({ id, createdAt, attention }) => ({ id, createdAt: attention?.since ?? createdAt });
}

/** The order of lists: by time of creation, then by id. */
function compare(one: ListPosition, other: ListPosition): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** Maximum number of a contact's instances that are read one by one. More are searched with SQL. */
const membersMax = 200;

/**
 * Lists the instances of a contact, unordered. Reads the objects of the contact and of its instances, so the cost does not depend
 * on the number of other instances.
 *
 * @returns undefined when the contact has too many of them
 */
async function instancesOfContact(
  contact: string,
  ingress: Ingress,
  names: ServiceNames,
): Promise<readonly RecordSummary[] | undefined> {
  const target = { service: names.contact, key: contact, handler: 'members' };
  const ids = await ingress.call<readonly string[]>(target, null);
  if (ids.length > membersMax) return undefined;
  const found: RecordSummary[] = [];
  await concurrently(ids, async (key) => {
    const own = { service: names.instance, key, handler: 'summary' };
    const summary = await ingress.call<RecordSummary | null>(own, null);
    if (summary) found.push(summary);
  });
  return found;
}
