import type { Json } from '@dramaturg/compiler';
import type { Store } from '@dramaturg/host';
import {
  badStoreRequest,
  checkedBefore,
  checkedLimit,
  checkedName,
  checkedPage,
  checkedRange,
  isInstanceId,
  isUnknownInstance,
  type ListPosition,
  SoleOwnership,
  storeClosed,
  toCursor,
  unknownRecord,
} from '@dramaturg/host/engine';
import type {
  Change,
  Committed,
  CountFilter,
  DamagedRecord,
  DueTimer,
  FeedPage,
  LineRange,
  NewRecord,
  Page,
  PageRequest,
  RecordFilter,
  RecordSummary,
  StoreRecord,
  Verification,
} from '@dramaturg/host/store';
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
export class RestateStore implements Store {
  readonly #options: RestateStoreOptions;
  /** Any number of processes may work on the objects: Restate serializes them. */
  readonly ownership = new SoleOwnership();
  #isClosed = false;

  constructor(options: RestateStoreOptions) {
    this.#options = options;
  }

  async create(record: NewRecord): Promise<Committed> {
    return this.#call(record.id, isInstanceId(record.id) ? 'createCopy' : 'create', record);
  }

  async commit(change: Change): Promise<Committed> {
    return this.#call(change.id, isInstanceId(change.id) ? 'continueCopy' : 'commit', change);
  }

  /** Objects acknowledge their letters themselves. */
  async acknowledge(): Promise<undefined> {
    this.#requireOpen();
    throw badStoreRequest('Only the object of an instance removes letters of its outbox.');
  }

  async read(id: string): Promise<StoreRecord | undefined> {
    this.#requireOpen();
    checkedName(id, 'id');
    for (;;) {
      try {
        return (await this.#call<StoreRecord | null>(id, 'read')) ?? undefined;
      } catch (error) {
        if (isUnknownInstance(error)) return undefined;
        if (!(error instanceof BeingWrittenError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, writePauseMs));
      }
    }
  }

  async list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    this.#requireOpen();
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
      .filter((each) => matches(each, filter) && (!after || compare(position(each), after) > 0))
      .toSorted((one, other) => compare(position(one), position(other)));
    return pageOf(rest, limit, position);
  }

  async count(filter: CountFilter): Promise<number> {
    this.#requireOpen();
    const { admin } = this.#options;
    const [found] = await admin.query<{ count: number }>(countQuery(this.#services, filter));
    return found?.count ?? 0;
  }

  /** The number of journal lines of all complete instances, with one query. `updatedAt` is in milliseconds since 1970 UTC. */
  async journalLengths(): Promise<
    readonly { readonly id: string; readonly lines: number; readonly updatedAt: number }[]
  > {
    this.#requireOpen();
    const { admin, names } = this.#options;
    return admin.query(journalLengthsQuery(names.instance));
  }

  /** The number of journal lines that a reader has read, for each instance that stores it. */
  async linesRead(reader: string): Promise<readonly (readonly [id: string, lines: number])[]> {
    this.#requireOpen();
    const { admin, names } = this.#options;
    const rows = await admin.query<{ readonly id: string; readonly lines: string }>(
      linesReadQuery(names.instance, reader),
    );
    return rows.map(({ id, lines }) => [id, Number(lines)]);
  }

  async due(before: number, limit: number): Promise<readonly DueTimer[]> {
    this.#requireOpen();
    const latest = checkedBefore(before);
    const count = checkedLimit(limit);
    const rows = await this.#rows(timersQuery(this.#services));
    return rows
      .flatMap(({ id, timers }) => timers.map((timer) => ({ id, ...timer })))
      .filter(({ at }) => at <= latest)
      .toSorted((one, other) => one.at - other.at)
      .slice(0, count);
  }

  async pending(page: PageRequest): Promise<Page<string>> {
    this.#requireOpen();
    const { items, next } = await this.#page({ filter: {}, hasLetters: true }, page);
    return { items: items.map(({ id }) => id), ...(next === undefined ? {} : { next }) };
  }

  journal(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'journal', range);
  }

  transcript(id: string, range: LineRange): Promise<readonly Json[]> {
    return this.#lines(id, 'transcript', range);
  }

  /** Objects write independently of one another, so their writes have no common order. */
  async feed(): Promise<FeedPage> {
    this.#requireOpen();
    throw badStoreRequest('Writes to different objects of Restate have no common order.');
  }

  async delete(id: string): Promise<boolean> {
    this.#requireOpen();
    return this.#call(id, 'delete');
  }

  /** Restate checks its own files. */
  async damaged(): Promise<readonly DamagedRecord[]> {
    this.#requireOpen();
    return [];
  }

  /** Reads every record with all its lines, and compares the number of lines with its head. */
  async verify(onProgress?: (done: number, all: number) => void): Promise<Verification> {
    this.#requireOpen();
    const [row] = await this.#options.admin.query<{ readonly n: number }>(
      `select count(*) n from state where ${allHeads(this.#services)}`,
    );
    const all = row?.n ?? 0;
    const damaged: DamagedRecord[] = [];
    let [records, lines] = [0, 0];
    for (let next: string | undefined; ;) {
      const page = await this.list(
        {},
        { limit: 500, ...(next === undefined ? {} : { after: next }) },
      );
      for (const summary of page.items) {
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
      if (page.next === undefined) return { records, lines, damaged };
      next = page.next;
    }
  }

  /** The number of bytes of all state entries. The files of Restate also have its log, and take more. */
  async size(): Promise<number> {
    this.#requireOpen();
    const names = Object.values(this.#options.names as unknown as Record<string, string>);
    const [{ bytes } = { bytes: 0 }] = await this.#options.admin.query<{ bytes: number | null }>(
      `select sum(octet_length(value_utf8)) bytes from state where service_name in (${names.map(quoted).join(', ')})`,
    );
    return bytes ?? 0;
  }

  /** Restate frees the space of deleted state by itself. */
  async compact(): Promise<undefined> {
    this.#requireOpen();
  }

  async backup(): Promise<void> {
    this.#requireOpen();
    throw badStoreRequest(
      'The host is on Restate, which backs itself up: configure snapshots of its partitions to an object store.',
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.ownership.close();
  }

  get #services(): readonly string[] {
    const { instance, record } = this.#options.names;
    return [instance, record];
  }

  async #call<Value>(id: string, handler: string, parameter: unknown = null): Promise<Value> {
    this.#requireOpen();
    const { ingress, names } = this.#options;
    const service = isInstanceId(id) ? names.instance : names.record;
    return ingress.call({ service, key: checkedName(id, 'id'), handler }, parameter);
  }

