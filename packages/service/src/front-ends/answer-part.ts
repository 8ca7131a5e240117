import type { Rest } from '@dramaturg/host/channel';

/** A part of the answer to a message. */
export type AnswerPart =
  /** `key` is the id of the message in progress. `by` is the person who has written it by hand. */
  | {
      readonly type: 'text-start';
      readonly key: string;
      readonly isByHand: boolean;
      readonly by?: string | undefined;
    }
  | { readonly type: 'text-delta'; readonly key: string; readonly text: string }
  /** `text` is the stored text; `isReplaced` if the parts were different. */
  | {
      readonly type: 'text-end';
      readonly key: string;
      readonly text: string;
      readonly isReplaced: boolean;
    }
  /** The call has failed, or the turn was interrupted: the parts sent so far do not count. */
  | { readonly type: 'text-withdrawn'; readonly key: string }
  | { readonly type: 'state'; readonly state: string }
  /** The instance is at rest. `merged`: the message is answered together with a later one. */
  | { readonly type: 'done'; readonly state: string; readonly reason: Rest | 'merged' }
  | { readonly type: 'failed'; readonly code: string; readonly detail: string };
