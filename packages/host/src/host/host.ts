import type { Chart, EventObject, JsonObject } from '@dramaturg/compiler';
import type { Definition } from '../definitions/definition.ts';
import type { WrittenContact } from '../contact.ts';
import type { EraseOptions } from '../erasure/eraser.ts';
import type { ErasureReceipt } from '../erasure/receipt.ts';
import type { DeliveryReport } from '../instance/delivery-reports.ts';
import type { Answer, HostEvent } from '../instance/event.ts';
import type { StoreError } from '../store/errors.ts';
import type { DecisionGiven } from './decisions.ts';
import type { DraftOptions } from './draft.ts';
import type { EventFilter } from './event-streams.ts';
import type { InstanceReader } from './instance-reader.ts';
import type { Started } from './instance-starter.ts';
import type { Routed } from './message-router.ts';
import type { MigrateOptions } from './migrating.ts';
import type { ByOperator, InterveneOptions, TakeOverOptions } from './operator.ts';
import type { AtCheckpoint, AtStep, StartOptions } from './options.ts';
import type { ReaderPosition } from './reader-position.ts';

export interface WaitOptions {
  /** Milliseconds to wait at most. 10,000 when left out. */
  readonly within?: number;
}

/** A message from outside. */
export interface ReceivedMessage extends WrittenContact {
  readonly text: string;
  /** The channel's own: messages with the same id are one message. */
  readonly id?: string;
  /**
   * What the channel adds to the text, such as links of attachments: at most 32,768 characters of JSON. It is stored with the
   * message, and is data that nothing obeys.
   */
  readonly data?: JsonObject;
  /** When the person has sent it, as the provider says, in milliseconds since 1970 UTC. */
  readonly sentAt?: number;
  /** The id of the message that it quotes or whose button it is. Where the provider does not know the id, the text of that message. */
  readonly replyTo?: string;
  /** The trace of the request that brings it, which the trace of the instance is linked with. Spec: W3C Trace Context, section 3.2 */
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

/**
 * Runs instances of definitions as durable actors: one at a time for each contact, one event at a time for each instance,
 * and everything stored before it has an effect. See docs/host.md.
 *
 * `createHost` returns the host of one machine; other engines have hosts of their own. `hostContract` says what every host
 * keeps.
 *
 * @typeParam Event the events of its instances: a facade that knows its formats knows their events
 */
export interface Host<Event extends object = HostEvent> extends Pick<
  InstanceReader,
  keyof InstanceReader
> {
  /** The names of the definitions that this host was given. The store may have more, of earlier hosts. */
  readonly definitions: readonly string[];

  /** How many instances are in memory. */
  readonly activeCount: number;

  /**
   * The chart of the latest version of a definition. New instances start with it.
   *
   * @throws HostError `host/unknown-definition`
   */
  chart(definition: string): Promise<Chart>;

  /**
   * Adds a definition. It replaces a definition with the same name for instances that start from now on.
   *
   * @throws LinkError, ChartError when the chart names code that its format does not have
   */
  define(definition: Definition): void;

  /**
   * Starts an instance. Fulfils when the instance is stored; its first turn then runs by itself.
   *
   * With `id` and `once`, the same start may be repeated when its answer was lost: it starts one instance, also after a crash.
   *
   * With `message`, the contact has written first, and the first reply answers it. If the message is refused, nothing is
   * started.
   *
   * @throws InputError when the input of the definition or of its lifecycle does not fit
   * @throws HostError `host/unknown-definition`, `host/exists`, `host/bad-request`, `host/unknown-option`,
   *   `host/message-refused`
   */
  start(definition: string, options?: StartOptions): Promise<Started>;

  /**
   * Sends an event to an instance: `message.received`, `decision.made`, or an event of its definition. Fulfils when its
   * effect is stored (H1). An event that is not accepted changes nothing, and the answer says why.
   *
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  send(id: string, event: EventObject): Promise<Answer>;

  /**
   * Receives a message from outside, for the instance that holds the contact. When no instance does, the message is not
   * kept, and the answer has `instance: null` and the code `host/no-holder`.
   *
   * Messages and starts of one contact are handled in the order of the calls: a message after a start goes to the started
   * instance, or to the one that it waits for; a message before a start has no holder if the contact was free.
   *
   * With `orStart`, such a message starts a conversation, which receives it. Of several first messages at once, one starts the
   * conversation and the others are routed to it.
   *
   * @param message `id` is the channel's own: messages with the same id are one message
   * @throws HostError `host/bad-request`, `host/unknown-option`; with `orStart` as `start`
   */
  receive(message: ReceivedMessage): Promise<Routed>;

  /**
   * Stores what a provider reports about a message after its channel has accepted it. The transcript line of the message shows the
   * latest report. A repeated report changes nothing, and neither does one that comes late: `read` never goes back to `delivered`.
   * Instances that have ended take reports too.
   *
   * @throws HostError `host/unknown-instance`, `host/bad-request`, `host/unknown-option`
   */
  reportDelivery(report: DeliveryReport): Promise<Answer>;

  /**
   * Reports trouble to the person who runs the host, through `onError`: for channels, about what they do not give to the host. Without
   * secrets, and at most once every ten seconds for errors of one kind.
   *
   * @param doing what has failed, with names in quotes: `receiving the message "m-1" through email`
   */
  reportError(error: unknown, doing: string): void;

  /**
   * Answers a question that an instance has asked a person. A question is answered once, in the state that asked it. A
   * decision that is refused changes nothing, and the answer says why: the option is not offered, a field is not editable,
   * the person may not decide, or the question is not open any more.
   *
   * @param decision the instance and the id of the decision, as `decisions` lists it: `order-1/pac454m8`
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  decide(decision: string, given: DecisionGiven): Promise<Answer>;

  /**
   * Starts an instance as a copy of another one, which is not changed and may have ended. At a save point, the copy goes on
   * with calls and timers of its own. After a step (counted in the journal from 1), open calls are made and due timers fire;
   * the copy has no contact, and its messages are discarded.
   *
   * @throws HostError `host/unknown-instance`, `host/unknown-checkpoint`, `host/bad-request`, `host/exists`
   */
  fork(id: string, at: AtStep | AtCheckpoint): Promise<Started>;

  /**
   * Interrupts an instance. While somebody else has it by `takeOver`, this, `resume`, `cancel` and `intervene` are refused with
   * `host/claimed`; without a claim everyone may do them.
   */
  pause(id: string, act?: ByOperator): Promise<Answer>;

  /** Lets a paused instance go on, and one that needs a person: a failed turn is tried again. Releases a claim. */
  resume(id: string, act?: ByOperator): Promise<Answer>;

  /** Ends an instance. Messages that were decided and not sent yet are discarded. */
  cancel(id: string, reason?: string, act?: ByOperator): Promise<Answer>;

  /**
   * Writes to the contact by hand. Fulfils when the channel has accepted the message. If it does not, nothing has changed,
   * and the transcript does not have the message.
   */
  intervene(id: string, text: string, act?: InterveneOptions): Promise<Answer>;

  /**
   * Takes a conversation over for a person, in one step: pauses it, with its timers and reminders, and claims it. The claim holds for
   * `forMs` after the last act of its owner. It expires without an event; the conversation then stays paused, and anyone may act on
   * it. Refused with `host/claimed` while somebody else has it, unless `force` is given.
   *
   * @returns with `owner`
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  takeOver(id: string, options: TakeOverOptions): Promise<Answer>;

  /** Renews the claim of a person. Refused with `host/not-claimed` when they do not have one. */
  renewClaim(id: string, options: { readonly by: string }): Promise<Answer>;

  /**
   * Releases a claim and resumes the conversation, in one step. The next turn answers what the contact has written in between.
   * Refused with `host/not-claimed` when nobody has taken it over.
   */
  handBack(id: string, act: ByOperator): Promise<Answer>;

  /** Adds a note for other people. Neither the contact nor a model gets it. */
  addNote(id: string, by: string, text: string): Promise<Answer>;

  /**
   * Migrates an instance to the latest version of its definition, which `define` has added. Its states, data, open calls and timers go on
   * under the new version; `assess` says before what each instance would lose. A migration is one step with a line in the journal, which
   * time travel and forks repeat. Repeated, it changes nothing. Refused with `migration/blocked` when the new version cannot go on with
   * it, with `migration/other-version`, and with `instance/ended`.
   *
   * @throws HostError `host/unknown-instance`, `host/unknown-definition`, `host/bad-request`, `host/unknown-option`
   */
  migrate(id: string, options?: MigrateOptions): Promise<Answer>;

  /**
   * Undoes the migration of an instance while it is the last step. Later it is refused with `migration/not-last`.
   *
   * @throws HostError `host/unknown-instance`
   */
  undoMigration(id: string): Promise<Answer>;

  /**
   * What the agent would say now: the turn that `resume` would start runs on a copy in memory, with the real models. Nothing is
   * stored or sent, except that the calls count as the instance's.
   *
   * @throws HostError `host/unknown-instance`; `host/no-draft` when nothing waits for an answer, and when the agent would first call
   *   a tool that may change something
   */
  draft(id: string, options: DraftOptions): Promise<{ readonly text: string }>;

  /**
   * Erases everything about a contact: its instances with transcripts, journals and snapshots, their copies, the agents that
   * they have called, save points and memories. Then the store is compacted, so that no byte is left in its files. What was
   * interrupted is completed by repeating it. See docs/stores.md#a-persons-data
   *
   * @returns counts, without personal data
   * @throws InstancesRunningError with the instances that have not ended, unless `running` is `end`; HostError
   *   `host/cannot-erase`, `host/bad-request`, `host/unknown-option`
   */
  erase(options: EraseOptions): Promise<ErasureReceipt>;

  /**
   * Copies the store as it is at one instant, while the host runs. The copy is a store of the same kind, and is verified.
   *
   * @param target a path that does not exist
   * @throws StoreError `store/exists`; `store/bad-request` for a store in memory
   */
  backup(target: string): Promise<void>;

  /**
   * Events from now on, each once it is stored: of one instance in the order of its journal, of a contact or of all instances in the
   * order in which the store committed them. With `after`, all events after a cursor: first the stored ones, then those to come, none
   * missing and none twice. A host that stops ends the iteration. On Restate, `after` needs `instance`.
   *
   * @throws HostError `host/bad-request`, `host/unknown-option`. While iterating: `host/slow-subscriber` without `after`; with it
   *   `host/unknown-cursor`, and `host/unknown-instance` also when the instance is erased
   */
  events(filter?: EventFilter): AsyncIterableIterator<Event>;

  /**
   * The cursor after the last stored event of an instance, or of all instances and contacts: `events({ after })` with it gives what
   * is stored from now on.
   *
   * @throws HostError `host/unknown-instance`; `host/bad-request` without `instance` on Restate, which has no order of all events
   */
  cursor(filter?: Pick<EventFilter, 'instance'>): Promise<string>;

  /**
   * Where a reader of the events of all instances goes on in the next process, stored with the instances. Traces use it.
   *
   * @param name of the reader: letters, digits, `-` and `_`
   * @throws HostError `host/bad-request`
   */
  readerPosition(name: string): ReaderPosition;

  /**
   * Tells programs on other machines, which know the store, the URL of this host's service: commands use it in place of the store. It
   * holds until the next host opens the store. Without a URL, they find none.
   */
  announce(url: string | undefined): Promise<void>;

  /**
   * Fulfils while the host carries out commands: it runs, its store can be read, and the last write to it did not fail or can be
   * repeated now.
   *
   * @throws HostError `host/stopped`; StoreError
   */
  ready(): Promise<void>;

  /**
   * Waits until no turn, no message and no call-up of a waiting instance is in progress or waits for a slot, and until the
   * work of the last host is resumed. Instances that wait for a person or a timer do not count. On a manual clock it waits without an
   * end when `within` is left out.
   *
   * @returns false when the time is up before that
   */
  settle(options?: WaitOptions): Promise<boolean>;

  /**
   * Refuses further commands, lets running turns finish for a while, parks the others, and closes the store. A parked turn
   * resumes with the same keys when the store is opened again (H4).
   */
  stop(options?: WaitOptions): Promise<void>;

  /** Stops the host at the end of the block: `await using host = await createHost(...)`. */
  [Symbol.asyncDispose](): Promise<void>;

  /**
   * Fulfils when the host has stopped: with undefined after `stop`, and with the error `store/lost` when another host has taken
   * its store. Such a host stops by itself: it writes and sends nothing more, and every call rejects with that error, reads
   * included.
   */
  readonly stopped: Promise<StoreError | undefined>;
}
