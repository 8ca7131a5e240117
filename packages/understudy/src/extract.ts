import type {
  Json,
  JsonObject,
  PortCall,
  PortInput,
  PortOutput,
  SpokenLine,
} from '@dramaturg/compiler';
import { readAlone, readAnswer } from './answer.ts';
import { asksForTrouble, factsIn, generic, readLabelledValues, recordLabelled } from './facts.ts';
import {
  accepts,
  type Field,
  fieldsOf,
  isObject,
  isSpecific,
  samePath,
  textKindOf,
} from './field.ts';
import { wordsOf } from '@dramaturg/compiler/text';
import { isSlipOf } from './reading/words.ts';
import { isCorrection, withoutCorrectionCue } from './reading/correction.ts';
import {
  answeringPart,
  isQuestionBack,
  readDecline,
  readYesNo,
  wantsHuman,
  wantsToSkip,
} from './reading/phrases.ts';
import { readNumbers } from './reading/number.ts';
import { valueInWords } from './saying/direction.ts';
import { isRival, partsIn } from './parts.ts';
import { severalIn } from './several.ts';
import { replacementIn, withdrawnIn } from './taken-back.ts';

type Asked = NonNullable<PortInput<'extract'>['asked']>;

/**
 * The extract port: reads the answer to the question by its declared type, and other values that the message or earlier
 * lines state plainly. Unclear values are left out, so that the reply asks again.
 */
export function extract(
  input: PortInput<'extract'>,
  call: PortCall,
): PortOutput<'extract'> | Promise<PortOutput<'extract'>> {
  if (call.transcript === undefined) return read(input, emptyConversation, call);
  return readConversation(input.message, call).then((conversation) =>
    read(input, conversation, call),
  );
}

function read(
  input: PortInput<'extract'>,
  conversation: Conversation,
  clock: Pick<PortCall, 'now' | 'timeZone'>,
): PortOutput<'extract'> {
  const { message = '', schema, asked } = input;
  const fields = fieldsOf(schema, clock);
  const field = fields.find(({ path }) => asked !== undefined && samePath(path, asked.path));
  if (asksForHuman(message, field)) return { value: {} };
  if (field && offersPerson(conversation.lastAgentLine) && acceptsOffer(message, field))
    return { value: {} };
  const withdrawn = withdrawnIn(message, schema, fields, field);
  if (withdrawn) {
    const { value, rest } = withdrawn;
    const more = rest ? read({ ...input, message: rest }, conversation, clock).value : {};
    return { value: merge(value, more as JsonObject) };
  }
  const { values, rest, parts } = readOtherFields(message, fields, field);
  const recorded = asked === undefined ? undefined : valueInstead(asked, rest, field);
  let answered: Field | undefined;
  if (field !== undefined && recorded === undefined) {
    const others = fields.filter((each) => each !== field);
    const answer = rest.trim() === '' ? 'unread' : readAnswer(rest, field, false, others);
    const confirmed = confirmedValue(message, field, asked?.unconfirmed, conversation);
    if (confirmed !== undefined) values.set(field, confirmed);
    else if (
      typeof answer === 'object' &&
      // "No, 4712" has a value, because the field accepts no words.
      (!isDenial(message, conversation) ||
        (isSpecific(field) && !('options' in field.kind) && answer.value !== 0))
    )
      values.set((answered = field), answer.value);
  }
  for (const [each, value] of partsIn(parts, fields, field, values)) values.set(each, value);
  for (const [each, value] of factsFromEarlierLines(message, fields, field, conversation))
    if (!values.has(each) && !(each === field && recorded !== undefined)) values.set(each, value);
  const own = withoutShared(message, values, field, answered);
  const accepted = fields.flatMap((each) => {
    const value = own.get(each);
    return value !== undefined && accepts(each.schema, value) ? [at(each.path, value)] : [];
  });
  return { value: accepted.reduce(merge, recorded ?? {}) };
}

