import type {
  Answer,
  Charts,
  AtCheckpoint,
  AtStep,
  CheckpointSummary,
  DamagedRecord,
  DecisionFilter,
  DecisionGiven,
  DecisionSummary,
  EraseOptions,
  ErasureReceipt,
  HostEvent,
  InstanceFilter,
  InstanceSummary,
  InstanceView,
  ItemFilter,
  ItemSummary,
  LineRange,
  Page,
  PageRequest,
  Routed,
  TranscriptLine,
  Verification,
} from '@dramaturg/host';
import type { EventObject, Json } from '@dramaturg/compiler';
import type { StartOrder } from '../transport/wire.ts';

/** Reads the instances of a store: from the store itself, or through the host that runs it. */
export interface ReadingDesk {
  /** Whether a host in another process answers. */
  readonly isServed: boolean;
  readonly list: (filter: InstanceFilter, page: PageRequest) => Promise<Page<InstanceSummary>>;
  /** The instance with this id, else some of the instances whose ids begin with it. */
  readonly find: (prefix: string) => Promise<readonly InstanceSummary[]>;
  readonly get: (id: string) => Promise<InstanceView>;
  readonly items: (id: string, filter: ItemFilter, page: PageRequest) => Promise<Page<ItemSummary>>;
  readonly transcript: (id: string, range: LineRange) => Promise<readonly TranscriptLine[]>;
  readonly journal: (id: string, range: LineRange) => Promise<readonly Json[]>;
  readonly charts: (id: string) => Promise<Charts>;
  readonly decisions: (filter: DecisionFilter, page: PageRequest) => Promise<Page<DecisionSummary>>;
  readonly decision: (decision: string) => Promise<DecisionSummary & { readonly data: Json }>;
  readonly checkpoints: (id: string) => Promise<readonly CheckpointSummary[]>;
  readonly damaged: () => Promise<readonly DamagedRecord[]>;
  /** The text of one JSON document, in parts. */
  readonly export: (contact: string) => AsyncIterable<string>;
  /** Begins to report events as they happen. Absent while no host runs the store. */
  readonly events?: (filter: { readonly instance?: string }) => Promise<Events>;
  readonly verify: (onProgress: (done: number, all: number) => void) => Promise<Verification>;
  readonly close: () => Promise<void>;
}

/** Starts and changes the instances of a store: in this process, or through the host that runs it. */
export interface Desk extends ReadingDesk {
  readonly start: (order: StartOrder) => Promise<{ readonly id: string; readonly state: string }>;
  readonly send: (id: string, event: EventObject) => Promise<Answer>;
  readonly decide: (decision: string, given: DecisionGiven) => Promise<Answer>;
  readonly receive: (message: {
    readonly contact: string;
    readonly text: string;
    readonly id?: string;
  }) => Promise<Routed>;
  readonly fork: (
    id: string,
    at: AtStep | Omit<AtCheckpoint, 'channel'>,
  ) => Promise<{ readonly id: string; readonly state: string }>;
  readonly pause: (id: string) => Promise<Answer>;
  readonly resume: (id: string) => Promise<Answer>;
  readonly cancel: (id: string, reason?: string) => Promise<Answer>;
  readonly intervene: (id: string, text: string) => Promise<Answer>;
  readonly erase: (options: Required<EraseOptions>) => Promise<ErasureReceipt>;
  /** @param target an absolute path where nothing exists */
  readonly backup: (target: string) => Promise<void>;
  /** @returns whether all work has finished; undefined where the host is another process, which continues by itself */
  readonly settle: () => Promise<boolean | undefined>;
}

/** The desk of a host that runs in other processes. */
export interface ServedDesk extends Desk {
  readonly isServed: true;
  readonly events: NonNullable<ReadingDesk['events']>;
}

/** Whether instances are run by other processes, rather than by what this process has opened. */
export function isServedDesk(opened: unknown): opened is ServedDesk {
  return (opened as Partial<ServedDesk> | undefined)?.isServed === true;
}

/** The events of a host as they happen. */
export interface Events extends AsyncIterable<HostEvent> {
  readonly close: () => void;
}
