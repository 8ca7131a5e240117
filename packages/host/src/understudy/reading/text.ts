import { isGreeting, withoutGreeting } from './greeting.ts';
import { isSentence, readName } from './name.ts';
import { answeringPart } from './question-back.ts';

/** What a free-text answer is asked for, as far as it changes how the answer is read. */
export interface TextWanted {
  /** A person's name: what surrounds it in a sentence is not part of it. */
  readonly name: boolean;
  /** A place: "I'm from Zurich" says "Zurich". */
  readonly place: boolean;
  /** A request or a question: one is then an answer and not a question back. */
  readonly question: boolean;
}

/** Longer answers are cut: whatever is stored with a conversation is bounded. */
const longestText = 10_000;

/** The message as an answer in free text: without greeting, lead-in and full stop, and otherwise as it was written. */
export function readText(message: string, wanted: TextWanted): string | undefined {
  const answering = answeringPart(
    wellFormed(message.slice(0, longestText)),
    wanted.question,
  ).trim();
  if (answering === '' || isGreeting(answering)) return undefined;
  if (wanted.name) {
    const name = readName(withoutGreeting(answering));
    if (name !== undefined || isSentence(answering)) return name;
  }
  const text = withoutFullStop(withoutLeadIn(withoutGreeting(answering), wanted));
  return text === '' ? undefined : text;
}

const it = /^(?:it['’]?s|it is|that['’]?s|that is|that would be|it would be)\s+(?=\S)/iu;
const place =
  /^(?:i['’]?m|i am|i come|i live|i['’]?m living|i am living|living|we live|we['’]?re)\s+(?:originally |currently |based )?(?:from|in)\s+(?=\S)/iu;

/** Past so many words, "it's ..." is a sentence and not a lead-in. */
const shortAnswer = 4;

function withoutLeadIn(text: string, wanted: TextWanted): string {
  if (wanted.place && place.test(text)) return text.replace(place, '');
  const rest = text.replace(it, '');
  return rest.split(/\s+/u, shortAnswer + 1).length <= shortAnswer ? rest : text;
}

const abbreviation = /(?:\b(?:dr|mr|mrs|ms|st|jr|sr|prof|inc|ltd|co|etc)|\.\p{L}|\b\p{L})\.$/iu;

/** Without the full stop, comma or exclamation mark at its end. The dots of "Jr.", "p.m." and "..." stay. */
function withoutFullStop(text: string): string {
  const trimmed = text.trim();
  if (abbreviation.test(trimmed.slice(-8)) || trimmed.endsWith('..')) return trimmed;
  let end = trimmed.length;
  while (end > 0 && /[.,;!\s]/u.test(trimmed[end - 1] ?? '')) end -= 1;
  return end === 0 ? trimmed : trimmed.slice(0, end);
}

/** Half of a character at the end of a cut text is dropped. */
function wellFormed(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text.slice(-1)) ? text.slice(0, -1) : text;
}
