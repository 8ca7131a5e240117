import type { PortInput } from '@dramaturg/compiler';
import { evidenceFor } from './reading/choice.ts';
import { wordsOf, wordsOfName } from '@dramaturg/compiler/text';
import { excerpt, isStopWord } from './reading/phrases.ts';

/** The words by which a message picks an option. */
export interface UnderstudyCue {
  readonly option: string;
  readonly description: string;
  readonly words: readonly string[];
}

/** How many words a cue lists at most. */
const mostWords = 8;

/**
 * The words by which the understudy tells options apart: a message with one of them speaks for the option.
 *
 * @returns a cue for each option, in their order; without words if only its id picks it
 */
export function understudyCues(options: PortInput<'choose'>['options']): UnderstudyCue[] {
  const lists = options.map(({ id, description }) => [
    ...wordsOfName(id),
    ...wordsOf(excerpt(description)),
  ]);
  return options.map(({ id, description }, index) => {
    const candidates = [...new Map((lists[index] ?? []).map((word) => [word.stem, word])).values()];
    const words = candidates
      .filter((word) => !isStopWord(word) && /^[\p{L}'-]{3,}$/u.test(word.text))
      .flatMap((word) => {
        const scores = evidenceFor(lists, [word], 'stem').map(({ score }) => score);
        const own = scores[index] ?? 0;
        return own > 0 && scores.every((score, at) => at === index || score < own)
          ? [word.text]
          : [];
      });
    return { option: id, description, words: words.slice(0, mostWords) };
  });
}
