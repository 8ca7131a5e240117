import { type Chart, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { WrittenContact } from '../contact.ts';
import { AttachmentFiles } from '../attachments/attachment-files.ts';
import type { AttachmentOptions } from '../attachments/attachment-files.ts';
import type { Behaviours } from '../definitions/behaviours.ts';
import type { Definition, DefinitionSource } from '../definitions/definition.ts';
import { type LoadedDefinition, storedDefinition } from '../definitions/library.ts';
import { badRequest, HostError, unknownInstance } from '../errors.ts';
import { exportContact } from '../export/contact-export.ts';
import type { ReportedDelivery } from '../instance/delivery-reports.ts';
import type { TranscriptLine } from '../instance/event.ts';
import { readJournal } from '../instance/journal-lines.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import { flowDefinitionOf } from '../instance/state.ts';
import type { MemoryOwner } from '../memory/memory-owner.ts';
import { assessInstances, type InstanceAssessment } from '../migration/assess-instances.ts';
import type { MigrationMap } from '../migration/migration.ts';
import { checkedRange } from '../store/check.ts';
import type {
  DamagedRecord,
  DefinitionVersion,
  LineRange,
  Page,
  PageRequest,
  RecordFilter,
  RecordSummary,
  Store,
  StoreReader,
  StoreRecord,
} from '../store/contract.ts';
import { readLines } from '../store/pages.ts';
import { type Act, type ActFilter, listActs } from './acts.ts';
import { type CheckpointSummary, listCheckpoints } from './checkpoints.ts';
import {
  type DecisionFilter,
  decisionNames,
  type DecisionSummary,
  fateOf,
  listDecisions,
  openDecision,
} from './decisions.ts';
import { DefinitionReader } from './definition-reader.ts';
import { countQueues, ownerOf, type QueueCounts } from './desk.ts';
import { type InboxFilter, type InboxItem, listInbox } from './inbox.ts';
import type { InstanceFilter } from './instance-filter.ts';
import { type ItemFilter, type ItemSummary, readItems } from './items.ts';
import { requireMap } from './migrating.ts';
import { readProgress } from './read-progress.ts';
import { isInstanceId, serviceId, writeHostRecord } from './record-ids.ts';
import { type Channels, requireContact, requireObject, withContact } from './request.ts';
import type { InstanceStanding } from './standing.ts';
import { findStuck, type HostVerification } from './stuck.ts';
import {
  type InstanceSummary,
  type InstanceView,
  openDecisionsOf,
  summaryOf,
  viewOf,
} from './view.ts';

/** The charts of an instance, in the versions that it is pinned to. */
export interface Charts {
  readonly lifecycle: StoredChart;
  /** Absent when the instance is a lifecycle only. */
  readonly flow?: StoredChart;
  /** All versions of the flow that the instance has run, each once, the first one first; absent unless it was migrated. */
  readonly versions?: readonly StoredChart[];
}

export interface StoredChart {
  readonly ref: DefinitionVersion;
  readonly chart: Chart;
  /** The source of the chart, if the host was given it. */
  readonly source?: DefinitionSource;
}

/** The options of a reader of a store. */
export interface ReadOptions {
  /** Behaviours by format. Without the behaviour of a format, `get` does not return the tokens and the place of a failure. */
  readonly behaviours?: Behaviours | undefined;
  /** Reads the memories of instances, for an export. */
  readonly memoriesOf?: MemoryOwner['memoriesOf'] | undefined;
  /** The place of files that people have sent, to read and export them. */
  readonly attachments?: Pick<AttachmentOptions, 'place'> | undefined;
  /** Channels by the names that requests use. They define how contacts are written, and send nothing. */
  readonly channels?: Channels | undefined;
}

/** Reads the instances in a store. */
export class InstanceReader {
  protected readonly store: StoreReader;
  protected readonly channels: Channels;
  protected readonly now: () => number;
  protected readonly files: AttachmentFiles | undefined;

  readonly #definitions: DefinitionReader;
  readonly #behaviours: Behaviours;
  readonly #memoriesOf: MemoryOwner['memoriesOf'] | undefined;

  /** @param now milliseconds since 1970 UTC */
  constructor(
    store: StoreReader,
    now: () => number,
    { behaviours = new Map(), memoriesOf, attachments, channels = {} }: ReadOptions,
  ) {
    this.files = attachments && new AttachmentFiles(attachments.place);
    this.store = store;
    this.channels = channels;
    this.now = now;
    this.#definitions = new DefinitionReader(store);
    this.#behaviours = behaviours;
    this.#memoriesOf = memoriesOf;
  }

  /** Keeps a definition that the host has loaded, so that it is not read from the store. */
  learn(definition: LoadedDefinition): void {
    this.#definitions.learn(definition);
  }

  /** Lists instances, the oldest first. */
  async list(
    filter: InstanceFilter = {},
    page: PageRequest = { limit: 100 },
  ): Promise<Page<InstanceSummary>> {
    const { items, next } = await this.#records(filter, page);
    return { items: items.map(summaryOf), ...(next === undefined ? {} : { next }) };
  }

  #records(filter: InstanceFilter, page: PageRequest): Promise<Page<RecordSummary>> {
    const { contact, state, ended, definition, parent, asks, queue, owner } = withContact(
      filter,
      this.channels,
    );
    const wanted: RecordFilter = {
      kind: 'instance',
      ...(contact === undefined ? {} : { contact }),
      ...(state === undefined ? {} : { status: state }),
      ...(ended === undefined ? {} : { ended }),
      ...(parent === undefined ? {} : { parent }),
      ...(asks === undefined ? {} : { asks }),
      ...(queue === undefined ? {} : { queue }),
      ...(owner === undefined ? {} : { owner }),
      ...(definition === undefined ? {} : { definition: { name: definition } }),
    };
    return this.store.list(wanted, requirePage(page));
  }

  /** How many instances wait for people, by queue, and how many are open in all. An index of the store counts them. */
  queues(): Promise<QueueCounts> {
    return countQueues(this.store);
  }

  /** Lists rows of an operators' desk: the instances of a queue, the longest waiting first, or all open instances. */
  inbox(filter: InboxFilter = {}, page: PageRequest = { limit: 100 }): Promise<Page<InboxItem>> {
    const list = (wanted: InstanceFilter, request: PageRequest) => this.#records(wanted, request);
    return listInbox(
      { store: this.store, list, get: (id) => this.get(id) },
      requireObject(filter, 'fields of the filter'),
      requirePage(page),
    );
  }

  /**
   * Lists the acts of people: taken over, written by hand, decided ... Erased instances are not in the list.
   *
   * @throws HostError `host/bad-request`
   */
  acts(filter: ActFilter = {}, page: PageRequest = { limit: 100 }): Promise<Page<Act>> {
    return listActs(this.store, withContact(filter, this.channels), requirePage(page));
  }

  /** @throws HostError `host/unknown-instance`; StoreError `store/damaged` */
  async get(id: string): Promise<InstanceView> {
    const record = await this.#record(id);
    const owner = ownerOf(record, this.now());
    return { ...viewOf(record), ...(owner && { owner }), ...(await this.#standingOf(record)) };
  }

  async #record(id: string): Promise<StoreRecord> {
    const record = isInstanceId(id) ? await this.store.read(id) : undefined;
    if (record?.kind !== 'instance') throw unknownInstance(id);
    return record;
  }

  /**
   * The items that the states of a running instance work on, or those of a failed instance have worked on, in the order of their lists.
   *
   * @throws HostError `host/unknown-instance`, `host/bad-request`; StoreError `store/damaged`
   */
  async items(
    id: string,
    filter: ItemFilter = {},
    page: PageRequest = { limit: 100 },
  ): Promise<Page<ItemSummary>> {
    const record = await this.#record(id);
    const state = stateOf(record);
    const flow = flowDefinitionOf(record, state);
    const definition = flow && (await this.#definitions.read(flow));
    if (!definition) return { items: [] };
    const behaviour = this.#behaviours.get(definition.chart.format);
    return readItems(state, definition, behaviour, filter, requirePage(page));
  }

  async #standingOf(record: StoreRecord): Promise<InstanceStanding> {
    const state = stateOf(record);
    const flow = flowDefinitionOf(record, state);
    const definitions = {
      lifecycle: await this.#definitions.read(state.lifecycle.definition),
      flow: flow ? await this.#definitions.read(flow) : null,
    };
    return readProgress(state, record.ended, definitions, this.#behaviours);
  }

  /**
   * Lists open decisions, those of the oldest instance first. `decision` also returns the data of a question.
   *
   * @throws HostError `host/bad-request`
   */
  decisions(
    filter: DecisionFilter = {},
    page: PageRequest = { limit: 100 },
  ): Promise<Page<DecisionSummary>> {
    return listDecisions(this.store, withContact(filter, this.channels), requirePage(page));
  }

  /**
   * An open decision with its data.
   *
   * @param decision the instance and the id of the decision, `order-1/pac454m8`
   * @throws HostError `host/unknown-instance`; `host/unknown-decision` with the outcome, when it is not open
   */
  async decision(decision: string): Promise<DecisionSummary & { readonly data: Json }> {
    const { instance, id } = decisionNames(decision);
    const record = await this.#record(instance);
    const found = openDecision(openDecisionsOf(record), id);
    if (!found) throw unknownDecision(await fateOf(this.store, instance, id));
    const { definition } = viewOf(record);
    return { decision, instance, definition, ...found };
  }

  /**
   * Lines of the transcript, in order.
   *
   * @throws as `get`
   */
  async transcript(id: string, range: LineRange): Promise<readonly TranscriptLine[]> {
    if (!isInstanceId(id)) throw unknownInstance(id);
    const lines = await allLines((page) => this.store.transcript(id, page), range);
    return withReports(this.store, id, lines as unknown as readonly TranscriptLine[]);
  }

  /** All recorded events, in order: `{ at, source, event }`. */
  async journal(id: string, range: LineRange): Promise<readonly Json[]> {
    if (!isInstanceId(id)) throw unknownInstance(id);
    return allLines((page) => readJournal(this.store, id, page), range);
  }

  /**
   * The charts that an instance runs.
   *
   * @throws as `get`; HostError `host/unknown-definition`
   */
  async charts(id: string): Promise<Charts> {
    const record = await this.#record(id);
    if (!record.definition) throw unknownInstance(id);
    const state = stateOf(record);
    const flow = flowDefinitionOf(record, state);
    const lifecycle = await this.storedChart(state.lifecycle.definition);
    if (!flow) return { lifecycle };
    const refs = new Map((state.versions ?? []).map((ref) => [ref.version, ref]));
    const versions = await Promise.all([...refs.values()].map((ref) => this.storedChart(ref)));
    return {
      lifecycle,
      flow: await this.storedChart(flow),
      ...(versions.length > 0 ? { versions } : {}),
    };
  }

  /** The chart of a version. */
  protected storedChart(ref: DefinitionVersion): Promise<StoredChart> {
    return storedDefinition(this.store, ref);
  }

  /**
   * Reports what a migration to a version of a definition would do to its running instances, the oldest first. Changes nothing.
   *
   * @throws HostError `host/unknown-definition`
   */
  assess(
    to: Definition,
    map: MigrationMap = {},
    page: PageRequest = { limit: 100 },
  ): Promise<Page<InstanceAssessment>> {
    return assessInstances(
      { store: this.store, behaviours: this.#behaviours },
      to,
      requireMap(map),
      requirePage(page),
    );
  }

  /**
   * The save points of a run in the order in which they were saved, without expired ones.
   *
   * @throws as `get`
   */
  async checkpoints(id: string): Promise<readonly CheckpointSummary[]> {
    if (!isInstanceId(id)) throw unknownInstance(id);
    await this.get(id);
    return listCheckpoints(this.store, id, this.now());
  }

  /**
   * The bytes of a file that the contact of an instance has sent: an entry of `attachments` in the `data` of a line. Undefined when
   * the host does not keep it.
   *
   * @throws as `get`
   */
  async attachment(id: string, attachment: JsonObject): Promise<Uint8Array | undefined> {
    const { contact } = await this.get(id);
    return isRecord(attachment) ? this.files?.read(contact ?? undefined, attachment) : undefined;
  }

  /**
   * Everything about a contact as the text of one JSON document, in parts: instances with transcript, journal, data, decisions
   * and save points, memories, and the files that are kept of the contact. Copies of its instances and the agents that they have called are included.
   *
   * @throws HostError `host/bad-request`; StoreError `store/damaged`
   */
  export(given: WrittenContact): AsyncGenerator<string> {
    const contact = requireContact(given, this.channels);
    return exportContact(this.store, contact, this.#memoriesOf, this.files);
  }

  /** The URL of the service of the store's current or last host: see `Host.announce`. Undefined when the host has announced none. */
  announced(): Promise<string | undefined> {
    return announcedUrl(this.store);
  }

  /** Damaged records. The store has set them aside, and serves all others. */
  damaged(): Promise<readonly DamagedRecord[]> {
    return this.store.damaged();
  }

  /** Reads everything in the store, compares all checksums, and looks for stuck instances. See `StoreReader.verify`. */
  async verify(onProgress?: (done: number, all: number) => void): Promise<HostVerification> {
    if (onProgress !== undefined && typeof onProgress !== 'function')
      throw badRequest('"onProgress" is a function.');
    const found = await this.store.verify(onProgress);
    return { ...found, stuck: await findStuck(this.store) };
  }

  /** Closes the store. */
  async stop(): Promise<void> {
    await this.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** The store checks its fields. */
function requirePage(page: PageRequest): PageRequest {
  return requireObject(page, 'options of the page');
}

/** A long range is read in pages, because reading all of it in one go would block the event loop. */
async function allLines(
  read: (range: LineRange) => Promise<readonly Json[]>,
  range: LineRange,
): Promise<readonly Json[]> {
  const lines: Json[] = [];
  for await (const page of readLines(read, checkedRange(range))) lines.push(...page);
  return lines;
}

function unknownDecision(because: string): HostError {
  return new HostError('host/unknown-decision', because);
}

/** Stores where the host of a store is reached, for programs on other machines. */
export async function announce(
  store: Store,
  url: string | undefined,
  createdAt: number,
): Promise<void> {
  await store.delete(serviceId);
  if (url === undefined) return;
  await writeHostRecord(store, serviceId, createdAt, { url });
}

/** @returns the URL of the host's service; undefined when it has announced none */
async function announcedUrl(store: Pick<StoreReader, 'read'>): Promise<string | undefined> {
  const record = await store.read(serviceId);
  const url = isRecord(record?.snapshot) ? record.snapshot['url'] : undefined;
  return typeof url === 'string' ? url : undefined;
}

/** Adds to each line the delivery report of its message. Stored lines never change. */
async function withReports(
  store: Pick<StoreReader, 'read'>,
  id: string,
  lines: readonly TranscriptLine[],
): Promise<readonly TranscriptLine[]> {
  const sent = lines.some(({ role }) => role === 'agent' || role === 'manual');
  const record = sent ? await store.read(id) : undefined;
  if (!record || !isRecord(record.snapshot)) return lines;
  const { reports = [] } = stateOf(record);
  const byMessage = new Map(
    reports.map(({ message, ...delivery }) => [message, delivery] as const),
  );
  return lines.map((line) => {
    const delivery: ReportedDelivery | undefined = byMessage.get(line.id);
    return delivery ? { ...line, delivery } : line;
  });
}
