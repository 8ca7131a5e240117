import type { JsonObject } from '@dramaturg/compiler';
import type { Decision, Edits } from '@dramaturg/compiler/machine';
import type { FilledPrompt } from './approval-prompt.ts';
import type { BatchWork } from './batch.ts';

/** The state of an Approval while it waits. */
export interface ApprovalWork extends BatchWork, FilledPrompt {
  /** Milliseconds since 1970 UTC: the start of the reminders. */
  readonly askedAt: number;
  /** The person who may not decide, because the request is their own. */
  readonly requestor?: string;
  /** How often the question was asked. */
  readonly timesAsked: number;
  /** How many of its reminders were emitted. */
  readonly remindersEmitted: number;
  /** Approvals so far, where several are required. */
  readonly approvals: readonly Approved[];
  /** All edits so far. */
  readonly edits?: Edits;
  /** The data of all decisions so far; later ones replace fields of earlier ones. */
  readonly data?: JsonObject;
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
  readonly data?: JsonObject;
};

/** The slice of the visit that an Approval owns. */
export interface ApprovalVisit {
  readonly approval: ApprovalWork;
  /** Milliseconds since 1970 UTC. */
  readonly timeoutAt?: number;
}
