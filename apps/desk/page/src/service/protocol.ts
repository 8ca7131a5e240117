import type { Json } from '@dramaturg/compiler';
import type { InboxItem } from '@dramaturg/host';
import type { Requests } from '@dramaturg/service/client';

/** Requests and answers between the page and the service. Spec: docs/service.md */

export type {
  Act,
  InboxItem,
  InstanceView as Conversation,
  QueueCounts,
  TranscriptLine as Line,
} from '@dramaturg/host';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page. */
  readonly next?: string | undefined;
}

export const queues = ['needsPerson', 'decisions', 'failed', 'paused', 'setAside', 'all'] as const;
export type Queue = (typeof queues)[number];

/** The name is null if the service requires no token: then the operator enters one. */
export type Me = Requests['GET /me']['body'];

/** The owner of a conversation, and the end of the claim in milliseconds since 1970 UTC. */
export type Claim = NonNullable<InboxItem['owner']>;

/** The claim of a conversation while it is valid: it expires without an event. */
export function claimAt(
  { owner }: { readonly owner?: Claim | undefined },
  now: number,
): Claim | undefined {
  return owner && owner.until > now ? owner : undefined;
}

/** The operator of this page. */
export interface Operator extends Me {
  readonly name: string;
}

export type InboxFilter = Omit<Requests['GET /inbox']['input'], 'after' | 'limit'>;

/** An open decision with its instance and state. */
export type DecisionItem = Requests['GET /decisions']['body']['items'][number];

/** An event of the journal, as the service returns it. */
export interface JournalEntry {
  readonly at: number;
  readonly source: string;
  readonly event: { readonly type: string };
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