/**
 * Leaves a part of a message to one field: the one that was asked for, or that the message names, or that has the longer value.
 * "K-2291-07" is not also a phone number, nor "2 parcels" the number of the house.
 */
function withoutShared(
  message: string,
  all: ReadonlyMap<Field, Json>,
  asked: Field | undefined,
  answered: Field | undefined,
): Map<Field, Json> {
  const said = wordsOf(message);
  const isSaid = (field: Field) =>
    field.nameWords.some(
      ({ singular }) =>
        !generic.has(singular) && said.some((own) => isSlipOf(own.singular, singular)),
    );
  const strength = (field: Field) => (field === asked ? 2 : Number(isSaid(field)));
  const entries = [...all];
  const sizeOf = (value: Json) => valueInWords(value).length;
  const isShared = ([field, value]: [Field, Json], index: number) =>
    entries.some(([other, whole], place) => {
      if (other === field || !isPartOf(value, whole, message)) return false;
      // "Billing" is not a name.
      const [isOption, isOther] = ['options' in field.kind, 'options' in other.kind];
      if (isOption !== isOther && sizeOf(value) === sizeOf(whole)) return isOther;
      if (typeof value === 'number')
        return other === answered || (whole !== value && strength(other) > strength(field));
      const more = strength(other) - strength(field) || sizeOf(whole) - sizeOf(value);
      return strength(field) === 0 && (more > 0 || (more === 0 && place < index));
    });
  return new Map(entries.filter((entry, index) => !isShared(entry, index)));
}

function isPartOf(value: Json, whole: Json, message: string): boolean {
  const [said = '', all = ''] = [value, whole].map((each) => valueInWords(each).toLowerCase());
  if (typeof value === 'number')
    return said === all && readNumbers(message).filter((each) => each.value === value).length < 2;
  if (typeof value !== 'string' || typeof whole === 'boolean') return false;
  const [digits = '', others = ''] = [said, all].map((each) => each.replace(/\D/gu, ''));
  const isNumber = typeof whole === 'number';
  if (digits.length < 3 || others.length < 3) return !isNumber && all.includes(said);
  return all.includes(said) || others.includes(digits) || (isNumber && digits.includes(others));
}

/** Reads values for other fields than the one in the question, and the part of the message that may answer it. */
function readOtherFields(
  message: string,
  fields: readonly Field[],
  field: Field | undefined,
): { values: Map<Field, Json>; rest: string; parts: string } {
  const said = answeringPart(message);
  const replaces = isCorrection(said);
  const mayFill = fields.filter((each) => each === field || replaces || !each.collected);
  const labelled = readLabelledValues(said, mayFill);
  const open = fields.filter((each) => each !== field && !each.collected);
  const now = open.filter(({ isLater }) => !isLater);
  const wanted = field === undefined ? now : [field, ...now];
  const values = new Map([
    ...factsIn(message, laterFields(open, wanted)),
    ...factsIn(message, now),
  ]);
  for (const [each, value] of values)
    if (labelled.found.some(({ field: other, text }) => other !== each && text === value))
      values.delete(each);
  recordLabelled(labelled, values);
  // If a message names other fields, only the text before the first name answers the question.
  if (labelled.found.length > 0) {
    // "Nope! My name is Bob": no is the answer, if the question is one of yes or no.
    const isYesNo =
      field?.kind.kind === 'yes-no' && !labelled.found.some((each) => each.field.collected);
    const before = isYesNo ? labelled.before : withoutCorrectionCue(labelled.before);
    const isNamed = labelled.found.some((each) => each.field === field);
    return { values, rest: isNamed ? '' : before, parts: said };
  }
  const several = severalIn(said, wanted);
  for (const [each, value] of several) values.set(each, value);
  if (field && several.has(field)) return { values, rest: '', parts: said };
  const replacement = replacementIn(said, fields, field);
  for (const [each, value] of replacement?.known ?? []) values.set(each, value);
  const rest = withoutAddresses(replacement?.rest ?? message, values, field);
  return { values, rest, parts: answeringPart(rest) };
}

