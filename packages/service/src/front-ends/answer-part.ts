/** A part of the answer to a message. */
export type AnswerPart =
  | { readonly type: 'accepted'; readonly instance: string }
  /** `key` is the id of the message that is being made. */
  | { readonly type: 'text-start'; readonly key: string }
  | { readonly type: 'text-delta'; readonly key: string; readonly text: string }
  /** `text` is what is stored; `isReplaced` when the parts were another text. */
  | {
      readonly type: 'text-end';
      readonly key: string;
      readonly text: string;
      readonly isReplaced: boolean;
    }
  /** The call has failed: what was given of its text does not count. */
  | { readonly type: 'text-withdrawn'; readonly key: string }
  | { readonly type: 'state'; readonly state: string }
  /** The turn is over: the instance waits, or has ended. */
  | { readonly type: 'done'; readonly state: string }
  | { readonly type: 'failed'; readonly code: string; readonly detail: string };
