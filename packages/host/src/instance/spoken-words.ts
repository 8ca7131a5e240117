import { type Chart, isRecord } from '@dramaturg/compiler';
import { bareWord } from '@dramaturg/compiler/text';

/** The effect of a word that is a whole message. */
export type WordMeaning = 'stop' | 'start' | 'person' | 'restart' | 'help';

/** A word of the policy `words`. */
export interface Word {
  readonly text: string;
  readonly means: WordMeaning;
  readonly says?: string;
}

/** The words that carriers act on themselves. Spec: Twilio, "Support for opt-out keywords" */
const carrierStops = [
  'stop',
  'stopall',
  'unsubscribe',
  'cancel',
  'end',
  'quit',
  'optout',
  'revoke',
];
export const carrierStarts: ReadonlySet<string> = new Set(['start', 'yes', 'unstop']);

/** Longer messages are not compared with words. */
const longestMessage = 100;

/** The word of a message without punctuation and case; empty for a long one. */
export function wordIn(text: unknown): string {
  return typeof text === 'string' && text.length <= longestMessage ? bareWord(text) : '';
}

export function isCarrierStop(word: string): boolean {
  return carrierStops.includes(word);
}

/** The words of a lifecycle. A chart is data: invalid entries are skipped. */
export function wordsOf(words: unknown): readonly Word[] {
  return Array.isArray(words) ? (words.filter(isRecord) as unknown as Word[]) : [];
}

/** The words that end an opt-out, in a host with this lifecycle. */
export function startWordsOf({ meta }: Chart): readonly string[] {
  const words = wordsOf(meta?.['words']);
  const own = words.flatMap(({ text, means }) => (means === 'start' ? [text] : []));
  return words.length === 0 ? [] : [...carrierStarts, ...own];
}
