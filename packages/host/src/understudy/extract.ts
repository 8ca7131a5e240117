import type { Json, JsonObject, PortCall, PortInput, PortOutput } from '@dramaturg/compiler';
import { readAnswer } from './answer.ts';
import { correctedField } from './corrected-field.ts';
import { type Conversation, conversationOf, nothingBefore } from './conversation.ts';
import { factsIn, isTroubled } from './facts.ts';
import { type Field, fieldsOf, samePath } from './field.ts';
import { readLabelled } from './labelled-values.ts';
import { assembled, merged } from './merge.ts';
import { acceptsOffer, offersPerson } from './offer.ts';
import { readCorrection, isCorrection, withoutCorrectionCue } from './reading/correction.ts';
import { readDecline } from './reading/decline.ts';
import { wantsHuman } from './reading/human-wish.ts';
import { answeringPart, isQuestionBack } from './reading/question-back.ts';
import { wantsToSkip } from './reading/skip-wish.ts';
import { readYesNo } from './reading/yes-no.ts';
import { accepts } from './schema.ts';
import { suggests, suggestionFor } from './suggestion.ts';

type Asked = NonNullable<PortInput<'extract'>['asked']>;

/**
 * The extract port: reads the answer to what was asked by its declared type, and picks up what else the message says
 * plainly, or was said before the question came. What is not plain is left out, for the reply to ask again.
 */
export function extract(
  input: PortInput<'extract'>,
  call: PortCall,
): PortOutput<'extract'> | Promise<PortOutput<'extract'>> {
  if (call.transcript === undefined) return read(input, nothingBefore);
  return conversationOf(input.message, call).then((conversation) => read(input, conversation));
}

function read(
  { message = '', schema, asked }: PortInput<'extract'>,
  conversation: Conversation,
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
  const { values, rest } = spokenOf(message, fields, field);
  const recorded = asked === undefined ? undefined : insteadOf(asked, rest, field);
  if (field !== undefined && recorded === undefined) {
    const others = fields.filter((each) => each !== field);
    const answer = rest.trim() === '' ? 'unread' : readAnswer(rest, field, false, others);
    const confirmed = confirmedValue(message, field, conversation);
    if (confirmed !== undefined) values.set(field, confirmed);
    else if (typeof answer === 'object' && !isDenial(message, conversation))
      values.set(field, answer.value);
  }
  for (const [each, value] of saidBefore(message, fields, field, conversation))
    if (!values.has(each) && !(each === field && recorded !== undefined)) values.set(each, value);
  const value = valueOf(fields, values);
  return { value: recorded === undefined ? value : merged(recorded, value) };
}

interface Spoken {
  readonly values: Map<Field, Json>;
  /** The part of the message that may answer the question. */
  readonly rest: string;
}

/** What the message says of other fields than the one that was asked for. */
function spokenOf(message: string, fields: readonly Field[], field: Field | undefined): Spoken {
  const said = answeringPart(message);
  const replaces = isCorrection(said);
  const mayFill = fields.filter((each) => each === field || replaces || !each.collected);
  const labelled = readLabelled(said, mayFill);
  const values = factsIn(
    message,
    fields.filter((each) => each !== field && !each.collected),
    true,
  );
  for (const { field: named, text } of labelled.found) {
    const answer = readAnswer(text, named, false, []);
    if (typeof answer === 'object') values.set(named, answer.value);
    else values.delete(named);
  }
  // A message that names other fields answers the question only with what it says before.
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

/** What to record in place of an answer: the person declines, leaves it out, or has answered what is about no value. */
function insteadOf(
  { ifDeclined, ifSkipped }: Asked,
  message: string,
  field: Field | undefined,
): JsonObject | undefined {
  // A question that is about no value is answered by whatever is said to it.
  if (field === undefined)
    return message.trim() !== '' && !isQuestionBack(message) ? ifDeclined : undefined;
  if (ifDeclined !== undefined && readAnswer(message, field, true, []) === 'declined')
    return ifDeclined;
  return wantsToSkip(message) ? (ifDeclined ?? ifSkipped) : undefined;
}

/** "No", to a value that was put to the person. */
function isDenial(message: string, { lastAgentLine }: Conversation): boolean {
  return suggests(lastAgentLine) && message.length < 30 && readYesNo(message) !== undefined;
}

/** The value that the last line suggested, when the person says that it is right. */
function confirmedValue(
  message: string,
  field: Field,
  { lastAgentLine, contactLinesBefore }: Conversation,
): Json | undefined {
  if (!suggests(lastAgentLine) || readYesNo(message) !== true) return undefined;
  return suggestionFor(field, contactLinesBefore)?.value;
}

/**
 * What was said earlier of fields that are wanted only now. In what a person calls wrong, and where they do not want to
 * tell, nothing is taken for granted.
 */
function saidBefore(
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
    (each) => !each.collected && !isTroubled(each) && !(each === field && isUnwilling),
  );
  const values = new Map<Field, Json>();
  for (const line of conversation.contactLinesBefore)
    for (const [each, value] of factsIn(line, open, false)) values.set(each, value);
  return values;
}

function isOptionOf(field: Field | undefined, message: string): boolean {
  if (field === undefined || (field.kind.kind !== 'choice' && field.kind.kind !== 'choices'))
    return false;
  return typeof readAnswer(message, field, false, []) === 'object';
}

/** Only what its schema accepts, in the schema's order. */
function valueOf(fields: readonly Field[], values: ReadonlyMap<Field, Json>): JsonObject {
  return assembled(
    fields.flatMap((field) => {
      const value = values.get(field);
      return value === undefined || !accepts(field.schema, value)
        ? []
        : [{ path: field.path, value }];
    }),
  );
}
