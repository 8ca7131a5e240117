import type { Json, JsonObject } from '@dramaturg/compiler';
import { wordsOfName } from '@dramaturg/compiler/text';
import { readAlone } from './answer.ts';
import { factsIn } from './facts.ts';
import { type Field, formatOf, isFreeText, isObject, isSpecific, textKindOf } from './field.ts';
import { type Clause, clausesOf } from './reading/clauses.ts';
import { exactOption } from './reading/choice.ts';
import { type Correction, readCorrection } from './reading/correction.ts';
import { isSlipOf } from './reading/words.ts';
import { severalIn } from './several.ts';

/** The known values that a message corrects, and what is left of it to answer the question. */
interface Replacement {
  readonly known: ReadonlyMap<Field, Json>;
  readonly rest: string;
}

/**
 * Reads corrections: of known values ("sorry, I meant Berlin", "and we're 5 now instead of 4"), by their names, their kinds or their
 * options, and of the last number of the answer ("3 July 84, sorry 85").
 */
export function replacementIn(
  said: string,
  fields: readonly Field[],
  asked: Field | undefined,
): Replacement | undefined {
  const whole = readCorrection(said);
  const replaced = whole && correctedField(whole, fields, asked);
  if (replaced) return { known: new Map([[replaced.field, replaced.value]]), rest: '' };
  if (whole?.isPlain === true) return { known: new Map(), rest: whole.value };
  if (isFreeText(asked)) return undefined;
  const known = new Map<Field, Json>();
  let rest = '';
  let topic: Field | undefined;
  for (const { text, stance, corrects } of clausesWithContrast(said)) {
    const bare = text.replace(clauseJoint, '').trim();
    const correction = readCorrection(bare);
    const value = (correction?.value ?? bare).replace(oldValue, '').trim();
    const isNew = stance === 'settled' || correction !== undefined || newer.test(bare);
    const onTopic = topic && readAlone(value, topic);
    const stated = isNew ? correctedIn(value, correction, fields, asked) : [];
    const found = topic && onTopic !== undefined ? [[topic, onTopic] as const] : stated;
    topic = wrong.test(bare) ? latestKnown(fields).find((field) => names(field, bare)) : undefined;
    for (const [field, each] of found) known.set(field, each);
    const isNext = rest !== '' && asked !== undefined;
    if (found.length > 0 || topic || (isNext && stance === 'rejected' && isNamed(asked))) continue;
    const isMeant = corrects || (stance === 'settled' && /\p{Lu}/u.test(value));
    const answer = isNext ? readAlone(value, asked) : undefined;
    // "3 July 84, sorry 85": the number replaces the last one.
    const isNumber = isNew && isNext && isSpecific(asked) && /^\d+$/u.test(value);
    if (isNext && isNamed(asked) && isMeant && answer !== undefined) rest = value;
    else if (isNumber && answer === undefined) rest = rest.replace(/\d+(?=\D*$)/u, value);
    else rest += text;
  }
  // "No, not yet" corrects nothing.
  if (known.size === 0 && rest === '') return undefined;
  return { known, rest: rest.replace(/[\s,]+(?:and|but|or)?\s*$/iu, '') };
}

const clauseJoint =
  /^(?:(?:and|but|so|or|oh|well|btw|by the way|hm+|um+|uh+|er+|euh|äh+m?|eh+m?)[\s,]+)+/iu;
const oldValue = /,? (?:instead of|rather than|(?:and )?not) .{1,60}$/iu;
const newer =
  /(?<!\p{L})(?:instead|new|chang\p{L}+|should be|should have been|spel(?:led|t)|not \S+\W*$)(?!\p{L})/iu;
const wrong = /(?<!\p{L})(?:wrong|incorrect|mistyped|outdated|chang(?:ed|es))(?!\p{L})/iu;

/** The clauses of a text, each with a short contrast after it: "its Rob, not Bob". */
function clausesWithContrast(said: string): Clause[] {
  const clauses = clausesOf(said);
  const isContrast = (clause?: Clause) => /^(?:and )?not /iu.test(clause?.text ?? '');
  return clauses.flatMap((clause, index) => {
    const next = clauses[index + 1];
    if (isContrast(next) && /^\W*(?:and |but )?no\W*$/iu.test(clause.text)) return [];
    const text = isContrast(next) ? clause.text + next!.text : clause.text;
    return index > 0 && isContrast(clause) ? [] : [{ ...clause, text }];
  });
}

/** The known values that a correction states: by a name, by a kind that no other field has, or as the last known value. */
function correctedIn(
  value: string,
  correction: Correction | undefined,
  fields: readonly Field[],
  asked: Field | undefined,
): (readonly [Field, Json])[] {
  const known = latestKnown(fields).filter((field) => field !== asked);
  const format = asked && formatOf(asked.schema);
  const dated = known.filter(({ schema }) => /^(?:date|time)/u.test(String(formatOf(schema))));
  const [only, another] = dated.filter(({ schema }) => formatOf(schema) !== format);
  const day = only && !another ? readAlone(value, only) : undefined;
  const stated = [
    ...(day === undefined ? [] : [[only!, day] as const]),
    ...factsIn(value, known),
    ...severalIn(value, known),
  ];
  if (stated.length > 0 || !correction) return stated;
  const replaced = correctedField(correction, fields, asked);
  return replaced ? [[replaced.field, replaced.value]] : [];
}

function isNamed(asked: Field | undefined): boolean {
  return /^(?:name|place)$/u.test(textKindOf(asked) ?? '');
}

function names({ nameWords }: Field, text: string): boolean {
  const said = wordsOfName(text);
  return nameWords.some(({ singular }) => said.some((word) => isSlipOf(word.singular, singular)));
}

/**
 * The known field that a correction without a name is about: the field whose kind fits, and of several such fields the last known
 * one. A text that may also answer the current question does not correct another field.
 */
function correctedField(
  { value: text, old, isPlain }: Correction,
  fields: readonly Field[],
  asked: Field | undefined,
): { readonly field: Field; readonly value: Json } | undefined {
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
    ? texts.find(({ field }) => textKindOf(field) === 'name')
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
