import {
  isRecord,
  type Json,
  type JsonObject,
  type Port,
  type PortInput,
} from '@dramaturg/compiler';
import { closed, fittingPart, misfit } from '@dramaturg/host/tools';
import { paidPort } from '../model/asking.ts';
import { unusableAnswer } from '../model/model-errors.ts';
import { isInConstantPart } from '../prompt/composer.ts';
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

/**
 * The schema that a model gets for an extraction. Providers treat it as the beginning of the prompt, so they cache more if it is
 * constant in a conversation. The answer is always checked by the schema of the call.
 *
 * @param countsForm whether the provider does so
 */
function formFor(
  {
    schema,
    constantSchema,
    prompt,
  }: Pick<PortInput<'extract'>, 'schema' | 'constantSchema' | 'prompt'>,
  countsForm: boolean,
): JsonObject {
  return countsForm && constantSchema !== undefined && covers(constantSchema, schema)
    ? withoutRepeated(constantSchema, prompt)
    : schema;
}

/** Removes descriptions of values that the prompt already contains with their names. */
function withoutRepeated(form: JsonObject, prompt: PortInput<'extract'>['prompt']): JsonObject {
  const properties = Object.entries(propertiesOf(form)).map(([name, property]) => {
    const { description, ...rest } = withoutRepeated(property, prompt);
    const isRepeated =
      typeof description === 'string' &&
      isInConstantPart({ prompt }, name) &&
      isInConstantPart({ prompt }, description);
    return [name, isRepeated || description === undefined ? rest : { description, ...rest }];
  });
  if (properties.length === 0) return form;
  return { ...form, properties: Object.fromEntries(properties) as JsonObject };
}

/**
 * Lists which parts of a constant schema are wanted now, which are known and may be corrected, and which come later.
 *
 * @param schema the schema of the call, with the marks of its format
 * @param form the schema that the model gets
 */
function wantedNow(schema: JsonObject, form: JsonObject): string[] {
  const [wanted, known, later] = [new Parts(), new Parts(), new Parts()];
  const properties = Object.entries(propertiesOf(schema));
  const keys = new Set(properties.flatMap(([, property]) => Object.keys(propertiesOf(property))));
  for (const [name, property] of properties) {
    const inner = Object.entries(propertiesOf(property));
    const keysOf = (mark: (value: JsonObject) => boolean) =>
      inner.flatMap(([key, value]) => (mark(value) ? [key] : []));
    known.add(name, keysOf(isKnown));
    const rest = keysOf(isLater);
    const all = Object.keys(propertiesOf(propertiesOf(form)[name] ?? {}));
    const isAllElse = rest.length > 1 && all.length === inner.length;
    later.add(name, isAllElse ? ['all others'] : rest);
    const open = keysOf((value) => !isKnown(value) && !isLater(value));
    const values = valuesOf(property).filter((value) => !keys.has(value));
    const others = [...open, ...values, ...othersIn(property)];
    if (inner.length === 0 || others.length > 0) wanted.set(name, others);
  }
  return [
    [
      '# What to fill in now',
      ...linesOf(wanted),
      ...(later.size > 0 ? ['If it is said already:', ...linesOf(later)] : []),
      ...(known.size > 0 ? ['Only to correct or confirm:', ...linesOf(known)] : []),
    ].join('\n'),
  ];
}

class Parts extends Map<string, readonly string[]> {
  add(name: string, parts: readonly string[]): void {
    if (parts.length > 0) this.set(name, parts);
  }
}

function linesOf(names: ReadonlyMap<string, readonly string[]>): string[] {
  return [...names].map(([name, parts]) =>
    parts.length === 0 ? `- ${name}` : `- ${name}: ${parts.join(', ')}`,
  );
}

function covers(form: JsonObject, schema: JsonObject): boolean {
  const known = propertiesOf(form);
  return Object.entries(propertiesOf(schema)).every(
    ([name, property]) =>
      Object.hasOwn(known, name) && isRecord(known[name]) && covers(known[name], property),
  );
}

function propertiesOf({ properties }: JsonObject): Readonly<Record<string, JsonObject>> {
  return isRecord(properties) ? (properties as Record<string, JsonObject>) : {};
}

function isKnown(value: JsonObject): boolean {
  return value['x-collected'] !== undefined;
}

function isLater(value: JsonObject): boolean {
  return value['x-later'] === true && !isKnown(value);
}

function othersIn({ additionalProperties }: JsonObject): string[] {
  return isRecord(additionalProperties) ? ['and what else was learnt'] : [];
}

/** The values that a list of names may contain. Names of values are not repeated. */
function valuesOf({ items }: JsonObject): string[] {
  const values = isRecord(items) ? items['enum'] : undefined;
  return Array.isArray(values) ? values.map(String) : [];
}

/** Answers that follow from the question alone, so that no model is asked. */

/** The only value that fits a schema; undefined when there may be several. Properties that a schema does not name are left out. */
function soleValue(schema: JsonObject): Json | undefined {
  const { const: constant, enum: values, type, required, properties, ...rest } = schema;
  if (Object.keys(rest).some((keyword) => !isNote(keyword, rest[keyword]))) return undefined;
  if (constant !== undefined) return constant;
  if (Array.isArray(values) && values.length === 1) return values[0];
  const isClosed = isRecord(properties) || rest['additionalProperties'] === false;
  if (type !== 'object' || !isClosed) return undefined;
  const wanted = Array.isArray(required) ? required : [];
  const entries: [string, Json][] = [];
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    const value = isRecord(property) ? soleValue(property) : undefined;
    if (value === undefined || !wanted.includes(name)) return undefined;
    entries.push([name, value]);
  }
  return entries.length === wanted.length ? Object.fromEntries(entries) : undefined;
}

/** Whether a keyword of a schema can be ignored, because it does not allow more values. */
function isNote(keyword: string, value: Json | undefined): boolean {
  return (
    keyword === 'description' ||
    keyword === 'title' ||
    keyword.startsWith('x-') ||
    (keyword === 'additionalProperties' && value === false)
  );
}

/**
 * The value of a message that consists only of an option of its question, such as the text of a button. Undefined when the same
 * text may answer another question.
 */
function pickedOption(
  { message, asked }: Pick<PortInput<'extract'>, 'message' | 'asked'>,
  schema: JsonObject,
): JsonObject | undefined {
  if (message === undefined || asked === undefined || asked.unconfirmed !== undefined)
    return undefined;
  const said = message.trim().toLowerCase();
  const matching = optionsIn(schema).filter(({ option }) => option.toLowerCase() === said);
  const [only, ...others] = matching;
  if (only === undefined || others.length > 0) return undefined;
  if (JSON.stringify(only.path) !== JSON.stringify(asked.path)) return undefined;
  return only.path.reduceRight<Json>(
    (value, name) => ({ [name]: value }),
    only.option,
  ) as JsonObject;
}

interface Option {
  readonly path: readonly string[];
  readonly option: string;
}

/** All options of a schema, with the paths of their values. */
function optionsIn(schema: JsonObject, path: readonly string[] = []): Option[] {
  const { properties, enum: values } = schema;
  const own = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
  return [
    ...own.map((option) => ({ path, option })),
    ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, property]) =>
      isRecord(property) ? optionsIn(property, [...path, name]) : [],
    ),
  ];
}
