import type { Json, JsonObject, PortInput, PortOutput } from '@dramaturg/compiler';
import { type Answer, readAnswer } from './asked.ts';
import { type Field, fieldsOf, samePath } from './field.ts';
import { readLabelled } from './labelled.ts';
import { assembled, merged } from './merge.ts';
import { readMentioned } from './mentioned.ts';
import { isCorrection, withoutCorrectionCue } from './reading/correction.ts';
import { answeringPart, isQuestionBack } from './reading/question-back.ts';
import { accepts } from './schema.ts';

/**
 * The extract port: reads the answer to what was asked by its declared type, and picks up what else the message says
 * plainly. What is not plain is left out, for the reply to ask again.
 */
export function extract({
  message = '',
  schema,
  asked,
}: PortInput<'extract'>): PortOutput<'extract'> {
  const fields = fieldsOf(schema);
  const field = fields.find(({ path }) => asked !== undefined && samePath(path, asked.path));
  const said = answeringPart(message);
  const replaces = isCorrection(said);
  const mayFill = fields.filter((each) => each === field || replaces || !each.collected);
  const labelled = readLabelled(said, mayFill);

  const values = readMentioned(
    said,
    fields.filter((each) => each !== field && !each.collected),
  );
  for (const { field: named, text } of labelled.found) {
    const answer = readAnswer(text, named, false, []);
    if (typeof answer === 'object') values.set(named, answer.value);
    else values.delete(named);
  }

  let declined = false;
  if (field !== undefined && !labelled.found.some((each) => each.field === field)) {
    // A message that names other fields answers the question only with what it says before.
    const rest = labelled.found.length === 0 ? message : withoutCorrectionCue(labelled.before);
    const answer: Answer =
      rest.trim() === ''
        ? 'unread'
        : readAnswer(
            rest,
            field,
            asked?.ifDeclined !== undefined,
            fields.filter((each) => each !== field),
          );
    if (typeof answer === 'object') values.set(field, answer.value);
    declined = answer === 'declined';
  }
  // A question that is about no value is answered by whatever is said to it.
  if (asked !== undefined && field === undefined)
    declined = message.trim() !== '' && !isQuestionBack(message);

  const value = valueOf(fields, values);
  return {
    value: declined && asked?.ifDeclined !== undefined ? merged(asked.ifDeclined, value) : value,
  };
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
