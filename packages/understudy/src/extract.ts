import type { Json, JsonObject, PortCall, PortInput, PortOutput } from '@dramaturg/compiler';
import { readAnswer } from './answer.ts';
import { correctedField, isSpecific } from './corrected-field.ts';
import { type Conversation, readConversation, emptyConversation } from './conversation.ts';
import { factsIn, asksForTrouble } from './facts.ts';
import { type Field, fieldsOf, samePath } from './field.ts';
import { laterFields, withoutTakenNumbers } from './later-fields.ts';
import { readLabelledValues } from './labelled-values.ts';
import { assemble, merge } from './merge.ts';
import { acceptsOffer, offersPerson } from './offer.ts';
import { readCorrection, isCorrection, withoutCorrectionCue } from './reading/correction.ts';
import { readDecline } from './reading/decline.ts';
import { wantsHuman } from './reading/human-wish.ts';
import { answeringPart, isQuestionBack } from './reading/question-back.ts';
import { wantsToSkip } from './reading/skip-wish.ts';
import { withExactDates } from './reading/date.ts';
import { readYesNo } from './reading/yes-no.ts';
import { accepts } from './schema.ts';
import { suggests, suggestionFor } from './suggestion.ts';
import { withdrawnIn } from './withdrawn.ts';

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
  { message = '', schema, asked }: PortInput<'extract'>,
  conversation: Conversation,
  { now, timeZone }: Pick<PortCall, 'now' | 'timeZone'>,
): PortOutput<'extract'> {
  const fields = fieldsOf(schema);
  const field = fields.find(({ path }) => asked !== undefined && samePath(path, asked.path));
  if (wantsHuman(message) && !isOptionOf(field, message)) return { value: {} };
  if (
    offersPerson(conversation.lastAgentLine) &&
    field !== undefined &&
    acceptsOffer(message, field)
  )
    return { value: {} };
  const withdrawn = withdrawnIn(message, schema, fields);
  if (withdrawn) return { value: withdrawn };
  const { values, rest } = readOtherFields(message, fields, field);
  const recorded = asked === undefined ? undefined : valueInstead(asked, rest, field);
  if (field !== undefined && recorded === undefined) {
    const others = fields.filter((each) => each !== field);
    const said = withExactDates(rest, field.schema['format'], now, timeZone);
    const answer = said.trim() === '' ? 'unread' : readAnswer(said, field, false, others);
    const confirmed = confirmedValue(message, field, asked?.unconfirmed, conversation);
    if (confirmed !== undefined) values.set(field, confirmed);
    else if (
      typeof answer === 'object' &&
      (!isDenial(message, conversation) || isMoreThanDenial(field))
    )
      values.set(field, answer.value);
  }
  for (const [each, value] of factsFromEarlierLines(message, fields, field, conversation))
    if (!values.has(each) && !(each === field && recorded !== undefined)) values.set(each, value);
  const value = valueOf(fields, values);
  return { value: recorded === undefined ? value : merge(recorded, value) };
}

interface OtherFields {
  readonly values: Map<Field, Json>;
  /** The part of the message that may answer the question. */
  readonly rest: string;
}

/** Reads what the message says about other fields than the one in the question. */
function readOtherFields(
  message: string,
  fields: readonly Field[],
  field: Field | undefined,
): OtherFields {
  const said = answeringPart(message);
  const replaces = isCorrection(said);
  const mayFill = fields.filter((each) => each === field || replaces || !each.collected);
  const labelled = readLabelledValues(said, mayFill);
  const open = fields.filter((each) => each !== field && !each.collected);
  const now = open.filter(({ isLater }) => !isLater);
  const wanted = field === undefined ? now : [field, ...now];
  const facts = factsIn(message, now, true);
  const later = factsIn(message, laterFields(open, wanted), false);
  const values = new Map([...withoutTakenNumbers(later, facts), ...facts]);
  for (const { field: named, text } of labelled.found) {
    const answer = readAnswer(text, named, false, []);
    if (typeof answer === 'object') values.set(named, answer.value);
    else values.delete(named);
  }
  // If a message names other fields, only the text before the first name answers the question.
  if (labelled.found.length > 0) {
    const isNamed = labelled.found.some((each) => each.field === field);
    return { values, rest: isNamed ? '' : withoutCorrectionCue(labelled.before) };
  }
  const correction = readCorrection(said);
  const corrected = correction && correctedField(correction, fields, field);
  if (corrected !== undefined) {
    values.set(corrected.field, corrected.value);
    return { values, rest: '' };
  }
  return { values, rest: correction?.isPlain === true ? correction.value : message };
}

/** What to record in place of an answer: when the person declines or skips, or the question is not about a value. */
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

/** "No, 4712": what was read is a value, because the field accepts no words. */
function isMoreThanDenial(field: Field): boolean {
  return isSpecific(field) && field.kind.kind !== 'choice' && field.kind.kind !== 'choices';
}

/** The value that the last line suggested, if the person confirms it. Without a transcript, the flow says what was suggested. */
function confirmedValue(
  message: string,
  field: Field,
  unconfirmed: Json | undefined,
  { lastAgentLine, contactLinesBefore }: Conversation,
): Json | undefined {
  const isSuggested =
    suggests(lastAgentLine) || (lastAgentLine === '' && unconfirmed !== undefined);
  if (!isSuggested || readYesNo(message) !== true) return undefined;
  return suggestionFor(field, contactLinesBefore, unconfirmed)?.value;
}

/**
 * Values in earlier lines for fields that are asked for only now. Not for fields about what is wrong, and not for the
 * current question if the person denied the suggestion, declined or asked back.
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
  const known = fields.filter(({ collected }) => collected > 0);
  const values = new Map<Field, Json>();
  for (const line of conversation.contactLinesBefore) {
    const added = withoutTakenNumbers(factsIn(line, open, false), factsIn(line, known, false));
    for (const [each, value] of added) values.set(each, value);
  }
  return values;
}

function isOptionOf(field: Field | undefined, message: string): boolean {
  if (field === undefined || (field.kind.kind !== 'choice' && field.kind.kind !== 'choices'))
    return false;
  return typeof readAnswer(message, field, false, []) === 'object';
}

/** Keeps only values that their schema accepts, in the schema's order. */
function valueOf(fields: readonly Field[], values: ReadonlyMap<Field, Json>): JsonObject {
  return assemble(
    fields.flatMap((field) => {
      const value = values.get(field);
      return value === undefined || !accepts(field.schema, value)
        ? []
        : [{ path: field.path, value }];
    }),
  );
}
