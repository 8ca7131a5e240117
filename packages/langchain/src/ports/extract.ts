import {
  isRecord,
  type Json,
  type JsonObject,
  type Port,
  type PortInput,
} from '@dramaturg/compiler';
import { closed, fittingPart, misfit } from '@dramaturg/host/tools';
import { paidPort } from '../model/asking.ts';
import { formFor, wantedNow } from '../answer/constant-form.ts';
import { pickedOption, soleValue } from '../answer/rule-answers.ts';
import { unusableAnswer } from '../model/model-errors.ts';
import type { Judge } from '../written/judge.ts';

/** Makes a port that fills the schema. After two invalid answers, the invalid parts are left out. */
export function extractPort(judge: Judge): Port<'extract'> {
  return paidPort('extract', async (input, asking) => {
    const { tools = [] } = input;
    const schema = withoutMarks(input.schema);
    const known = tools.length > 0 ? undefined : (soleValue(schema) ?? pickedOption(input, schema));
    if (isRecord(known)) return { value: known };
    const form = formFor({ ...input, schema }, judge.answers.countsForm);
    const result = await judge.ask(input, asking, {
      form: answerForm,
      now: [...(form === schema ? [] : wantedNow(input.schema, form)), ...instructionsFor(input)],
      schema: form,
      // Unknown properties are left out, which the strict mode of providers does not allow.
      strict: false,
      tools,
      read: (value) => readValue(value, schema),
    });
    if ('toolCalls' in result) return { value: {}, toolCalls: [...result.toolCalls] };
    if ('answer' in result) return { value: result.answer };
    const whole = isRecord(result.value) ? tidied(result.value, schema) : {};
    const part = fittingPart(whole, schema) ?? fittingPart({}, schema);
    if (!isRecord(part)) throw unusableAnswer(judge.answers.contextOf(asking), result.problem);
    return { value: part };
  });
}

/**
 * The schema without marks, which change from call to call: the provider can cache it, and the prompt has the information of the
 * marks.
 */
function withoutMarks(schema: JsonObject): JsonObject {
  const { 'x-collected': _, 'x-later': _later, 'x-limits': _limits, properties, ...rest } = schema;
  if (!isRecord(properties)) return schema['properties'] === undefined ? rest : schema;
  const unmarked = Object.entries(properties).map(([name, property]) => [
    name,
    isRecord(property) ? withoutMarks(property) : property,
  ]);
  return { ...rest, properties: Object.fromEntries(unmarked) as JsonObject };
}

function readValue(value: unknown, schema: JsonObject) {
  if (!isRecord(value)) return { problem: 'The answer has to be an object.' };
  const answer = tidied(value, schema);
  const problem = misfit(answer, schema);
  return problem === undefined ? { answer } : { problem };
}

function tidied(value: Readonly<Record<string, unknown>>, schema: JsonObject): JsonObject {
  const answer = closed(value, schema) as JsonObject;
  return misfit(answer, schema) === undefined ? answer : (withoutNull(answer) as JsonObject);
}

/** Removes null values: models write null for unknown properties. */
function withoutNull(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNull(inner)]),
  );
}

const answerForm = [
  '# The answer',
  'Fill in what was said, in the given form. Leave out every property that was not said: no guesses, no null.',
].join('\n');

function instructionsFor({ asked }: PortInput<'extract'>): string[] {
  if (asked === undefined) return [];
  const { path, ifDeclined, unconfirmed } = asked;
  return [
    [
      `The person was last asked for ${JSON.stringify(path.join('.'))}.`,
      ...(unconfirmed === undefined
        ? []
        : [
            'They have said it before, and were asked to confirm it. If they agree, record the same value again; if they do not, leave it out, or record what they say instead.',
          ]),
      ...(ifDeclined === undefined
        ? []
        : [`If they decline to tell, record this instead: ${JSON.stringify(ifDeclined)}.`]),
    ].join('\n'),
  ];
}
