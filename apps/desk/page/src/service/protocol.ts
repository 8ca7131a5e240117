import type { Chart, Json } from '@dramaturg/compiler';
import type { InstanceView, TranscriptLine } from '@dramaturg/host';

/** What the page reads from a service and writes to it. Spec: docs/service.md */

export const queues = ['needsPerson', 'decisions', 'failed', 'paused', 'setAside', 'all'] as const;
export type Queue = (typeof queues)[number];

export interface Me {
  /** Null where the service asks for no token: then the operator says it. */
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

export type QueueCounts = Readonly<Record<Queue, number>>;

/** Who has a conversation, and until when, in milliseconds since 1970 UTC. */
export interface Claim {
  readonly by: string;
  readonly until: number;
}

/** The operator of this page. */
export interface Operator extends Me {
  readonly name: string;
}

/** Why the last turn has failed. */
export interface Failure {
  readonly message: string;
  readonly code: string | null;
}

/** A row of a queue. */
export interface InboxItem {
  readonly id: string;
  readonly contact?: string | undefined;
  readonly definition: { readonly name: string };
  readonly state: string;
  readonly ended: boolean;
  /** The state of its conversation or workflow, in the author's words. */
  readonly place?: string | undefined;
  readonly lastLine?: Pick<Line, 'role' | 'text' | 'at' | 'by'> | undefined;
  readonly waitingSince?: number | undefined;
  readonly owner?: Claim | undefined;
  readonly decisionsOpen?: number | undefined;
  readonly failure?: Failure | undefined;
  readonly updatedAt: number;
}

export interface InboxFilter {
  readonly queue: Queue;
  /** Searches contacts and texts. */
  readonly q?: string;
  readonly state?: string;
  readonly definition?: string;
  readonly owner?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page. */
  readonly next?: string | undefined;
}

/** A line of a conversation; a line by hand names its writer. */
export type Line = TranscriptLine & { readonly by?: string | undefined };

export interface Note {
  readonly at: number;
  readonly by: string;
  readonly text: string;
}

export type Conversation = InstanceView & {
  readonly queue?: string | undefined;
  readonly owner?: Claim | undefined;
  readonly notes?: readonly Note[] | undefined;
};

export interface Charts {
  readonly lifecycle: { readonly chart: Chart };
  readonly flow?: { readonly chart: Chart } | undefined;
}

/** Something that an operator did. */
export interface Act {
  readonly at: number;
  /** Null for a program without a name. */
  readonly by: string | null;
  readonly act: string;
  readonly instance: string;
  readonly contact?: string | undefined;
  /** The chosen option of a decision. */
  readonly option?: string | undefined;
  /** The beginning of a message, a note, a comment or a reason. */
  readonly text?: string | undefined;
}

/** An event of the journal. */
export interface JournalLine {
  readonly type: string;
  readonly at: number;
  readonly source: string;
  readonly state?: string | undefined;
  readonly title?: string | undefined;
  readonly [field: string]: Json | undefined;
}
