import { type Chart, type EventObject, isRecord, type JsonObject } from '@dramaturg/compiler';
import type { AttachmentOptions } from '../attachments/attachment-files.ts';
import { AttachmentKeeper } from '../attachments/attachment-keeper.ts';
import type { Definition } from '../definitions/definition.ts';
import type { DefinitionVersion, Store } from '../store/contract.ts';
import type { Library, LoadedDefinition } from '../definitions/library.ts';
import type { Copies } from '../erasure/copies.ts';
import type { EraseOptions } from '../erasure/eraser.ts';
import { listAll } from '../erasure/family.ts';
import type { ErasureReceipt } from '../erasure/receipt.ts';
import { badRequest, hostStopped, unknownInstance } from '../errors.ts';
import { decisionNotOpen } from '../instance/answer-question.ts';
import { contactInput } from '../instance/child-start.ts';
import type { DeliveryReport } from '../instance/delivery-reports.ts';
import type { Answer, HostEvent, Refused, TranscriptLine } from '../instance/event.ts';
import { isEqual } from '../instance/json-equal.ts';
import { refusalOfOtherContent, repeatedCode } from '../instance/refusal.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import type { StoreError } from '../store/errors.ts';
import { countedDraft, type DraftOptions, type DraftParts } from './draft.ts';
import { type DraftedCall, isDeskAct, isLifecycleAct } from '../instance/operator-acts.ts';
import { type DecisionGiven, decisionNames, unnamedDecision, fateOf } from './decisions.ts';
import type { ErrorReporter } from './error-reporter.ts';
import { type EventFilter, checkedEventFilter } from './event-streams.ts';
import { InstanceReader, type ReadOptions, type StoredChart } from './instance-reader.ts';
import { lastLine } from './last-line.ts';
import { isTooLong, messageIdOf } from './message-id.ts';
import type { DefinitionsToStart, PreparedStart, Started } from './instance-starter.ts';
import {
  type AddressedStart,
  type AtCheckpoint,
  type AtStep,
  type StartOptions,
  startOptionNames,
} from './options.ts';
import { startedBefore } from './repeated-start.ts';
import { OptOuts } from './opt-outs.ts';
import {
  actFields,
  type ByOperator,
  type InterveneOptions,
  requireClaimTime,
  requireKey,
  requireNote,
  requirePerson,
  type TakeOverOptions,
} from './operator.ts';
import {
  type Channels,
  jsonOf,
  requireContact,
  requireData,
  requireEvent,
  requireFirstMessage,
  requireForkPoint,
  requireId,
  requireKnown,
  requireObject,
  requireReceived,
  requireTraceparent,
  requireReport,
  withStartContact,
} from './request.ts';
import type { MessageGroups } from './message-groups.ts';
import { type MigrateOptions, requireMap } from './migrating.ts';
import { filesId, isInstanceId, writeHostRecord } from './record-ids.ts';
import type { ReaderPosition } from './reader-position.ts';
import { noHolder, type Routed } from './routed.ts';
import type { WrittenContact } from '../contact.ts';
import { contextIn } from '../xstate/persisted-snapshot.ts';

export interface WaitOptions {
  /** Milliseconds to wait at most. 10,000 when left out. */
  readonly within?: number;
}

/** A message from outside. */
export interface ReceivedMessage extends WrittenContact {
  readonly text: string;
  /** The channel's id of the message: messages with the same id are one message. */
  readonly id?: string;
  /**
   * Data that the channel adds to the text, such as links of attachments: at most 32,768 characters of JSON. It is stored with
   * the message, and is never an instruction. With the option `attachments` of the host, files are kept, and addresses `data:`
   * count nothing.
   */
  readonly data?: JsonObject;
  /** When the person has sent it, according to the provider, in milliseconds since 1970 UTC. */
  readonly sentAt?: number;
  /** The id of the message that it quotes or whose button it is. Where the provider does not know the id, the text of that message. */
  readonly replyTo?: string;
  /** The trace of the request that brings the message. The trace of the instance links to it. Spec: W3C Trace Context, section 3.2 */
  readonly traceparent?: string;
  /** Starts a conversation with this message, if no instance holds the contact. */
  readonly orStart?: FirstConversation;
}

