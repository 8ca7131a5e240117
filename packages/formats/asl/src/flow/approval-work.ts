import type { Decision, Json } from '@dramaturg/compiler';
import type { BatchWork } from './batch.ts';

/** The state of an Approval while it waits. */
export interface ApprovalWork extends BatchWork {
  readonly prompt: string;
  /** Milliseconds since 1970 UTC: the start of the reminders. */
  readonly askedAt: number;
  /** Excluded from deciding on their own request. */
  readonly requestor?: string;
  /** How often the question was asked. */
  readonly timesAsked: number;
  /** How many of its reminders were emitted. */
  readonly remindersEmitted: number;
  /** Approvals so far, where several are required. */
  readonly approvals: readonly Approved[];
  /** All edits so far. */
  readonly edited?: Json;
  /** How often an approval has changed the question. */
  readonly revisions: number;
  /** The timeout was extended once. */
  readonly extended?: true;
  readonly decision?: Decision;
}

/** A type and not an interface, so that it is a `JsonObject`. */
export type Approved = {
  readonly approver: string;
  readonly timestamp: string;
  readonly comment?: string;
};

/** The slice of the visit that an Approval owns. */
export interface ApprovalVisit {
  readonly approval: ApprovalWork;
  /** Milliseconds since 1970 UTC. */
  readonly timeoutAt?: number;
}
