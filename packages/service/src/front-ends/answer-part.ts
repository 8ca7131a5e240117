import type { Rest } from '@dramaturg/host/channel';

/** A part of the answer to a message. */
export type AnswerPart =
  /** `key` is the id of the message that is being made. `by` is the person who has written it by hand. */
  | {
      readonly type: 'text-start';
      readonly key: string;
      readonly isByHand: boolean;
      readonly by?: string | undefined;
    }
  | { readonly type: 'text-delta'; readonly key: string; readonly text: string }
  /** `text` is what is stored; `isReplaced` when the parts were another text. */
  | {
      readonly type: 'text-end';
      readonly key: string;
      readonly text: string;
      readonly isReplaced: boolean;
    }
  /** The call has failed, or the turn was interrupted: what was given of its text does not count. */
  | { readonly type: 'text-withdrawn'; readonly key: string }
  | { readonly type: 'state'; readonly state: string }
  /** The instance rests. `merged`: the message is answered together with a later one. */
  | { readonly type: 'done'; readonly state: string; readonly reason: Rest | 'merged' }
  | { readonly type: 'failed'; readonly code: string; readonly detail: string };