/** The conversation that the first message of a contact starts. */
export interface FirstConversation extends Pick<
  StartOptions,
  'id' | 'channel' | 'input' | 'needs' | 'lifecycleInput'
> {
  readonly definition: string;
}

/** The parts of a host that its commands use on every engine. */
export interface CommandParts {
  readonly library: Library;
  readonly copies: Copies;
  readonly uuid: () => string;
  readonly drafting: DraftParts;
  readonly errors: ErrorReporter;
}

/** The message that may start a conversation, and its contact. */
type FirstOrder = Required<Pick<AddressedStart, 'contact' | 'address' | 'message'>> & {
  readonly traceparent: string | undefined;
};

/** Carries out the commands of a host after they are checked. */
export interface HostEngine {
  readonly parts: CommandParts;
  readonly activeCount: number;
  /** The messages of contacts, on their way to the instances that hold them. */
  readonly messages: MessageGroups;
  /** The channels that write the contacts of starts; undefined when other processes have them. */
  readonly startChannels: Channels | undefined;
  /** Begins the work, in the background. */
  open(): Promise<void>;
  /** @param load loads the definitions, when it is the turn of this start */
  start(options: AddressedStart, load: () => Promise<DefinitionsToStart>): Promise<Started>;
  send(id: string, event: JsonObject & EventObject): Promise<Answer>;
  report(id: string, report: Omit<DeliveryReport, 'instance'>): Promise<Answer>;
  fork(id: string, at: AtStep | AtCheckpoint): Promise<Started>;
  /** @param act the fields of the event that say who writes */
  intervene(id: string, text: string, act: InterveneOptions): Promise<Answer>;
  migrate(id: string, options: MigrateOptions): Promise<Answer>;
  undoMigration(id: string): Promise<Answer>;
  /** @param contact in its canonical form */
  erase(
    contact: string,
    running: NonNullable<EraseOptions['running']>,
    rewrite: boolean,
  ): Promise<ErasureReceipt>;
  events(filter: EventFilter): AsyncIterableIterator<HostEvent>;
  cursor(filter: Pick<EventFilter, 'instance'>): Promise<string>;
  readerPosition(name: string): ReaderPosition;
  announce(url: string | undefined): Promise<void>;
  /** @throws StoreError */
  requireWritable?(): Promise<void>;
  settle(options: WaitOptions): Promise<boolean>;
  /** @param within how many milliseconds running turns have to finish */
  stop(within: number): Promise<void>;
}

/** The store and the options of a host. */
export interface HostSetting extends ReadOptions {
  readonly store: Store;
  readonly attachments?: AttachmentOptions | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly state: HostState;
}

/** Whether a host carries out commands. States: running, stopping (`stop` was called, or the store was lost), stopped. */
export class HostState {
  #ownership: Store['ownership'] | undefined;
  isStopping = false;

  watch(ownership: Store['ownership']): void {
    this.#ownership = ownership;
  }

  /** The error `store/lost`, when another host has taken the store. */
  get loss(): StoreError | undefined {
    return this.#ownership?.lost.reason as StoreError | undefined;
  }

  /** @throws HostError `host/stopped`; StoreError `store/lost` */
  readonly requireRunning = (): void => {
    if (this.loss) throw this.loss;
    if (this.isStopping) throw hostStopped();
  };
}

/**
 * Runs instances of definitions as durable actors: one at a time for each contact, one event at a time for each instance, and
 * everything stored before it has an effect. See docs/host.md.
 *
 * Checks arguments from people and programs (H8), so that all hosts refuse the same requests with the same messages. Its engine
 * carries out checked commands: that of `createHost` on one machine, others elsewhere. `hostContract` tests the promises of every
 * host.
 *
 * @typeParam Event the events of its instances, for facades that know their formats
 */
