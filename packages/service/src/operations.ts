import type {
  Act,
  ActFilter,
  Answer,
  AtCheckpoint,
  AtStep,
  ByOperator,
  InterveneOptions,
  Charts,
  CheckpointSummary,
  DecisionFilter,
  DecisionGiven,
  DecisionSummary,
  DeliveryReport,
  EraseOptions,
  ErasureReceipt,
  EventFilter,
  DraftOptions,
  HostEvent,
  HostVerification,
  InboxFilter,
  InboxItem,
  InstanceAssessment,
  InstanceFilter,
  InstanceSummary,
  InstanceView,
  ItemFilter,
  ItemSummary,
  MigrateOptions,
  MigrationMap,
  QueueCounts,
  Routed,
  TakeOverOptions,
  TranscriptLine,
  WrittenContact,
} from '@dramaturg/host';
import type { DamagedRecord, LineRange, Page, PageRequest } from '@dramaturg/host/store';
import type { Diagnostic, EventObject, Json } from '@dramaturg/compiler';
import type { DefinitionFile, MessageOrder, StartOrder } from './wire/wire.ts';

/** How a request was sent. */
export interface Sent {
  /** The trace of the sender. Spec: W3C Trace Context, section 3.2 */
  readonly traceparent?: string | undefined;
}

/** Reads the instances of a store: from the store itself, or through the host that runs it. */
export interface ReadOperations {
  readonly list: (filter: InstanceFilter, page: PageRequest) => Promise<Page<InstanceSummary>>;
  /** The instance with this id, else some of the instances whose ids begin with it. */
  readonly find: (prefix: string) => Promise<readonly InstanceSummary[]>;
  readonly queues: () => Promise<QueueCounts>;
  readonly inbox: (filter: InboxFilter, page: PageRequest) => Promise<Page<InboxItem>>;
  readonly acts: (filter: ActFilter, page: PageRequest) => Promise<Page<Act>>;
  readonly get: (id: string) => Promise<InstanceView>;
  readonly items: (id: string, filter: ItemFilter, page: PageRequest) => Promise<Page<ItemSummary>>;
  readonly transcript: (id: string, range: LineRange) => Promise<readonly TranscriptLine[]>;
  readonly journal: (id: string, range: LineRange) => Promise<readonly Json[]>;
  readonly charts: (id: string) => Promise<Charts>;
  readonly decisions: (filter: DecisionFilter, page: PageRequest) => Promise<Page<DecisionSummary>>;
  readonly decision: (decision: string) => Promise<DecisionSummary & { readonly data: Json }>;
  readonly checkpoints: (id: string) => Promise<readonly CheckpointSummary[]>;
  readonly damaged: () => Promise<readonly DamagedRecord[]>;
  /** What a migration to a version of a definition would do to its instances that have not ended. Nothing changes. */
  readonly assess: (
    definition: DefinitionFile,
    map: MigrationMap,
    page: PageRequest,
  ) => Promise<Page<InstanceAssessment>>;
  /** The text of one JSON document, in parts. */
  readonly export: (given: WrittenContact) => AsyncIterable<string>;
  readonly verify: (onProgress: (done: number, all: number) => void) => Promise<HostVerification>;
}

/** A definition that new instances can be started from. */
export interface DefinitionSummary {
  readonly name: string;
  readonly format: string;
}

/** The name of a person may be left out where a token says it. */
type ByOwner<Options extends object> = Omit<Options, 'by'> & { readonly by?: string };

/** Everything that a host does for people and programs outside. */
export interface Operations extends ReadOperations {
  readonly start: (
    order: StartOrder,
    sent?: Sent,
  ) => Promise<{ readonly id: string; readonly state: string }>;
  readonly send: (id: string, event: EventObject) => Promise<Answer>;
  readonly decide: (decision: string, given: DecisionGiven) => Promise<Answer>;
  readonly receive: (message: MessageOrder, sent?: Sent) => Promise<Routed>;
  readonly fork: (
    id: string,
    at: AtStep | Omit<AtCheckpoint, 'channel'>,
  ) => Promise<{ readonly id: string; readonly state: string }>;
  readonly pause: (id: string, act?: ByOperator) => Promise<Answer>;
  readonly resume: (id: string, act?: ByOperator) => Promise<Answer>;
  readonly cancel: (id: string, reason?: string, act?: ByOperator) => Promise<Answer>;
  readonly intervene: (id: string, text: string, act?: InterveneOptions) => Promise<Answer>;
  readonly takeOver: (id: string, options: ByOwner<TakeOverOptions>) => Promise<Answer>;
  readonly renewClaim: (id: string, options: ByOwner<ByOperator>) => Promise<Answer>;
  readonly handBack: (id: string, act: ByOperator) => Promise<Answer>;
  readonly addNote: (id: string, text: string, options: ByOwner<ByOperator>) => Promise<Answer>;
  readonly draft: (
    id: string,
    options: ByOwner<DraftOptions>,
  ) => Promise<{ readonly text: string }>;
  readonly migrate: (id: string, options?: MigrateOptions) => Promise<Answer>;
  readonly undoMigration: (id: string) => Promise<Answer>;
  readonly erase: (
    options: EraseOptions & Required<Pick<EraseOptions, 'running'>>,
  ) => Promise<ErasureReceipt>;
  /** @param target an absolute path where nothing exists */
  readonly backup: (target: string) => Promise<void>;
  readonly definitions: () => Promise<readonly DefinitionSummary[]>;
  /** Checks a definition. Nothing is stored. */
  readonly check: (file: DefinitionFile) => Promise<readonly Diagnostic[]>;
  /** Adds or replaces a definition, for instances that start from now on. */
  readonly define: (file: DefinitionFile) => Promise<DefinitionSummary>;
}

/** What a process serves: the operations of its host, and its events. */
export interface ServedOperations extends Operations {
  readonly events: (filter: EventFilter) => AsyncIterable<HostEvent>;
  /** The cursor after the last stored event; undefined where the events have no order. */
  readonly cursor: (filter: Pick<EventFilter, 'instance'>) => Promise<string | undefined>;
  /** The names of the host's channels. */
  readonly channels: readonly string[];
  readonly reportDelivery: (report: DeliveryReport) => Promise<Answer>;
}
