import type { ChatFrame, ChatMessage, ChatStatus, SentFile } from '../../../src/protocol.ts';

/** Whether the page receives frames. `closed`: the channel does not accept the visitor. */
export type Connection = 'connecting' | 'open' | 'reconnecting' | 'offline' | 'closed';

/** A message of the visitor that the conversation does not have yet. `sent`: the channel has it, but its echo has not come yet. */
export interface PendingMessage {
  readonly id: string;
  readonly text: string;
  readonly at: number;
  /** The id of the message that it replaces. */
  readonly replaces?: string;
  readonly files?: readonly SentFile[];
  readonly state: 'waiting' | 'sending' | 'sent' | 'failed';
}

/** A message that is being written by the agent. */
export interface Draft {
  readonly id: string;
  /** The text that is shown. */
  readonly text: string;
  /** The text of the running attempt: shorter than `text` when a call is repeated. */
  readonly attempt: string;
}

/** Everything that the page shows. */
export interface ChatState {
  readonly messages: readonly ChatMessage[];
  readonly hasEarlier: boolean;
  readonly pending: readonly PendingMessage[];
  readonly draft: Draft | undefined;
  readonly status: ChatStatus;
  readonly connection: Connection;
  /** When a message that came too early is sent again, milliseconds since 1970 UTC. */
  readonly slowUntil: number | undefined;
}

export const initialState: ChatState = {
  messages: [],
  hasEarlier: false,
  pending: [],
  draft: undefined,
  status: 'new',
  connection: 'connecting',
  slowUntil: undefined,
};

/** The state after a frame of the stream. */
export function afterFrame(state: ChatState, frame: ChatFrame): ChatState {
  switch (frame.type) {
    case 'snapshot':
      return withoutEchoes({
        ...state,
        ...joined(state, frame),
        status: frame.status,
        draft: isBusy(frame.status) ? state.draft : undefined,
      });
    case 'message':
      return withoutEchoes(afterMessage(state, frame.message));
    case 'part':
      return { ...state, draft: afterPart(state.draft, frame) };
    case 'status':
      return {
        ...state,
        status: frame.status,
        draft: isBusy(frame.status) ? state.draft : undefined,
      };
  }
}

export function isBusy(status: ChatStatus): boolean {
  return status === 'typing' || status === 'delayed';
}

/** A snapshot has the latest messages only. Earlier ones that are shown stay, if there is no gap. */
function joined(
  { messages: before }: ChatState,
  { messages, hasEarlier }: Extract<ChatFrame, { type: 'snapshot' }>,
): Pick<ChatState, 'messages' | 'hasEarlier'> {
  const first = before.findIndex(({ id }) => id === messages[0]?.id);
  return first > 0
    ? { messages: [...before.slice(0, first), ...messages], hasEarlier }
    : { messages, hasEarlier };
}

function afterMessage(state: ChatState, message: ChatMessage): ChatState {
  const draft = state.draft?.id === message.id ? undefined : state.draft;
  const index = state.messages.findIndex(({ id }) => id === message.id);
  const messages = index < 0 ? [...state.messages, message] : state.messages.with(index, message);
  return { ...state, messages, draft };
}

/** Without the pending messages that the conversation has. */
export function withoutEchoes(state: ChatState): ChatState {
  const known = new Set(state.messages.map(({ id }) => id));
  const pending = state.pending.filter(({ id }) => !known.has(id));
  return pending.length === state.pending.length ? state : { ...state, pending };
}

/** A repeated call may produce the same text again: the shown text stays until the new one is longer. */
function afterPart(
  draft: Draft | undefined,
  { id, text, offset }: Extract<ChatFrame, { type: 'part' }>,
): Draft | undefined {
  // The call has failed: its text is withdrawn.
  if (text === '' && offset === 0) return undefined;
  const before = draft?.id === id ? draft : { text: '', attempt: '' };
  const attempt = before.attempt.slice(0, offset) + text;
  const isRepeated = attempt.length <= before.text.length && before.text.startsWith(attempt);
  return { id, attempt, text: isRepeated ? before.text : attempt };
}

/** Owns the state of the page. */
export class Store {
  #state: ChatState = initialState;
  readonly #listeners: ((state: ChatState, before: ChatState) => void)[] = [];

  get state(): ChatState {
    return this.#state;
  }

  update(change: (state: ChatState) => ChatState): void {
    const before = this.#state;
    this.#state = change(before);
    if (this.#state === before) return;
    for (const listener of this.#listeners) listener(this.#state, before);
  }

  onChange(listener: (state: ChatState, before: ChatState) => void): void {
    this.#listeners.push(listener);
  }
}
