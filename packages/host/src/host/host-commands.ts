import { type Chart, type EventObject, isRecord, type JsonObject } from '@dramaturg/compiler';
import type { Definition } from '../definitions/definition.ts';
import type { Library, LoadedDefinition } from '../definitions/library.ts';
import type { Copies } from '../erasure/copies.ts';
import type { EraseOptions } from '../erasure/eraser.ts';
import { listAll } from '../erasure/family.ts';
import type { ErasureReceipt } from '../erasure/receipt.ts';
import { hostStopped, unknownInstance } from '../errors.ts';
import { decisionNotOpen } from '../instance/answer-question.ts';
import type { DeliveryReport } from '../instance/delivery-reports.ts';
import type { Answer, HostEvent, Refused, TranscriptLine } from '../instance/event.ts';
import { isEqual } from '../instance/json-equal.ts';
import { refusalOfOtherContent, repeatedCode } from '../instance/refusal.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import type { Store } from '../store/contract.ts';
import type { StoreError } from '../store/errors.ts';
import { countedDraft, type DraftOptions, type DraftParts } from './draft.ts';
import { type DraftedCall, isDeskAct, isLifecycleAct } from '../instance/operator-acts.ts';
import { type DecisionGiven, decisionNames, unnamedDecision, fateOf } from './decisions.ts';
import type { ErrorReporter } from './error-reporter.ts';
import { type EventFilter, checkedEventFilter } from './event-streams.ts';
import type { FirstConversation, Host, ReceivedMessage, WaitOptions } from './host.ts';
import { InstanceReader } from './instance-reader.ts';
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
  requireNote,
  requirePerson,
  type TakeOverOptions,
} from './operator.ts';
import {
  badRequest,
  type Channels,
  jsonOf,
  requireContact,
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
import { type MigrateOptions, requireMap } from './migrating.ts';
import { isInstanceId } from './record-ids.ts';
import type { ReaderPosition } from './reader-position.ts';
import { noHolder, type Routed } from './routed.ts';

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

/**
 * The commands of every host. Checks what people and programs pass (H8), so that all hosts refuse the same requests with the
 * same messages. The abstract methods carry out a command that was checked.
 *
 * States: running, stopping (`stop` was called, or the store was lost; commands are refused), stopped.
 */
export abstract class HostCommands<Event extends object>
  extends InstanceReader
  implements Host<Event>
{
  declare protected readonly store: Store;
  #stopping: Promise<void> | undefined;
  #optOutsOfHost: OptOuts | undefined;
  #end: (loss: StoreError | undefined) => void = () => {};
  readonly stopped = new Promise<StoreError | undefined>((resolve) => (this.#end = resolve));

  protected abstract readonly commandParts: CommandParts;

  abstract readonly activeCount: number;

  /** The channels that write the contacts of starts; undefined when other processes have them. */
  protected get startChannels(): Channels | undefined {
    return this.channels;
  }

  get definitions(): readonly string[] {
    return this.commandParts.library.names;
  }

  async chart(definition: string): Promise<Chart> {
    return (await this.commandParts.library.latest(definition)).chart;
  }

  define(definition: Definition): void {
    this.requireRunning();
    this.commandParts.library.add(definition);
  }

  async start(definition: string, options: StartOptions = {}): Promise<Started> {
    this.requireRunning();
    requireKnown(options, startOptionNames, 'options of the start');
    requireFirstMessage(options.message);
    requireTraceparent(options.traceparent);
    const { library } = this.commandParts;
    const order = withStartContact(options, this.startChannels);
    const start = () => this.startNow(order, () => this.#load(definition, order));
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
    const { library } = this.commandParts;
    const needed: LoadedDefinition[] = [];
    for (const name of needs) needed.push(await library.latest(name));
    return { definition: await library.latest(definition), needs: needed };
  }

  /** @param load loads the definitions, when it is the turn of this start */
  protected abstract startNow(
    options: AddressedStart,
    load: () => Promise<DefinitionsToStart>,
  ): Promise<Started>;

  async send(id: string, event: EventObject): Promise<Answer> {
    this.#requireInstance(id);
    const copy = jsonOf(event, 'event') as JsonObject & EventObject;
    requireEvent(copy);
    if (isDeskAct(copy.type))
      throw badRequest(`${JSON.stringify(copy.type)} is not sent: use the command of the host.`);
    if (!isLifecycleAct(copy.type)) return this.sendNow(id, copy);
    // An event cannot take a conversation from its owner.
    const { internal: _internal, force: _force, ...plain } = copy;
    return this.sendNow(id, plain);
  }

  protected abstract sendNow(id: string, event: JsonObject & EventObject): Promise<Answer>;

  async receive(message: ReceivedMessage): Promise<Routed> {
    this.requireRunning();
    requireReceived(message);
    const { contact: address, channel, orStart, ...given } = message;
    const fields = isTooLong(given.id) ? { ...given, id: await messageIdOf(given.id) } : given;
    const written = { contact: address, channel: channel ?? orStart?.channel };
    const contact = requireContact(written, orStart ? this.startChannels : this.channels);
    const event = jsonOf({ type: 'message.received', ...fields }, 'message');
    const { traceparent, sentAt: _sentAt, replyTo: _replyTo, ...first } = fields;
    const start =
      orStart && this.#firstStart(orStart, { contact, address, message: first, traceparent });
    return this.#optOuts().hear(contact, written.channel, event['text'], async (word) => {
      const heard = { ...event, ...(word && { word }) } as JsonObject & EventObject;
      if (word) return this.routeNow(contact, heard, undefined);
      const routed = await this.routeNow(contact, heard, start);
      if (routed.instance === null)
        return routed.code === 'host/no-holder'
          ? this.#afterEnd({ contact, address, message: first, traceparent }, heard, channel)
          : routed;
      if (!routed.accepted)
        return routed.code === repeatedCode
          ? { instance: routed.instance, ...(await this.#asRepeated(routed, fields)) }
          : routed;
      if (!start || routed.heard || this.commandParts.library.startWords.size === 0) return routed;
      // The answer to a start does not say what its first message was.
      const record = await this.store.read(routed.instance);
      return record && stateOf(record).stopped ? { ...routed, heard: 'stop' } : routed;
    });
  }

  /** The answer to a message whose id was received before: its content may be another one. */
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

  /** Does what the lifecycle of the contact's last instance says about messages after its end. */
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
      const answer = await this.sendNow(id, { ...event, after_end: true });
      return { instance: id, ...answer };
    }
    const record = policy === 'start' ? await this.store.read(id) : undefined;
    const { definition } = record ?? {};
    if (!record || !definition) return noHolder;
    const { input, channel } = stateOf(record);
    const name = written ?? channel ?? undefined;
    if (await this.#optOuts().has(contact, name)) return noHolder;
    const order = {
      definition: definition.name,
      input,
      ...(name !== undefined && { channel: name }),
    };
    return this.routeNow(contact, event, this.#firstStart(order, first));
  }

  #optOuts(): OptOuts {
    const { store, channels, commandParts, now } = this;
    const channelOf = async (id: string) => (await this.get(id)).channel ?? undefined;
    this.#optOutsOfHost ??= new OptOuts({
      store,
      channels,
      library: commandParts.library,
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
   * @param contact in its canonical form
   * @param start starts an instance with the message, when none holds the contact
   */
  protected abstract routeNow(
    contact: string,
    event: JsonObject & EventObject,
    start: PreparedStart | undefined,
  ): Promise<Routed>;

  async reportDelivery(report: DeliveryReport): Promise<Answer> {
    this.requireRunning();
    const { instance, ...rest } = requireReport(report);
    return this.reportNow(instance, rest);
  }

  protected abstract reportNow(
    id: string,
    report: Omit<DeliveryReport, 'instance'>,
  ): Promise<Answer>;

  reportError(error: unknown, doing: string): void {
    this.commandParts.errors.report(error, typeof doing === 'string' ? doing : 'working');
  }

  async decide(decision: string, given: DecisionGiven): Promise<Answer> {
    const { instance, id } = decisionNames(decision);
    if (id === '' || instance === '') throw unnamedDecision();
    const answer = await this.send(instance, { ...given, type: 'decision.made', id });
    if (answer.accepted || answer.code !== decisionNotOpen) return answer;
    return { ...answer, because: await fateOf(this.store, instance, id) };
  }

  async fork(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    this.#requireInstance(id);
    requireForkPoint(at);
    const { copies, uuid } = this.commandParts;
    const { id: copy = uuid() } = at;
    requireId(copy);
    return copies.make(id, copy, () => this.forkNow(id, { ...at, id: copy }));
  }

  protected abstract forkNow(id: string, at: AtStep | AtCheckpoint): Promise<Started>;

  pause(id: string, act: ByOperator = {}): Promise<Answer> {
    return this.#act(id, { type: 'pause' }, act);
  }

  resume(id: string, act: ByOperator = {}): Promise<Answer> {
    return this.#act(id, { type: 'resume' }, act);
  }

  cancel(id: string, reason?: string, act: ByOperator = {}): Promise<Answer> {
    return this.#act(id, { type: 'cancel', ...(reason === undefined ? {} : { reason }) }, act);
  }

  async intervene(id: string, text: string, act: InterveneOptions = {}): Promise<Answer> {
    this.#requireInstance(id);
    const { upTo } = requireObject(act, 'options of the act');
    return this.interveneNow(id, text, { ...actFields(act), ...(upTo !== undefined && { upTo }) });
  }

  /** @param act the fields of the event that say who writes */
  protected abstract interveneNow(id: string, text: string, act: InterveneOptions): Promise<Answer>;

  async takeOver(id: string, options: TakeOverOptions): Promise<Answer> {
    const { forMs, ...act } = requireObject(options, 'options of the act');
    requirePerson(act.by);
    return this.#act(id, { type: 'operator.take_over', for_ms: requireClaimTime(forMs) }, act);
  }

  async renewClaim(id: string, act: Required<Pick<ByOperator, 'by'>>): Promise<Answer> {
    const { by } = requireObject(act, 'options of the act');
    return this.#act(id, { type: 'operator.renew_claim' }, { by: requirePerson(by) });
  }

  async handBack(id: string, act: ByOperator): Promise<Answer> {
    return this.#act(id, { type: 'operator.hand_back' }, act);
  }

  async addNote(id: string, by: string, text: string): Promise<Answer> {
    const event = { type: 'operator.add_note', text: requireNote(text) };
    return this.#act(id, event, { by: requirePerson(by) });
  }

  async migrate(id: string, options: MigrateOptions = {}): Promise<Answer> {
    this.#requireInstance(id);
    const { map, from, ...rest } = requireObject(options, 'options of the migration');
    requireKnown(rest, ['map', 'from'], 'options of the migration');
    return this.migrateNow(id, { map: requireMap(map), ...(from !== undefined && { from }) });
  }

  protected abstract migrateNow(id: string, options: MigrateOptions): Promise<Answer>;

  async undoMigration(id: string): Promise<Answer> {
    this.#requireInstance(id);
    return this.undoNow(id);
  }

  protected abstract undoNow(id: string): Promise<Answer>;

  async draft(id: string, options: DraftOptions): Promise<{ readonly text: string }> {
    this.#requireInstance(id);
    const { by, signal } = requireObject(options, 'options of the draft');
    requirePerson(by);
    const count = (calls: readonly DraftedCall[]) =>
      this.#act(id, { type: 'operator.count_draft', calls }, { by });
    return countedDraft(count, this.store, id, this.commandParts.drafting, signal);
  }

  async #act(id: string, event: EventObject, act: ByOperator): Promise<Answer> {
    this.#requireInstance(id);
    const fields = jsonOf({ ...event, ...actFields(act) }, 'event');
    return this.sendNow(id, fields as JsonObject & EventObject);
  }

  async erase(options: EraseOptions): Promise<ErasureReceipt> {
    this.requireRunning();
    requireKnown(options, ['contact', 'channel', 'running', 'rewrite'], 'options of the erase');
    const { running = 'refuse', rewrite } = options;
    if (running !== 'refuse' && running !== 'end')
      throw badRequest(`"running" is "refuse" or "end", not ${JSON.stringify(running)}.`);
    return this.eraseNow(requireContact(options, this.channels), running, rewrite === true);
  }

  /** @param contact in its canonical form */
  protected abstract eraseNow(
    contact: string,
    running: NonNullable<EraseOptions['running']>,
    rewrite: boolean,
  ): Promise<ErasureReceipt>;

  async backup(target: string): Promise<void> {
    this.requireRunning();
    if (typeof target !== 'string') throw badRequest('The target of a backup is a text.');
    await this.store.backup(target);
  }

  events(filter: EventFilter = {}): AsyncIterableIterator<Event> {
    const checked = checkedEventFilter(filter, this.channels);
    return this.eventsNow(checked) as AsyncIterableIterator<object> as AsyncIterableIterator<Event>;
  }

  protected abstract eventsNow(filter: EventFilter): AsyncIterableIterator<HostEvent>;

  cursor(filter: Pick<EventFilter, 'instance'> = {}): Promise<string> {
    requireKnown(filter, ['instance'], 'options of the cursor');
    return this.cursorNow(filter);
  }

  protected abstract cursorNow(filter: Pick<EventFilter, 'instance'>): Promise<string>;

  abstract readerPosition(name: string): ReaderPosition;

  abstract settle(options?: WaitOptions): Promise<boolean>;

  override stop(options: WaitOptions = {}): Promise<void> {
    const { within = 10_000 } = requireObject(options, 'options of the stop');
    this.#stopping ??= this.stopNow(within).then(() => this.#end(this.loss));
    return this.#stopping;
  }

  /** @param within milliseconds that running turns get to finish */
  protected abstract stopNow(within: number): Promise<void>;

  announce(url: string | undefined): Promise<void> {
    this.requireRunning();
    return this.announceNow(url);
  }

  protected abstract announceNow(url: string | undefined): Promise<void>;

  async ready(): Promise<void> {
    this.requireRunning();
    await this.list({}, { limit: 1 });
    await this.requireWritable();
  }

  /** @throws StoreError */
  protected requireWritable(): Promise<void> {
    return Promise.resolve();
  }

  protected get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Why another host has the store. */
  protected get loss(): StoreError | undefined {
    return this.store.ownership.lost.reason as StoreError | undefined;
  }

  #requireInstance(id: string): void {
    this.requireRunning();
    if (!isInstanceId(id)) throw unknownInstance(id);
  }

  /** @throws HostError `host/stopped`; StoreError `store/lost` */
  protected requireRunning(): void {
    if (this.loss) throw this.loss;
    if (this.isStopping) throw hostStopped();
  }
}