  async #page(conditions: RecordConditions, page: PageRequest): Promise<Page<RecordSummary>> {
    const { after, limit } = checkedPage(page);
    const rows = await this.#rows(
      pageQuery(this.#services, conditions, { limit: limit + 1, ...(after && { after }) }),
    );
    return pageOf(rows, limit, positionIn(conditions.filter));
  }

  async #rows(query: string): Promise<readonly RecordSummary[]> {
    const rows = await this.#options.admin.query<HeadRow>(query);
    return rows.map((row) => summaryOf(headOfRow(row)));
  }

  async #lines(
    id: string,
    kind: 'journal' | 'transcript',
    range: LineRange,
  ): Promise<readonly Json[]> {
    this.#requireOpen();
    checkedRange(range);
    if (!isInstanceId(checkedName(id, 'id'))) {
      if (await this.read(id)) return [];
      throw unknownRecord(id);
    }
    try {
      return await this.#call(id, 'lines', { kind, range });
    } catch (error) {
      if (isUnknownInstance(error)) throw unknownRecord(id);
      throw error;
    }
  }

  async #countLines({ id, journalLength, transcriptLength }: RecordSummary): Promise<number> {
    let count = 0;
    for (const [kind, length] of [
      ['journal', journalLength],
      ['transcript', transcriptLength],
    ] as const)
      for (let from = 0; from < length; from += 500)
        count += (await this.#lines(id, kind, { from, limit: Math.min(500, length - from) }))
          .length;
    return count;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw storeClosed();
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

/** Number of instances that are read in parallel. */
const askedAtOnce = 16;

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
  for (let from = 0; from < ids.length; from += askedAtOnce) {
    const asked = ids
      .slice(from, from + askedAtOnce)
      .map((key) =>
        ingress.call<RecordSummary | null>(
          { service: names.instance, key, handler: 'summary' },
          null,
        ),
      );
    for (const summary of await Promise.all(asked)) if (summary) found.push(summary);
  }
  return found;
}

function matches(
  {
    kind,
    contact,
    parent,
    status,
    ended,
    questions = 0,
    attention = {},
    definition,
  }: RecordSummary,
  filter: RecordFilter,
): boolean {
  const { name, version } = filter.definition ?? {};
  const pairs = [
    [filter.kind, kind],
    [filter.contact, contact],
    [filter.parent, parent],
    [filter.status, status],
    [filter.ended, ended],
    [filter.asks, questions > 0],
    [filter.queue, attention.queue],
    [filter.owner, attention.owner],
    [name, definition?.name],
    [version, definition?.version],
  ];
  const { actedSince = -Infinity } = filter;
  if ((attention.actedAt ?? -Infinity) < actedSince) return false;
  return pairs.every(([wanted, found]) => wanted === undefined || wanted === found);
}
