import type { Author, ChatLink, KeptFile } from '../../../src/protocol.ts';
import { config, say } from '../config.ts';
import { type ChatState, isBusy, type PendingMessage } from '../state/chat-state.ts';

/** A message in the list. */
export interface MessageRow {
  readonly kind: 'message';
  readonly key: string;
  readonly from: Author;
  readonly text: string;
  readonly at: number;
  readonly links: readonly ChatLink[];
  readonly files: readonly KeptFile[];
  /** Whether another message of the same author is right above. */
  readonly isContinued: boolean;
  /** Whether the time is shown: below the last message of a group. */
  readonly isLast: boolean;
  /** The delivery of the visitor's own messages. `received`: the conversation has it. */
  readonly delivery: PendingMessage['state'] | 'received';
  /** The id of the message that it replaces. */
  readonly replaces: string | undefined;
  /** Whether a later message replaces it. */
  readonly isReplaced: boolean;
  /** Whether the visitor can edit it. */
  readonly isEditable: boolean;
  /** Whether the delivery state is shown although nothing is wrong: at the visitor's last message. */
  readonly showsDelivery: boolean;
}

/** A message of the agent that is not finished. */
interface Begun {
  readonly key: string;
  readonly isContinued: boolean;
}

/** The rows of the list, from top to bottom. */
export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly text: string }
  | MessageRow
  | ({ readonly kind: 'draft'; readonly text: string } & Begun)
  | ({ readonly kind: 'typing' } & Begun);

/** Messages of one author within this time are a group. */
const groupMs = 5 * 60_000;

/** The ids that pages make. Messages of the contact that came through another channel are not edited here. */
const ownId = /^[\w-]{8,64}$/;

/** @returns the rows of the list, each with a key of its own */
export function rowsOf({ messages, pending, draft, status }: ChatState): readonly Row[] {
  const all = [
    ...messages.map((message) => ({ ...message, delivery: 'received' as const })),
    ...pending.map(({ state, ...message }) => ({
      ...message,
      from: 'visitor' as const,
      delivery: state,
    })),
  ];
  const rows: Row[] = [];
  const open = status === 'ended' ? undefined : messages.at(-1)?.conversation;
  /** The last edits, by the ids of the first messages. */
  const edits = new Map(all.map(({ id, replaces }) => [replaces, id]));
  let today = '';
  for (const [index, each] of all.entries()) {
    const { id, from, text, at, replaces, delivery, files = [], ...rest } = each;
    const date = new Date(at).toDateString();
    if (date !== today) rows.push({ kind: 'day', key: `day:${date}`, text: dayText(at) });
    const [above, below] = [all[index - 1], all[index + 1]];
    const isContinued =
      date === today &&
      above?.from === from &&
      at - above.at < groupMs &&
      above.delivery !== 'failed';
    today = date;
    const isLast =
      below?.from !== from ||
      below.at - at >= groupMs ||
      new Date(below.at).toDateString() !== date;
    const links = 'links' in rest ? (rest.links ?? []) : [];
    const edit = edits.get(replaces ?? id);
    const isReplaced = edit !== undefined && edit !== id;
    const isOpen = 'conversation' in rest && rest.conversation === open;
    const isEditable = from === 'visitor' && isOpen && !isReplaced && ownId.test(replaces ?? id);
    const showsDelivery = from === 'visitor' && below === undefined;
    rows.push({
      kind: 'message',
      key: id,
      from,
      text,
      at,
      links,
      files,
      isContinued,
      isLast,
      delivery,
      replaces,
      isReplaced,
      isEditable,
      showsDelivery,
    });
  }
  const isContinued = all.at(-1)?.from === 'agent';
  if (draft) rows.push({ kind: 'draft', key: draft.id, text: draft.text, isContinued });
  else if (isBusy(status)) rows.push({ kind: 'typing', key: 'typing', isContinued });
  return rows;
}

const time = new Intl.DateTimeFormat(config.language, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(config.language, { dateStyle: 'full' });

const dayMs = 86_400_000;

export function timeText(at: number): string {
  return time.format(at);
}

/** The day of a time: today, yesterday or its date. */
function dayText(at: number): string {
  const given = new Date(at).toDateString();
  if (given === new Date().toDateString()) return say('today');
  if (given === new Date(Date.now() - dayMs).toDateString()) return say('yesterday');
  return day.format(at);
}