const around =
  /^[\s,;/–—-]+|(?:[\s,;/–—-]|(?<!\p{L})(?:leaving|departing|starting|from|in|von|aus|de)(?!\p{L}))+$/giu;

/** Without values of other fields that a name or a place does not contain: "Ada Lovelace ada@example.com". */
function withoutAddresses(
  message: string,
  values: ReadonlyMap<Field, Json>,
  asked: Field | undefined,
): string {
  if (!asked || message.length > 500 || !/^(?:name|place)$/u.test(String(textKindOf(asked))))
    return message;
  let rest = message;
  for (const [field, value] of values)
    if (typeof value === 'string' && /^(?:email|phone|url|place)$/u.test(String(textKindOf(field))))
      rest = rest.replace(value, ' ').replace(around, '');
  return rest;
}

/** The value to record instead of an answer, when the person declines or skips, or when the question is not about a value. */
function valueInstead(
  { ifDeclined, ifSkipped }: Asked,
  message: string,
  field: Field | undefined,
): JsonObject | undefined {
  // Any statement answers a question that is not about a value.
  if (field === undefined)
    return message.trim() !== '' && !isQuestionBack(message) ? ifDeclined : undefined;
  if (ifDeclined !== undefined && readAnswer(message, field, true, []) === 'declined')
    return ifDeclined;
  return wantsToSkip(message) ? (ifDeclined ?? ifSkipped) : undefined;
}

/** Whether the message answers a suggested value with yes or no only. */
function isDenial(message: string, { lastAgentLine }: Conversation): boolean {
  return suggests(lastAgentLine) && message.length < 30 && readYesNo(message) !== undefined;
}

/** The value that the last line suggested, if the person confirms it. Without a transcript, the suggestion comes from the flow. */
function confirmedValue(
  message: string,
  field: Field,
  unconfirmed: Json | undefined,
  { lastAgentLine, contactLinesBefore }: Conversation,
): Json | undefined {
  const isSuggested =
    suggests(lastAgentLine) || (lastAgentLine === '' && unconfirmed !== undefined);
  if (!isSuggested || readYesNo(message) !== true) return undefined;
  const suggestion = suggestionFor(field, contactLinesBefore, unconfirmed);
  if (suggestion) return suggestion.value;
  const [, quoted = ''] =
    new RegExp(`${lead} "(.{1,200})": is that right\\?`, 'u').exec(lastAgentLine) ?? [];
  const answer = readAnswer(quoted, field, false, []);
  return typeof answer === 'object' ? answer.value : undefined;
}

/**
 * Values in earlier lines for fields that are asked for only now. Excludes fields about problems, and the current question if the
 * person denied the suggestion, declined or asked back.
 */
function factsFromEarlierLines(
  message: string,
  fields: readonly Field[],
  field: Field | undefined,
  conversation: Conversation,
): Map<Field, Json> {
  const isUnwilling =
    isDenial(message, conversation) ||
    readDecline(message) !== undefined ||
    isQuestionBack(message);
  const open = fields.filter(
    (each) =>
      !each.collected && !each.isLater && !asksForTrouble(each) && !(each === field && isUnwilling),
  );
  // What was "tomorrow" in an earlier line is not known.
  const wanted = open.map((each) => ({ ...each, dated: () => undefined }));
  const values = new Map<Field, Json>();
  for (const line of conversation.contactLinesBefore) {
    for (const [{ path }, value] of factsIn(line, wanted))
      values.set(
        open.find((each) => each.path === path)!,
        value,
      );
  }
  return values;
}

/** An object with the value at the path. Keys come from schemas, so `__proto__` is a key like any other. */
function at([key = '', ...rest]: readonly string[], value: Json): JsonObject {
  return Object.fromEntries([[key, rest.length > 0 ? at(rest, value) : value]]);
}

/** How many answers to one question must be unreadable before alternatives are offered. */
const attemptsBefore = 3;

const skip = 'say "skip" to leave this out';
const person = 'say "person" to talk to a person';

