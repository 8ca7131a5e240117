import { numberIn } from './answer.ts';
import { type Field, textRequestOf } from './field.ts';
import { optionsMeant } from './options-meant.ts';
import { acceptedFor, optionsInWords } from './question.ts';
import { readDecline } from './reading/decline.ts';
import { isGreeting } from './reading/greeting.ts';
import { readNumbers } from './reading/number.ts';
import { answeringPart, asksAboutAsking, isQuestionBack } from './reading/question-back.ts';
import { wantsToSkip } from './reading/skip-wish.ts';
import type { TextKind } from './reading/text.ts';
import { excerpt } from './reading/words.ts';
import { accepts } from './schema.ts';

/** What to say before a question is repeated: why the message did not answer it. */
export function repromptFor(message: string, field: Field, maySkip: boolean): string {
  const text = message.trim();
  if (text === '') return 'I did not hear anything.';
  if (isGreeting(text)) return 'Hello!';
  if (asksAboutAsking(text)) return `I am asking because I need ${acceptedFor(field)}.`;
  if (isQuestionBack(text)) return 'I am sorry, I cannot answer that.';
  if (wantsToSkip(text) && !maySkip) return 'I am sorry, I cannot leave this one out.';
  const decline = readDecline(text);
  if (decline === 'refusal' && field.kind.kind !== 'yes-no')
    return maySkip
      ? 'If you would rather not say, you can say "skip".'
      : 'I understand, but I cannot go on without it.';
  return unclear(text, field) ?? `${quoted(text)} does not look like ${nouns[wantedText(field)]}.`;
}

const nouns = {
  any: 'an answer',
  name: 'a name',
  place: 'a place',
  email: 'an email address',
  phone: 'a phone number',
  url: 'a web address',
  date: 'a date',
  'exact-date': 'a whole date',
  'exact-time': 'a time of day',
  identifier: 'such a number',
} as const;

function wantedText(field: Field): TextKind {
  return field.kind.kind === 'text' ? textRequestOf(field).kind : 'any';
}

/** What is unclear in an answer of the right kind. */
function unclear(text: string, field: Field): string | undefined {
  const { kind } = field;
  const said = answeringPart(text);
  if (kind.kind === 'choice' || kind.kind === 'choices') {
    const meant = optionsMeant(text, said, kind.options, field);
    if (meant.length > 1)
      return `That could be ${optionsInWords(
        kind.options.filter((_, index) => meant.includes(index)),
        ' or ',
      )}. Which one do you mean?`;
    return `${quoted(text)} is not one of the answers I know.`;
  }
  if (kind.kind === 'yes-no') return `I could not tell whether ${quoted(text)} means yes or no.`;
  if (kind.kind !== 'number') return undefined;
  const read = numberIn(excerpt(said), field, []);
  if (read === undefined || readNumbers(excerpt(said)).length === 0)
    return `I did not find a number in ${quoted(text)}.`;
  if (typeof read === 'number')
    return accepts(field.schema, read) ? undefined : `${read} is not possible here.`;
  if ('unit' in read) return `I need it in ${read.unit}s.`;
  return `That could be ${read.among.join(' or ')}. Which one is it?`;
}

function quoted(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').replaceAll('"', "'");
  return `"${line.length <= 60 ? line : `${line.slice(0, 60)} …`}"`;
}
