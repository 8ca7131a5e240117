import type { Json, JsonObject } from '@dramaturg/compiler';
import { wordsOfName } from '@dramaturg/compiler/text';
import { readAlone, readAnswer } from './answer.ts';
import { type Field, isFreeText, isObject, isSpecific, textRequestOf } from './field.ts';
import { exactOption } from './reading/choice.ts';
import { type Correction, readCorrection } from './reading/correction.ts';
import { isSlipOf } from './reading/distance.ts';
import { partStarts } from './reading/phrases.ts';

/** What a message replaces, and what is left of it to answer the question. */
interface Replacement {
  /** The known value that the message corrects. */
  readonly known?: { readonly field: Field; readonly value: Json };
  readonly rest: string;
}

/** Reads a correction: of a known value ("sorry, I meant Berlin") or within the answer ("3, sorry 4", "not 40, it was 45"). */
export function replacementIn(
  said: string,
  fields: readonly Field[],
  asked: Field | undefined,
): Replacement | undefined {
  const whole = readCorrection(said);
  const replaced = whole && correctedField(whole, fields, asked);
  if (replaced) return { known: replaced, rest: '' };
  if (whole?.isPlain === true) return { rest: whole.value };
  if (isFreeText(asked)) return undefined;
  const others = fields.filter((each) => each !== asked);
  const isAnswer = (text: string) =>
    asked !== undefined && typeof readAnswer(text, asked, false, others) === 'object';
  for (const start of partStarts(said)) {
    const part = said
      .slice(start)
      .replace(/^(?:(?:and|but|so|oh|well|hm+|um+|uh+|er+|euh|äh+m?|eh+m?)[\s,]+)+/iu, '');
    const before = said.slice(0, start);
    if (asked && isSpecific(asked) && denied.test(before) && readAlone(part, asked) !== undefined)
      return { rest: part };
    // "Olives, no ham" takes nothing back.
    const correction = /^no(?:pe)? (?!wait|sorry|actually)/iu.test(part)
      ? undefined
      : readCorrection(part);
    if (!correction) continue;
    if (isAnswer(correction.value) && isAnswer(before)) return { rest: correction.value };
    const known = correctedField(correction, fields, asked);
    if (known) return { known, rest: before };
    // "3 July 84, sorry 85": the number replaces the last one.
    if (asked && isSpecific(asked) && /^\d+$/u.test(correction.value)) {
      const corrected = before.replace(/\d+(?=\D*$)/u, correction.value);
      return { rest: readAlone(corrected, asked) === undefined ? '' : corrected };
    }
  }
  return undefined;
}

/** "It was not 40, " */
const denied =
  /^.{0,20}(?<!\p{L})(?:not|\p{L}{2,5}n['’]t|(?:is|was|are)nt) (?!sure|certain|know|more|less|over|under|before|after|later).{1,20}[,;.!–—-]\s+$/iu;

/**
 * The known field that a correction without a name is about: the field whose kind fits, and of several such fields the last known
 * one. A text that may also answer the current question does not correct another field.
 */
function correctedField(
  { value: text, old, isPlain }: Correction,
  fields: readonly Field[],
  asked: Field | undefined,
): Replacement['known'] {
  const known = latestKnown(fields);
  const hasOption = asked && optionOf(asked, text) !== undefined;
  for (const field of hasOption ? [] : known) {
    const value = optionOf(field, text);
    if (value !== undefined) return { field, value };
  }
  const answer = asked && readAlone(text, asked);
  if (asked && answer !== undefined && (isSpecific(asked) || !isPlain)) return undefined;
  const fitting = known.flatMap((field) => {
    const value = readAlone(text, field);
    const fitsOld = old === undefined || readAlone(old, field) !== undefined;
    return value === undefined || !fitsOld ? [] : [{ field, value }];
  });
  const ofKind = fitting.find(({ field }) => isSpecific(field));
  if (ofKind) return ofKind;
  const texts = fitting.filter(({ field }) => field.kind.kind === 'text');
  if (isPlain) return texts[0];
  // "No, Anna": may be a name, and does not answer the question.
  return asked !== undefined && isSpecific(asked)
    ? texts.find(({ field }) => textRequestOf(field).kind === 'name')
    : undefined;
}

function optionOf({ kind }: Field, text: string): Json | undefined {
  if (kind.kind !== 'choice') return undefined;
  return kind.options[exactOption(kind.options.map(String), text) ?? -1];
}

/** The known fields, the last known one first. */
function latestKnown(fields: readonly Field[]): readonly Field[] {
  return fields
    .filter(({ collected }) => collected > 0)
    .toReversed()
    .toSorted((a, b) => b.collected - a.collected);
}

// cspell:disable
const forget = [
  "forget|delete|erase|remove|(?:i )?take back|(?:do not|don['’]?t) (?:store|save|keep|remember)",
  'vergiss|vergessen sie|lösche|löschen sie|oublie|oubliez|efface|effacez|supprime|supprimez',
  'olvida|olvide|borra|borre|dimentica|dimentichi|cancella|cancelli|esqueça|apague',
].join('|');
const mine = 'my|the|meinen?|meine|mon|ma|mi|il mio|la mia|(?:o |a )?(?:meu|minha)';
const forgetting = new RegExp(
  `^\\W{0,3}(?:(?:please|can you|could you)[ ,]+)*(?:${forget})(?: about| bitte)? (?:(?:${mine}) (.{1,60}?)|that|what i(?: just)? said|das)(?: again)?(?:,? (?:please|pls|plz|bitte))?(?:\\W{0,3}|[,.;!] (?:and |but )?(?<rest>.+))$`,
  'iu',
);
// cspell:enable

/**
 * "Forget my name", "forget that": the known value that the person takes back, if the schema has a place for it. A
 * request to forget what is asked for does not answer the question. The rest of the message may.
 */
export function withdrawnIn(
  message: string,
  schema: JsonObject,
  fields: readonly Field[],
  asked: Field | undefined,
): { value: JsonObject; rest: string | undefined } | undefined {
  const request = forgetting.exec(message);
  const { properties } = schema;
  if (!request || !isObject(properties) || !Object.hasOwn(properties, 'withdrawn'))
    return undefined;
  const known = latestKnown(fields);
  const rest = request.groups?.['rest'];
  const taken = (field?: Field) => ({
    value: field ? { withdrawn: { [field.path.at(-1)!]: true } } : {},
    rest,
  });
  if (request[1] === undefined) return rest === undefined ? taken(known[0]) : undefined;
  const said = wordsOfName(request[1]);
  // In German, a name may have an n more.
  const isWord = (word: string, own: string) => isSlipOf(word, own) || word === `${own}n`;
  const called = (among: readonly Field[]) =>
    among.filter(({ nameWords, words }) => {
      const has = (own: Field['words'], { singular }: Field['words'][number]) =>
        own.some((each) => isWord(singular, each.singular));
      return said.every((word) => has(words, word)) && said.some((word) => has(nameWords, word));
    });
  const named = called(known);
  if (named.length === 1) return taken(named[0]);
  const isAsked = asked !== undefined && called([asked]).length > 0;
  return rest === undefined && (named.length > 1 || isAsked) ? taken() : undefined;
}
