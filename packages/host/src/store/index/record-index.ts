import { type ListPosition, toCursor } from '../check.ts';
import type {
  Attention,
  CountFilter,
  DefinitionVersion,
  DueTimer,
  Page,
  RecordFilter,
  RecordSummary,
  Timer,
} from '../contract.ts';
import type { Scheduler } from '../disk/system.ts';
import { copySummary, questionsField } from '../record-state.ts';
import { inSlices, sortedInSlices } from '../slices.ts';
import { attentionField } from '../attention.ts';

/** A timer with its record and its position in the list of the record. */
interface IndexedTimer extends DueTimer {
  readonly position: number;
}

/** The index of all records of a store, in memory. It answers lists and timers without reading a record. */
export class RecordIndex {
  readonly #entries = new Map<string, IndexEntry>();
  readonly #order = new SortedList<ListPosition>(byAge);
  /** Records with letters. */
  readonly #pending = new SortedList<ListPosition>(byAge);
  /** Records with open questions. */
  readonly #asking = new SortedList<ListPosition>(byAge);
  /** Records by their queue of people's work. */
  readonly #queues = new Queues();
  readonly #contacts = new Multimap<ListPosition>(byAge);
  readonly #parents = new Multimap<ListPosition>(byAge);
  readonly #timers = new SortedList<IndexedTimer>(byTime);
  readonly #interner = new Interner();

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** The number of records. */
  get size(): number {
    return this.#entries.size;
  }

  ids(): IterableIterator<string> {
    return this.#entries.keys();
  }

  get(id: string): { readonly summary: RecordSummary; readonly letters: boolean } | undefined {
    const entry = this.#entries.get(id);
    return entry && { summary: toSummary(entry), letters: entry.hasLetters };
  }

  originOf(id: string): Pick<IndexEntry, 'kind' | 'contact'> | undefined {
    return this.#entries.get(id);
  }