/** Offers an alternative to answering, after several attempts. */
export function offerAfter(attempts: number, maySkip: boolean): string | undefined {
  if (attempts < attemptsBefore) return undefined;
  return maySkip ? `You can also ${skip}, or ${person}.` : `You can also ${person}.`;
}

/** Whether the message asks for a person, and does not choose an option that is called so. */
export function asksForHuman(message: string, field: Field | undefined): boolean {
  const isOption = field && 'options' in field.kind && readAlone(message, field) !== undefined;
  return wantsHuman(message) && !isOption;
}

export function offersPerson(line: string): boolean {
  return line.includes(person);
}

/** Whether the message ("yes please") accepts an offer. It may be an answer if the field is a yes-or-no question. */
export function acceptsOffer(message: string, field: Field): boolean {
  return field.kind.kind !== 'yes-no' && message.length < 40 && readYesNo(message) === true;
}

/** Merges two objects recursively. The second one takes precedence. */
function merge(first: JsonObject, second: JsonObject): JsonObject {
  const values = new Map<string, Json>(Object.entries(first));
  for (const [key, value] of Object.entries(second)) {
    const before = values.get(key);
    values.set(key, isObject(before) && isObject(value) ? merge(before, value) : value);
  }
  return Object.fromEntries(values);
}

/** The conversation before the current message. Each call reads it from the transcript; nothing is kept. */
export interface Conversation {
  /** The lines before the message, the latest last. */
  readonly lines: readonly SpokenLine[];
  readonly lastAgentLine: string;
  /** The lines of the person before the message, the latest last. */
  readonly contactLinesBefore: readonly string[];
}

/** The conversation of calls without a transcript. */
const emptyConversation: Conversation = { lines: [], lastAgentLine: '', contactLinesBefore: [] };

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
  const firstNew = all.findIndex(({ isNew }) => isNew !== undefined);
  const before = endsWithMessage ? all.slice(0, -1) : all;
  const lines = firstNew < 0 ? before : all.filter(({ isNew }) => isNew === undefined);
  // A line after the new ones has a turn of its own.
  const earlier = firstNew < 0 ? before : all.slice(0, firstNew);
  return {
    lines,
    lastAgentLine: lines.findLast(({ role }) => role === 'agent')?.text ?? '',
    contactLinesBefore: earlier.flatMap(({ role, text }) => (role === 'contact' ? [text] : [])),
  };
}

const lead = 'You mentioned';

/** A value that the person gave before the question for it, and the question whether it is right. */
type Suggestion = { readonly value: Json; readonly text: string } | undefined;

/**
 * The value that the flow wants confirmed, else the latest value of a field that earlier lines state plainly. Yes-or-no questions
 * are asked unchanged.
 */
export function suggestionFor(
  field: Field,
  lines: readonly string[],
  unconfirmed?: Json,
): Suggestion {
  if (field.kind.kind === 'yes-no' || field.kind.kind === 'unreadable') return undefined;
  const suggestion = unconfirmed === undefined ? undefined : suggest(field, unconfirmed);
  if (suggestion !== undefined) return suggestion;
  for (const line of lines.toReversed()) {
    const value = factsIn(line, [field]).get(field);
    const found = value === undefined ? undefined : suggest(field, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function suggest(field: Field, value: Json): Suggestion {
  if (Array.isArray(value) || !accepts(field.schema, value)) return undefined;
  const said = valueInWords(value);
  return said.length <= 200 ? { value, text: `${lead} "${said}": is that right?` } : undefined;
}

/** Whether a line asks the person to confirm a value. */
export function suggests(line: string): boolean {
  return line.includes(`${lead} "`) && line.includes('": is that right?');
}

/**
 * The fields of later questions that may already be read from a message: those that cannot be confused with a field that is
 * wanted now. The other fields are asked for later.
 *
 * @param now the fields that the flow wants now
 */
function laterFields(fields: readonly Field[], now: readonly Field[]): Field[] {
  return fields.filter(
    (field) => field.isLater && !asksForTrouble(field) && !now.some((each) => isRival(each, field)),
  );
}
