import type { PortCall, SpokenLine } from '@dramaturg/compiler';

/** What was said before the message in hand. */
export interface Conversation {
  /** The lines before the message, the latest last. */
  readonly lines: readonly SpokenLine[];
  readonly lastAgentLine: string;
  /** What the person has said before the message, the latest last. */
  readonly contactLinesBefore: readonly string[];
}

/** Where no transcript is kept. */
export const nothingBefore: Conversation = {
  lines: [],
  lastAgentLine: '',
  contactLinesBefore: [],
};

/** Further back nothing is looked up. */
const mostLines = 60;

/** The conversation as far as the caller keeps it: without a transcript there is nothing before the message. */
export async function conversationOf(
  message: string | undefined,
  { transcript }: PortCall,
): Promise<Conversation> {
  const all = transcript === undefined ? [] : await transcript(mostLines);
  const last = all.at(-1);
  const isInHand = message !== undefined && last?.role === 'contact' && last.text === message;
  const lines = isInHand ? all.slice(0, -1) : all;
  return {
    lines,
    lastAgentLine: lines.findLast(({ role }) => role === 'agent')?.text ?? '',
    contactLinesBefore: lines.flatMap(({ role, text }) => (role === 'contact' ? [text] : [])),
  };
}
