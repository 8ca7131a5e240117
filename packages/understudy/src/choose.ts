import { listed } from './reading/words.ts';
import type { PortInput, PortOutput } from '@dramaturg/compiler';
import {
  evidenceFor,
  exactOption,
  namedOption,
  namedOptions,
  readPosition,
  uniqueBest,
} from './reading/choice.ts';
import { wordsOf, wordsOfName } from '@dramaturg/compiler/text';
import { excerpt, readYesNo } from './reading/phrases.ts';

/** Options that a plain yes or no chooses. */
const agreeing = listed('yes true accept accepted agree agreed approve approved confirm confirmed');
const refusing = listed('no false decline declined reject rejected refuse refused disagree cancel');

/**
 * The choose port: returns the option for which the message has evidence, else the fallback, else the first option.
 *
 * @throws Error when the choice requires judgement
 */
export function choose({
  message = '',
  options,
  fallback,
  requiresJudgement,
}: PortInput<'choose'>): PortOutput<'choose'> {
  if (requiresJudgement) {
    throw new Error(
      'The understudy is not a language model and cannot judge a text. Use a model: --model openai:gpt-6-luna, or a port "choose" of your own.',
    );
  }
  const picked = pick(message, options);
  if (picked !== undefined) return picked;
  const standing = options.find(({ id }) => id === fallback);
  const option = standing ?? options[0];
  if (option === undefined) throw new RangeError('There is no option to choose from.');
  const reason = 'Nothing in the message decides';
  return {
    option: option.id,
    reason:
      standing === undefined
        ? `${reason}, so it is the first option.`
        : `${reason}, so the fallback stands.`,
  };
}

function pick(
  message: string,
  options: PortInput<'choose'>['options'],
): PortOutput<'choose'> | undefined {
  const because = (index: number | undefined, reason: string) => {
    const option = index === undefined ? undefined : options[index];
    return option && { option: option.id, reason };
  };
  const text = excerpt(message);
  const ids = options.map(({ id }) => id);
  return (
    because(exactOption(ids, text), 'The message is the name of the option.') ??
    because(readPosition(text, options.length), 'The message gives its place in the list.') ??
    because(namedIn(text, ids), 'The message names the option.') ??
    byEvidence(text, options) ??
    because(agreedIn(text, ids), 'The message agrees or refuses.')
  );
}

function namedIn(text: string, ids: readonly string[]): number | undefined {
  const { affirmed } = namedOptions(ids.map(namedOption), wordsOf(text));
  return affirmed.length === 1 ? affirmed[0] : undefined;
}

/** Words of an id count twice: authors choose ids to tell options apart. */
function byEvidence(
  message: string,
  options: PortInput<'choose'>['options'],
): PortOutput<'choose'> | undefined {
  const text = wordsOf(message);
  const ids = options.map(({ id }) => wordsOfName(id));
  const all = options.map(({ description }, index) => [
    ...(ids[index] ?? []),
    ...wordsOf(excerpt(description)),
  ]);
  const byId = evidenceFor(ids, text, 'stem');
  const byAll = evidenceFor(all, text, 'stem');
  const best = uniqueBest(byAll.map(({ score }, index) => score + (byId[index]?.score ?? 0)));
  const option = best === undefined ? undefined : options[best];
  if (best === undefined || option === undefined) return undefined;
  return { option: option.id, reason: `The message says ${quoted(byAll[best]?.words ?? [])}.` };
}

function agreedIn(text: string, ids: readonly string[]): number | undefined {
  const answer = readYesNo(text);
  if (answer === undefined) return undefined;
  const wanted = answer ? agreeing : refusing;
  const matching = ids.flatMap((id, index) => {
    const words = wordsOfName(id);
    return words.some(({ text: word }) => wanted.has(word))
      ? [{ index, length: words.length }]
      : [];
  });
  // If "no" and "no_answer" are options, a plain no means "no".
  const shortest = Math.min(...matching.map(({ length }) => length));
  const [best, second] = matching.filter(({ length }) => length === shortest);
  return second === undefined ? best?.index : undefined;
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ');
}