export class Host<Event extends object = HostEvent> extends InstanceReader {
  declare protected readonly store: Store;
  readonly #engine: HostEngine;
  readonly #state: HostState;
  #stopping: Promise<void> | undefined;
  #optOutsOfHost: OptOuts | undefined;
  readonly #setting: Pick<HostSetting, 'attachments' | 'channels'>;
  #keeper: AttachmentKeeper | undefined;
  #end: (loss: StoreError | undefined) => void = () => {};
  /**
   * Fulfils when the host has stopped: with undefined after `stop`, and with the error `store/lost` when another host has taken
   * its store. Such a host stops by itself: it writes and sends nothing more, and every call rejects with that error, reads
   * included.
   */
  readonly stopped = new Promise<StoreError | undefined>((resolve) => (this.#end = resolve));

  /** @param engineOf creates the engine, which uses the host to read its store */
  static async open<Event extends object>(
    { store, now, state, ...options }: HostSetting,
    engineOf: (reader: InstanceReader) => HostEngine,
  ): Promise<Host<Event>> {
    const host = new Host<Event>(store, now, options, state, engineOf);
    await host.#engine.open();
    return host;
  }

  private constructor(
    store: Store,
    now: () => number,
    options: Omit<HostSetting, 'store' | 'now' | 'state'>,
    state: HostState,
    engineOf: (reader: InstanceReader) => HostEngine,
  ) {
    super(store, now, options);
    this.#setting = options;
    state.watch(store.ownership);
    this.#state = state;
    this.#engine = engineOf(this);
    store.ownership.lost.addEventListener('abort', () => void this.#onLoss());
  }

  /** How many instances are in memory. */
  get activeCount(): number {
    return this.#engine.activeCount;
  }

  /** Whether it keeps the files that people send: its option `attachments`. */
  get keepsFiles(): boolean {
    return this.#setting.attachments !== undefined;
  }

  /** The names of the definitions that this host was given. The store may have more, of earlier hosts. */
  get definitions(): readonly string[] {
    return this.#engine.parts.library.names;
  }

  /**
   * The chart of the latest version of a definition. New instances start with it.
   *
   * @throws HostError `host/unknown-definition`
   */
  async chart(definition: string): Promise<Chart> {
    return (await this.#engine.parts.library.latest(definition)).chart;
  }

  /**
   * Adds a definition. It replaces a definition with the same name for instances that start from now on. The event loop runs
   * between the parts of a large one.
   *
   * @throws LinkError, ChartError when the chart names code that its format does not have
   */
  async define(definition: Definition): Promise<void> {
    this.#state.requireRunning();
    await this.#engine.parts.library.addInSlices(definition);
  }

  /**
   * Starts an instance. Fulfils when the instance is stored; its first turn then runs by itself.
   *
   * With `id` and `once`, the same start may be repeated when its answer was lost: it starts one instance, also after a crash.
   *
   * With `message`, the contact writes first, and the first reply answers that message. If the message is refused, nothing is
   * started.
   *
   * @throws InputError when the input of the definition or of its lifecycle does not fit
   * @throws HostError `host/unknown-definition`, `host/exists`, `host/bad-request`, `host/unknown-option`,
   *   `host/message-refused`
   */
  async start(definition: string, options: StartOptions = {}): Promise<Started> {
    this.#state.requireRunning();
    requireKnown(options, startOptionNames, 'options of the start');
    requireFirstMessage(options.message);
    requireTraceparent(options.traceparent);
    const { library } = this.#engine.parts;
    const order = withStartContact(options, this.#engine.startChannels);
    const start = () => this.#engine.start(order, () => this.#load(definition, order));
    if (order.once !== true) return start();
    const { id } = order;
    if (id === undefined)
      throw badRequest('"once" needs an "id": it is the key by which a repeated start is known.');
    requireId(id);
    const before = () =>
      startedBefore(this.store, definition, { ...order, id }, () => library.latest(definition));
    const started = await before();
    if (started) return started;
    try {
      return await start();
    } catch (error) {
      // The same start may have been made in the meantime.
      const first = await before();
      if (first) return first;
      throw error;
    }
  }

  async #load(definition: string, { needs = [] }: StartOptions): Promise<DefinitionsToStart> {
    const { library } = this.#engine.parts;
    const needed: LoadedDefinition[] = [];
    for (const name of needs) needed.push(await library.latest(name));
    return { definition: await library.latest(definition), needs: needed };
  }

  /**
   * Sends an event to an instance: `message.received`, `decision.made`, or an event of its definition. Fulfils when its
   * effect is stored (H1). An event that is not accepted changes nothing, and the answer says why.
   *
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  async send(id: string, event: EventObject): Promise<Answer> {
    this.#requireInstance(id);
    const copy = jsonOf(event, 'event') as JsonObject & EventObject;
    requireEvent(copy);
    if (isDeskAct(copy.type))
      throw badRequest(`${JSON.stringify(copy.type)} is not sent: use the command of the host.`);
    if (!isLifecycleAct(copy.type)) return this.#engine.send(id, copy);
    // An event cannot take a conversation from its owner.
    const { internal: _internal, force: _force, ...plain } = copy;
    return this.#engine.send(id, plain);
  }

  /**
   * Receives a message from outside, for the instance that holds the contact. When no instance does, the message is not kept, and
   * the answer has `instance: null` and the code `host/no-holder`.
   *
   * Messages and starts of one contact are handled in the order of the calls: a message after a start goes to the started
   * instance, or to the one that it waits for; a message before a start has no holder if the contact was free.
   *
   * With `orStart`, such a message starts a conversation, which receives it. Of several concurrent first messages, one starts the
   * conversation and the others are routed to it.
   *
   * @param message `id` is the channel's id: messages with the same id are one message
   * @throws HostError `host/bad-request`, `host/unknown-option`; with `orStart` as `start`
   */
  async receive(message: ReceivedMessage): Promise<Routed> {
    this.#state.requireRunning();
    const keeper = this.#fileKeeper();
    requireReceived(message, keeper !== undefined);
    const { contact: address, channel, orStart, ...given } = message;
    const named = isTooLong(given.id) ? { ...given, id: await messageIdOf(given.id) } : given;
    const written = { contact: address, channel: channel ?? orStart?.channel };
    const contact = requireContact(written, orStart ? this.#engine.startChannels : this.channels);
    const fields = keeper ? await this.#withFiles(keeper, named, contact, written.channel) : named;
    const event = jsonOf({ type: 'message.received', ...fields }, 'message');
    const { traceparent, sentAt: _sentAt, replyTo: _replyTo, ...first } = fields;
    const order = { contact, address, message: first, traceparent };
    const start = orStart && this.#firstStart(orStart, order);
    const optOuts = this.#optOuts();
    const hearing = optOuts.hear(contact, written.channel, event['text']);
    const heard = hearing instanceof Promise ? await hearing : hearing;
    const { word } = heard;
    const spoken = { ...event, ...(word && { word }) } as JsonObject & EventObject;
    const routed = await this.#engine.messages.route(contact, spoken, word ? undefined : start);
    const answer = word
      ? routed
      : await this.#answerTo(routed, order, { event: spoken, fields, channel, start });
    await optOuts.noteRouted(contact, written.channel, heard, answer);
    return answer;
  }

  /** The answer to a message, which may get another instance because it has arrived after the end. */
  async #answerTo(
    routed: Routed,
    order: FirstOrder,
    message: {
      readonly event: JsonObject & EventObject;
      readonly fields: Pick<ReceivedMessage, 'id' | 'text' | 'data'>;
      readonly channel: string | undefined;
      readonly start: PreparedStart | undefined;
    },
  ): Promise<Routed> {
    const { event, fields, channel, start } = message;
    if (routed.instance === null)
      return routed.code === 'host/no-holder' ? this.#afterEnd(order, event, channel) : routed;
    if (!routed.accepted)
      return routed.code === repeatedCode
        ? { instance: routed.instance, ...(await this.#asRepeated(routed, fields)) }
        : routed;
    if (!start || routed.heard || this.#engine.parts.library.startWords.size === 0) return routed;
    // The answer to a start does not contain its first message.
    const record = await this.store.read(routed.instance);
    return record && stateOf(record).stopped ? { ...routed, heard: 'stop' } : routed;
  }

  /** The message with its files in the place of the host. */
  async #withFiles<Fields extends Pick<ReceivedMessage, 'id' | 'text' | 'data'>>(
    keeper: AttachmentKeeper,
    fields: Fields,
    contact: string,
    channel: string | undefined,
  ): Promise<Fields> {
    if (typeof fields.text !== 'string') return fields;
    const { id = this.#engine.parts.uuid(), text, data } = fields;
    const kept = await keeper.keep({ contact, channel, id, text, data });
    requireData(kept.data);
    this.#state.requireRunning();
    return { ...fields, text: kept.text, ...(kept.data && { data: kept.data }) };
  }

  #fileKeeper(): AttachmentKeeper | undefined {
    const { attachments, channels } = this.#setting;
    if (!attachments) return undefined;
    const { drafting, errors } = this.#engine.parts;
    const { ports, waits } = drafting;
    const onError = errors.report;
    return (this.#keeper ??= new AttachmentKeeper({
      attachments,
      channels: channels ?? {},
      ports,
      waits,
      onError,
      beforeFirst: () => this.#noteFiles(),
    }));
  }

  /** An erase without the place of the files is then refused. */
  async #noteFiles(): Promise<void> {
    if (await this.store.read(filesId)) return;
    await writeHostRecord(this.store, filesId, this.now(), {});
  }

  /** The answer to a message whose id was received before, perhaps with other content. */
  async #asRepeated(
    routed: Refused & { readonly instance: string },
    { id, text, data }: Pick<ReceivedMessage, 'id' | 'text' | 'data'>,
  ): Promise<Refused> {
    const { instance, state } = routed;
    const end = (await this.store.read(instance))?.transcriptLength ?? 0;
    const isFirst = (line: TranscriptLine) => line.role === 'contact' && line.id === id;
    const first = await lastLine((range) => this.store.transcript(instance, range), end, isFirst);
    const isSame = first?.line.text === text && isEqual(first?.line.data ?? null, data ?? null);
    return !first || isSame ? routed : refusalOfOtherContent(String(id), state);
  }

  /** Applies the policy for messages after the end, from the lifecycle of the contact's last instance. */
  async #afterEnd(
    first: FirstOrder,
    event: JsonObject & EventObject,
    written: string | undefined,
  ): Promise<Routed> {
    const { contact } = first;
    const ended = await listAll(this.store, { kind: 'instance', contact, ended: true });
    const id = ended.at(-1)?.id;
    if (id === undefined) return noHolder;
    // An instance that cannot be read, or was erased just now, has no policy.
    const charts = await this.charts(id).catch(() => undefined);
    const policy = charts?.lifecycle.chart.meta?.['after_end'];
    if (isRecord(policy)) {
      const answer = await this.#engine.send(id, { ...event, after_end: true });
      return { instance: id, ...answer };
    }
    const record = policy === 'start' ? await this.store.read(id) : undefined;
    const { definition } = record ?? {};
    if (!record || !definition) return noHolder;
    const { input, channel, lifecycle } = stateOf(record);
    const name = written ?? channel ?? undefined;
    if (await this.#optOuts().has(contact, name)) return noHolder;
    const order = {
      definition: definition.name,
      input,
      lifecycleInput: contactInput(Object(contextIn(lifecycle.snapshot))),
      ...(name !== undefined && { channel: name }),
    };
    return this.#engine.messages.route(contact, event, this.#firstStart(order, first));
  }

  #optOuts(): OptOuts {
    const { store, channels, now } = this;
    const channelOf = async (id: string) => (await this.get(id)).channel ?? undefined;
    this.#optOutsOfHost ??= new OptOuts({
      store,
      channels,
      library: this.#engine.parts.library,
      channelOf,
      now,
    });
    return this.#optOutsOfHost;
  }

  #firstStart(
    { definition, ...rest }: FirstConversation,
    { traceparent, ...first }: FirstOrder,
  ): PreparedStart {
    requireFirstMessage(first.message);
    if (rest.id !== undefined) requireId(rest.id);
    const options = { ...rest, ...first, ...(traceparent !== undefined && { traceparent }) };
    return { options, load: () => this.#load(definition, options) };
  }

  /**
   * Stores the report of a provider about a message that its channel has accepted. The transcript line of the message shows the
   * latest report. A repeated or late report changes nothing: `read` never goes back to `delivered`. Ended instances accept
   * reports too.
   *
   * @throws HostError `host/unknown-instance`, `host/bad-request`, `host/unknown-option`
   */
  async reportDelivery(report: DeliveryReport): Promise<Answer> {
    this.#state.requireRunning();
    const { instance, ...rest } = requireReport(report);
    return this.#engine.report(instance, rest);
  }

  /**
   * Reports trouble to the person who runs the host, through `onError`: for channels, about input that they do not give to the
   * host. Without secrets, and at most once every ten seconds for errors of one kind.
   *
   * @param doing the failed work, with names in quotes: `receiving the message "m-1" through email`
   */
  reportError(error: unknown, doing: string): void {
    this.#engine.parts.errors.report(error, typeof doing === 'string' ? doing : 'working');
  }

  /**
   * Answers a question that an instance has asked a person. A question is answered once, in the state that asked it. A
   * decision that is refused changes nothing, and the answer says why: the option is not offered, a field is not editable,
   * the person may not decide, or the question is not open any more.
   *
   * @param decision the instance and the id of the decision, as `decisions` lists it: `order-1/pac454m8`
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  async decide(decision: string, given: DecisionGiven): Promise<Answer> {
    const { instance, id } = decisionNames(decision);
    if (id === '' || instance === '') throw unnamedDecision();
    const answer = await this.send(instance, { ...given, type: 'decision.made', id });
    if (answer.accepted || answer.code !== decisionNotOpen) return answer;
    return { ...answer, because: await fateOf(this.store, instance, id) };
  }

  /**
   * Starts an instance as a copy of another one, which is not changed and may have ended. At a save point, the copy continues
   * with calls and timers of its own. After a step (counted in the journal from 1), open calls are made and due timers fire; the
   * copy has no contact, and its messages are discarded.
   *
   * @throws HostError `host/unknown-instance`, `host/unknown-checkpoint`, `host/bad-request`, `host/exists`
   */
  async fork(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    this.#requireInstance(id);
    requireForkPoint(at);
    const { copies, uuid } = this.#engine.parts;
    const { id: copy = uuid() } = at;
    requireId(copy);
    return copies.make(id, copy, () => this.#engine.fork(id, { ...at, id: copy }));
  }

  /**
   * Interrupts an instance. While another person has taken it over, `pause`, `resume`, `cancel` and `intervene` are refused with
   * `host/claimed`; without a claim everyone may call them.
   */
  pause(id: string, act: ByOperator = {}): Promise<Answer> {
    return this.#act(id, { type: 'pause' }, act);
  }

  /** Continues a paused instance, or one that needs a person: a failed turn is tried again. Releases a claim. */
  resume(id: string, act: ByOperator = {}): Promise<Answer> {
    return this.#act(id, { type: 'resume' }, act);
  }

  /** Ends an instance. Unsent messages are discarded. */
  cancel(id: string, reason?: string, act: ByOperator = {}): Promise<Answer> {
    return this.#act(id, { type: 'cancel', ...(reason === undefined ? {} : { reason }) }, act);
  }

  /**
   * Writes to the contact by hand. Fulfils when the channel has accepted the message. If it does not, nothing changes, and the
   * message is not in the transcript. Refused with `message/repeated` or `message/other-content` when a message with the same key
   * was accepted before.
   */
  async intervene(id: string, text: string, act: InterveneOptions = {}): Promise<Answer> {
    this.#requireInstance(id);
    const { upTo, key } = requireObject(act, 'options of the act');
    return this.#engine.intervene(id, text, {
      ...actFields(act),
      ...(upTo !== undefined && { upTo }),
      ...(key !== undefined && { key: requireKey(key) }),
    });
  }

  /**
   * Takes a conversation over for a person, in one step: pauses it, with its timers and reminders, and claims it. The claim holds
   * for `forMs` after the last act of its owner. It expires without an event; the conversation then stays paused, and anyone may
   * act on it. Refused with `host/claimed` while another person has it, unless `force` is given. `to` gives it to a colleague.
   *
   * @returns with `owner`
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  async takeOver(id: string, options: TakeOverOptions): Promise<Answer> {
    const { forMs, to, ...act } = requireObject(options, 'options of the act');
    const owner = requirePerson(to ?? requirePerson(act.by));
    const event = { type: 'operator.take_over', owner, for_ms: requireClaimTime(forMs) };
    return this.#act(id, event, act);
  }

  /** Renews the claim of a person. Refused with `host/not-claimed` when they do not have one. */
  async renewClaim(id: string, act: Required<Pick<ByOperator, 'by'>>): Promise<Answer> {
    const { by } = requireObject(act, 'options of the act');
    return this.#act(id, { type: 'operator.renew_claim' }, { by: requirePerson(by) });
  }

  /**
   * Releases a claim and resumes the conversation, in one step. The next turn answers the messages that the contact has written
   * in between. Refused with `host/not-claimed` when nobody has taken it over.
   */
  async handBack(id: string, act: ByOperator): Promise<Answer> {
    return this.#act(id, { type: 'operator.hand_back' }, act);
  }

  /** Adds a note for other people. Neither the contact nor a model gets it. */
  async addNote(id: string, by: string, text: string): Promise<Answer> {
    const event = { type: 'operator.add_note', text: requireNote(text) };
    return this.#act(id, event, { by: requirePerson(by) });
  }

  /**
   * Migrates an instance to the latest version of its definition, which `define` has added. Its states, data, open calls and
   * timers continue under the new version; `assess` tells in advance what each instance would lose. A migration is one step with
   * a line in the journal, which time travel and forks repeat. Repeated, it changes nothing. Refused with `migration/blocked`
   * when the new version cannot continue it, with `migration/other-version`, and with `instance/ended`.
   *
   * @throws HostError `host/unknown-instance`, `host/unknown-definition`, `host/bad-request`, `host/unknown-option`
   */
  async migrate(id: string, options: MigrateOptions = {}): Promise<Answer> {
    this.#requireInstance(id);
    const { map, from, ...rest } = requireObject(options, 'options of the migration');
    requireKnown(rest, ['map', 'from'], 'options of the migration');
    return this.#engine.migrate(id, { map: requireMap(map), ...(from !== undefined && { from }) });
  }

  /**
   * Undoes the migration of an instance while it is the last step. Later it is refused with `migration/not-last`.
   *
   * @throws HostError `host/unknown-instance`
   */
  async undoMigration(id: string): Promise<Answer> {
    this.#requireInstance(id);
    return this.#engine.undoMigration(id);
  }

  /**
   * Returns what the agent would say now: runs the turn that `resume` would start, on a copy in memory, with the real models.
   * Nothing is stored or sent, but the calls count as calls of the instance.
   *
   * @throws HostError `host/unknown-instance`; `host/no-draft` when nothing waits for an answer, and when the agent would first
   *   call a tool that may change something
   */
  async draft(id: string, options: DraftOptions): Promise<{ readonly text: string }> {
    this.#requireInstance(id);
    const { by, signal } = requireObject(options, 'options of the draft');
    requirePerson(by);
    const count = (calls: readonly DraftedCall[]) =>
      this.#act(id, { type: 'operator.count_draft', calls }, { by });
    return countedDraft(count, this.store, id, this.#engine.parts.drafting, signal);
  }

  async #act(id: string, event: EventObject, act: ByOperator): Promise<Answer> {
    this.#requireInstance(id);
    const fields = jsonOf({ ...event, ...actFields(act) }, 'event');
    return this.#engine.send(id, fields as JsonObject & EventObject);
  }

  /**
   * Erases everything about a contact: its instances with transcripts, journals and snapshots, their copies, the agents that they
   * have called, save points and memories. Then the store is compacted, so that no byte is left in its files. Repeating an
   * interrupted erase completes it. See docs/stores.md#a-persons-data
   *
   * @returns counts, without personal data
   * @throws InstancesRunningError with the instances that have not ended, unless `running` is `end`; HostError
   *   `host/cannot-erase`, `host/bad-request`, `host/unknown-option`
   */
  async erase(options: EraseOptions): Promise<ErasureReceipt> {
    this.#state.requireRunning();
    requireKnown(options, ['contact', 'channel', 'running', 'rewrite'], 'options of the erase');
    const { running = 'refuse', rewrite } = options;
    if (running !== 'refuse' && running !== 'end')
      throw badRequest(`"running" is "refuse" or "end", not ${JSON.stringify(running)}.`);
    return this.#engine.erase(requireContact(options, this.channels), running, rewrite === true);
  }

  /**
   * Copies the state of the store at one instant, while the host runs. The copy is a store of the same kind, and is verified.
   *
   * @param target a path that does not exist
   * @throws StoreError `store/exists`; `store/bad-request` for a store in memory
   */
  async backup(target: string): Promise<void> {
    this.#state.requireRunning();
    if (typeof target !== 'string') throw badRequest('The target of a backup is a text.');
    await this.store.backup(target);
  }

  /**
   * Iterates over new events, each after it is stored: of one instance in the order of its journal, of a contact or of all
   * instances in the order in which the store committed them. With `after`, all events after a cursor: first the stored ones,
   * then new ones, none missing and none twice. A host that stops ends the iteration. On Restate, `after` needs `instance`.
   *
   * @throws HostError `host/bad-request`, `host/unknown-option`. While iterating: `host/slow-subscriber` without `after`; with
   *   it `host/unknown-cursor`; `host/unknown-instance` when the instance is erased, and with `after` also when it does not exist
   */
  events(filter: EventFilter = {}): AsyncIterableIterator<Event> {
    const checked = checkedEventFilter(filter, this.channels);
    return this.#engine.events(
      checked,
    ) as AsyncIterableIterator<object> as AsyncIterableIterator<Event>;
  }

  /**
   * The cursor after the last stored event of an instance, or of all instances and contacts: `events({ after })` with it gives
   * the events that are stored from now on.
   *
   * @throws HostError `host/unknown-instance`; `host/bad-request` without `instance` on Restate, which has no order of all events
   */
  cursor(filter: Pick<EventFilter, 'instance'> = {}): Promise<string> {
    requireKnown(filter, ['instance'], 'options of the cursor');
    return this.#engine.cursor(filter);
  }

  /**
   * The position from which a reader of the events of all instances continues in the next process, stored with the instances.
   * Traces use it.
   *
   * @param name of the reader: letters, digits, `-` and `_`
   * @throws HostError `host/bad-request`
   */
  readerPosition(name: string): ReaderPosition {
    return this.#engine.readerPosition(name);
  }

  /**
   * Waits until no turn, no message and no call-up of a waiting instance is in progress or waits for a slot, and until the
   * work of the last host is resumed. Instances that wait for a person or a timer do not count. On a manual clock it waits without an
   * end when `within` is left out.
   *
   * @returns false when the time is up before that
   */
  settle(options: WaitOptions = {}): Promise<boolean> {
    return this.#engine.settle(requireObject(options, 'options of the wait'));
  }

  /** A loaded chart is not read from the store again: a large one takes long to check. */
  protected override async storedChart(ref: DefinitionVersion): Promise<StoredChart> {
    const loaded = this.#engine.parts.library.peek(ref);
    if (!loaded) return super.storedChart(ref);
    const { chart, source } = loaded;
    return { ref, chart, ...(source && { source }) };
  }

  /**
   * Refuses further commands, lets running turns finish for a while, parks the others, and closes the store. A parked turn
   * resumes with the same keys when the store is opened again (H4).
   */
  override stop(options: WaitOptions = {}): Promise<void> {
    const { within = 10_000 } = requireObject(options, 'options of the stop');
    this.#state.isStopping = true;
    this.#keeper?.stop();
    this.#stopping ??= this.#engine.stop(within).then(() => this.#end(this.#state.loss));
    return this.#stopping;
  }

  /**
   * Stores the URL of this host's service for programs on other machines that know the store: their commands use the URL instead
   * of the store. It is valid until the next host opens the store. `undefined` removes it.
   */
  announce(url: string | undefined): Promise<void> {
    this.#state.requireRunning();
    return this.#engine.announce(url);
  }

  /**
   * Fulfils when the host can carry out commands: it runs, its store can be read, and the last write did not fail or can be repeated now.
   *
   * @throws HostError `host/stopped`; StoreError
   */
  async ready(): Promise<void> {
    this.#state.requireRunning();
    await this.list({}, { limit: 1 });
    await this.#engine.requireWritable?.();
  }

  /** Running calls are aborted, and commands in progress reject when they reach the store. */
  async #onLoss(): Promise<void> {
    const { report } = this.#engine.parts.errors;
    report(this.#state.loss, 'keeping the store');
    await this.stop({ within: 0 }).catch((error: unknown) => report(error, 'stopping the host'));
  }

  #requireInstance(id: string): void {
    this.#state.requireRunning();
    if (!isInstanceId(id)) throw unknownInstance(id);
  }
}