  /** Adds or updates a record. */
  put(summary: RecordSummary, letters: boolean): void {
    const known = this.#entries.get(summary.id);
    if (known === undefined) {
      const entry = createEntry(summary, letters, this.#interner);
      this.#addEntry(entry);
      for (const timer of timersOf(entry)) this.#timers.add(timer);
      return;
    }
    if (known.hasLetters && !letters) this.#pending.remove(known);
    if (letters && !known.hasLetters) this.#pending.add(known);
    const asks = (summary.questions ?? 0) > 0;
    if (known.questions > 0 && !asks) this.#asking.remove(known);
    if (asks && known.questions === 0) this.#asking.add(known);
    const sameTimers = known.timers === summary.timers;
    if (!sameTimers) for (const timer of timersOf(known)) this.#timers.remove(timer);
    this.#queues.remove(known);
    updateEntry(known, summary, letters, this.#interner);
    this.#queues.add(known);
    if (!sameTimers) for (const timer of timersOf(known)) this.#timers.add(timer);
  }

  /** Adds many new records. Other work gets its turn after each slice. */
  async putAll(
    records: Iterable<{ readonly summary: RecordSummary; readonly letters: boolean }>,
    scheduler: Pick<Scheduler, 'yield'>,
  ): Promise<void> {
    const entries: IndexEntry[] = [];
    const timers: IndexedTimer[] = [];
    await inSlices(records, scheduler, ({ summary, letters }) => {
      const entry = createEntry(summary, letters, this.#interner);
      entries.push(entry);
      timers.push(...timersOf(entry));
    });
    const sorted = await sortedInSlices(entries, byAge, scheduler);
    await inSlices(sorted, scheduler, (entry) => this.#addEntry(entry));
    const sortedTimers = await sortedInSlices(timers, byTime, scheduler);
    await inSlices(sortedTimers, scheduler, (timer) => this.#timers.add(timer));
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#order.remove(entry);
    this.#pending.remove(entry);
    this.#asking.remove(entry);
    this.#queues.remove(entry);
    this.#contacts.remove(entry.contact, entry);
    this.#parents.remove(entry.parent, entry);
    for (const timer of timersOf(entry)) this.#timers.remove(timer);
  }

  list(filter: RecordFilter, after: ListPosition | undefined, limit: number): Page<RecordSummary> {
    const isSelected = (entry: IndexEntry) => matchesFilter(entry, filter);
    const item = (entry: IndexEntry) => copySummary(toSummary(entry));
    const { queue } = filter;
    if (queue !== undefined)
      return pageOf(this.#queues.get(queue), after, limit, isSelected, item, entryOf);
    return pageOf(this.#candidates(filter), after, limit, isSelected, item);
  }

  count(filter: CountFilter): number {
    const { queue, ...rest }: RecordFilter = filter;
    if (queue !== undefined) return this.#queues.get(queue).length;
    let count = 0;
    for (const entry of this.#entries.values()) if (matchesFilter(entry, rest)) count += 1;
    return count;
  }

  pending(after: ListPosition | undefined, limit: number): Page<string> {
    return pageOf(
      this.#pending,
      after,
      limit,
      () => true,
      ({ id }) => id,
    );
  }

  due(before: number, limit: number): DueTimer[] {
    const due: DueTimer[] = [];
    for (let index = 0; index < this.#timers.length && due.length < limit; index += 1) {
      const { id, key, at } = this.#timers.at(index)!;
      if (at > before) break;
      due.push({ id, key, at });
    }
    return due;
  }

  /** Adds an entry to all lists, without its timers. */
  #addEntry(entry: IndexEntry): void {
    this.#entries.set(entry.id, entry);
    this.#order.add(entry);
    if (entry.hasLetters) this.#pending.add(entry);
    if (entry.questions > 0) this.#asking.add(entry);
    this.#queues.add(entry);
    this.#contacts.add(entry.contact, entry);
    this.#parents.add(entry.parent, entry);
  }

  /** The smallest list that contains every record that can match the filter. */
  #candidates({ contact, parent, asks }: RecordFilter): SortedList<ListPosition> {
    if (contact === undefined && parent === undefined) return asks ? this.#asking : this.#order;
    return contact === undefined ? this.#parents.get(parent!) : this.#contacts.get(contact);
  }
}

function pageOf<Item>(
  positions: SortedList<ListPosition>,
  after: ListPosition | undefined,
  limit: number,
  isSelected: (entry: IndexEntry) => boolean,
  item: (entry: IndexEntry) => Item,
  // The list contains only entries; a position is enough to search it.
  entryAt: (position: ListPosition) => IndexEntry = (position) => position as IndexEntry,
): Page<Item> {
  const items: Item[] = [];
  let last: ListPosition | undefined;
  for (let index = firstAfter(positions, after); index < positions.length; index += 1) {
    const position = positions.at(index)!;
    const entry = entryAt(position);
    if (!isSelected(entry)) continue;
    if (last !== undefined && items.length === limit) return { items, next: toCursor(last) };
    items.push(item(entry));
    last = position;
  }
  return { items };
}

function firstAfter(
  positions: SortedList<ListPosition>,
  position: ListPosition | undefined,
): number {
  if (position === undefined) return 0;
  const index = positions.firstFrom(position);
  const found = positions.at(index);
  return found !== undefined && byAge(found, position) === 0 ? index + 1 : index;
}

function timersOf({ id, timers }: IndexEntry): IndexedTimer[] {
  return timers.map(({ key, at }, position) => ({ id, key, at, position }));
}

function byTime(one: IndexedTimer, other: IndexedTimer): number {
  return one.at - other.at || compareTexts(one.id, other.id) || one.position - other.position;
}

/** A record in a queue. Its position is the time when it began to wait, instead of its creation. */
interface QueuedEntry extends ListPosition {
  readonly entry: IndexEntry;
}

/** The records of each queue of people's work, the longest waiting first. */
class Queues {
  readonly #queues = new Map<string, SortedList<ListPosition>>();

  get(queue: string): SortedList<ListPosition> {
    return this.#queues.get(queue) ?? new SortedList(byAge);
  }

  add(entry: IndexEntry): void {
    const { queue } = entry.attention;
    if (queue === undefined) return;
    const list = this.get(queue);
    list.add(queuedEntry(entry));
    this.#queues.set(queue, list);
  }

  /** Has to be called before the entry changes, because the entry is found by its present position. */
  remove(entry: IndexEntry): void {
    const { queue } = entry.attention;
    if (queue !== undefined) this.get(queue).remove(queuedEntry(entry));
  }
}

/** The entry at a position of a queue. */
function entryOf(position: ListPosition): IndexEntry {
  return (position as QueuedEntry).entry;
}

function queuedEntry(entry: IndexEntry): QueuedEntry {
  return { createdAt: entry.attention.since!, id: entry.id, entry };
}

function byAge(one: ListPosition, other: ListPosition): number {
  return one.createdAt - other.createdAt || compareTexts(one.id, other.id);
}

/** Compares strings by code units, which gives the same order on every machine. */
function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * A map from a string to one or more items, which are sorted. Most strings (a contact, a parent) have one item, which is stored
 * without a list.
 */
class Multimap<Item extends object> {
  readonly #compare: (one: Item, other: Item) => number;
  readonly #items = new Map<string, Item | SortedList<Item>>();

  /** @param compare compares two items; no two items of one string are equal */
  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get(text: string): SortedList<Item> {
    const found = this.#items.get(text);
    return found instanceof SortedList ? found : this.#listOf(found);
  }

  add(text: string | undefined, item: Item): void {
    if (text === undefined) return;
    const found = this.#items.get(text);
    if (found === undefined) {
      this.#items.set(text, item);
      return;
    }
    const list = found instanceof SortedList ? found : this.#listOf(found);
    list.add(item);
    this.#items.set(text, list);
  }

  remove(text: string | undefined, item: Item): void {
    if (text === undefined) return;
    const found = this.#items.get(text);
    if (found instanceof SortedList) found.remove(item);
    if (found === item || (found instanceof SortedList && found.length === 0))
      this.#items.delete(text);
  }

  #listOf(item: Item | undefined): SortedList<Item> {
    const list = new SortedList<Item>(this.#compare);
    if (item !== undefined) list.add(item);
    return list;
  }
}

/**
 * A sorted array. Inserting moves the later items, which takes a few microseconds for 100,000 items. A tree would need more
 * memory than the items.
 *
 * @template Item the items; no two items of a list are equal
 */
class SortedList<Item> {
  readonly #compare: (one: Item, other: Item) => number;
  readonly #items: Item[] = [];

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#items.length;
  }

  at(index: number): Item | undefined {
    return this.#items[index];
  }

  /** Adds an item. At the end, as when sorted items are added, nothing moves. */
  add(item: Item): void {
    const last = this.#items.at(-1);
    if (last === undefined || this.#compare(last, item) < 0) this.#items.push(item);
    else this.#items.splice(this.firstFrom(item), 0, item);
  }

  remove(item: Item): void {
    const index = this.firstFrom(item);
    const found = this.#items[index];
    if (found !== undefined && this.#compare(found, item) === 0) this.#items.splice(index, 1);
  }

  /** The index of the first item that does not sort before this one; the length if there is none. */
  firstFrom(item: Item): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.#items[middle]!, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * The index entry of a record. There may be 100,000 entries, so an entry is one flat object that is changed in place, and equal
 * values of many records are stored once.
 */
interface IndexEntry {
  readonly id: string;
  readonly kind: string;
  readonly contact: string | undefined;
  readonly parent: string | undefined;
  readonly definition: RecordSummary['definition'];
  readonly createdAt: number;
  status: string;
  ended: boolean;
  revision: number;
  updatedAt: number;
  timers: readonly Timer[];
  questions: number;
  attention: Attention;
  journalLength: number;
  transcriptLength: number;
  /** True when the outbox has a letter. */
  hasLetters: boolean;
}

function createEntry(summary: RecordSummary, letters: boolean, shared: Interner): IndexEntry {
  const { id, kind, contact, parent, definition, createdAt, timers } = summary;
  return {
    id,
    kind: shared.text(kind),
    contact,
    parent,
    definition: definition && shared.definition(definition),
    createdAt,
    status: shared.text(summary.status),
    ended: summary.ended,
    revision: summary.revision,
    updatedAt: summary.updatedAt,
    timers: timers.length === 0 ? noTimers : timers,
    questions: summary.questions ?? 0,
    attention: summary.attention ?? noAttention,
    journalLength: summary.journalLength,
    transcriptLength: summary.transcriptLength,
    hasLetters: letters,
  };
}

function updateEntry(
  entry: IndexEntry,
  summary: RecordSummary,
  letters: boolean,
  shared: Interner,
): void {
  entry.status = shared.text(summary.status);
  entry.ended = summary.ended;
  entry.revision = summary.revision;
  entry.updatedAt = summary.updatedAt;
  entry.timers = summary.timers.length === 0 ? noTimers : summary.timers;
  entry.questions = summary.questions ?? 0;
  entry.attention = summary.attention ?? noAttention;
  entry.journalLength = summary.journalLength;
  entry.transcriptLength = summary.transcriptLength;
  entry.hasLetters = letters;
}

function toSummary(entry: IndexEntry): RecordSummary {
  const { contact, parent, definition, questions, attention, hasLetters: _, ...rest } = entry;
  return {
    ...rest,
    ...questionsField(questions),
    ...attentionField(attention),
    ...(contact === undefined ? {} : { contact }),
    ...(parent === undefined ? {} : { parent }),
    ...(definition === undefined ? {} : { definition }),
  };
}

type FilteredField = Exclude<
  keyof RecordFilter | 'questions' | 'attention',
  'asks' | 'queue' | 'owner' | 'actedSince'
>;

/** Whether a filter selects a record. */
export function matchesFilter(
  record: { readonly [Field in FilteredField]?: RecordSummary[Field] | undefined },
  filter: RecordFilter,
): boolean {
  const { kind, contact, parent, status, ended, asks, queue, owner, actedSince, definition } =
    filter;
  const { questions = 0, attention = noAttention } = record;
  return (
    (kind === undefined || record.kind === kind) &&
    (contact === undefined || record.contact === contact) &&
    (parent === undefined || record.parent === parent) &&
    (status === undefined || record.status === status) &&
    (ended === undefined || record.ended === ended) &&
    (asks === undefined || questions > 0 === asks) &&
    (queue === undefined || attention.queue === queue) &&
    (owner === undefined || attention.owner === owner) &&
    (actedSince === undefined || (attention.actedAt ?? -Infinity) >= actedSince) &&
    (definition === undefined ||
      (record.definition?.name === definition.name &&
        (definition.version === undefined || record.definition.version === definition.version)))
  );
}

const noTimers: readonly Timer[] = [];
const noAttention: Attention = {};

/** The number of values that are shared. More values are data rather than words of a host, and not worth sharing. */
const valuesMax = 10_000;

/** Stores equal values once, so that 100,000 records share them. */
class Interner {
  readonly #texts = new Map<string, string>();
  readonly #definitions = new Map<string, DefinitionVersion>();

  text(text: string): string {
    return intern(this.#texts, text, text);
  }

  definition(definition: DefinitionVersion): DefinitionVersion {
    const { name, version } = definition;
    return intern(this.#definitions, JSON.stringify([name, version]), definition);
  }
}

function intern<Value>(known: Map<string, Value>, key: string, value: Value): Value {
  const first = known.get(key);
  if (first !== undefined) return first;
  if (known.size < valuesMax) known.set(key, value);
  return value;
}
