import type { PortCall, SpokenLine } from '@dramaturg/compiler';

/** The conversation before the current message. Read anew from the transcript in each call; nothing is kept. */
export interface Conversation {
  /** The lines before the message, the latest last. */
  readonly lines: readonly SpokenLine[];
  readonly lastAgentLine: string;
  /** The lines of the person before the message, the latest last. */
  readonly contactLinesBefore: readonly string[];
}

/** For calls without a transcript. */
export const emptyConversation: Conversation = {
  lines: [],
  lastAgentLine: '',
  contactLinesBefore: [],
};

/** How many lines of the transcript are read. */
const mostLines = 60;

/** Reads the conversation from the call's transcript; empty without one. */
export async function readConversation(
  message: string | undefined,
  { transcript }: PortCall,
): Promise<Conversation> {
  const all = transcript === undefined ? [] : await transcript(mostLines);
  const last = all.at(-1);
  const endsWithMessage =
    message !== undefined && last?.role === 'contact' && last.text === message;
  const isMarked = all.some(({ isNew }) => isNew !== undefined);
  const before = endsWithMessage ? all.slice(0, -1) : all;
  const lines = isMarked ? all.filter(({ isNew }) => isNew === undefined) : before;
  return {
    lines,
    lastAgentLine: lines.findLast(({ role }) => role === 'agent')?.text ?? '',
    contactLinesBefore: lines.flatMap(({ role, text }) => (role === 'contact' ? [text] : [])),
  };
}
