import type { Host } from '@dramaturg/host';

/** A message of a contact. Its text is unique. */
export interface Sent {
  readonly id: string;
  readonly text: string;
  /** Numbers of the first attempt and of the acknowledgement, in one sequence for all messages. */
  readonly sentAt: number;
  acknowledgedAt?: number;
  /** The accepted request: its host, and its number in the sequence. */
  takenBy?: { readonly host: Host; readonly at: number };
}

/** A decision, and the person who received its acknowledgement. */
export interface Decided {
  readonly decision: string;
  readonly by: string;
}

/** The actions of the crowd, and the acknowledgements that it has received. The store must have all of them at the end. */
export class Ledger {
  /** Messages by contact, in the order of their first attempts. */
  readonly messages = new Map<string, Sent[]>();
  /** Conversations by contact, in the order of their starts. */
  readonly conversations = new Map<string, string[]>();
  /** Conversations with a contact that never answers, and the number of reminders. */
  readonly silent = new Map<string, number>();
  readonly orders = new Set<string>();
  /** Runs of many items without calls. */
  readonly heaps = new Set<string>();
  /** Reviews, with their acknowledged decisions. */
  readonly reviews = new Map<string, Decided[]>();
  /** Parcels, with the acknowledged events. */
  readonly parcels = new Map<string, string[]>();
  /** Messages by hand that were acknowledged. */
  readonly byHand: { readonly instance: string; readonly text: string }[] = [];
  /** Instances that an operator has asked to cancel. */
  readonly cancelled = new Set<string>();
  /** Contacts whose data was erased. */
  readonly erased = new Set<string>();
  #sequence = 0;

  /** Whether a conversation belongs to a contact whose data was erased. */
  isErased(id: string): boolean {
    return /^talk-(\d+)/.test(id) && this.erased.has(`contact ${id.split('-')[1]}`);
  }

  /** The next number of the sequence. */
  next(): number {
    return (this.#sequence += 1);
  }
}
