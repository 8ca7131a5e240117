import {
  type Compiled,
  inSentences,
  isRecord,
  type Json,
  type JsonObject,
  visible,
} from '@dramaturg/compiler';
import type { Plan, SessionField } from '@dramaturg/plan';
import type { Output } from '../output.ts';
import { readText } from '../files.ts';
import { UsageError } from '../usage.ts';
import type { TerminalPerson } from './terminal.ts';

/** The fields of the form that is filled in before the conversation. */
export function sessionFields({ format, definition }: Compiled): readonly SessionField[] {
  return format === 'plan' ? (definition as Plan).session_context : [];
}

/** The actor's input as `--input` gives it: JSON, or a file with JSON; a plan's `session` may be left out around the fields. */
export async function readInput(
  given: string | undefined,
  { format }: Compiled,
): Promise<JsonObject> {
  if (given === undefined) return {};
  const inline = given.trimStart().startsWith('{');
  const where = inline ? '--input' : `"${visible(given)}"`;
  const text = inline ? given : await readText(given);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where} is not JSON: ${(error as Error).message}.`, inputHint);
  }
  if (!isRecord(value)) throw new UsageError(`${where} is not a JSON object.`, inputHint);
  return format === 'plan' ? planInput(value as JsonObject) : (value as JsonObject);
}

/** The input of a plan's actor. `session` may be left out around its fields, and `opening` stands beside it. */
export function planInput(given: JsonObject): JsonObject {
  if (isRecord(given['session'])) return given;
  const { opening, ...session } = given;
  return {
    ...(opening === undefined ? {} : { opening }),
    ...(Object.keys(session).length === 0 ? {} : { session }),
  };
}

const inputHint = `Write it like this: --input '{"session": {"company": "Acme"}}'.`;

/** What to say when the form is not filled in and nobody can be asked. */
export function incompleteInput(
  problems: readonly string[],
  fields: readonly SessionField[],
  file: string,
): UsageError {
  const session = Object.fromEntries(
    fields.filter(({ required }) => required).map((field) => [field.id, exampleOf(field)]),
  );
  const json = JSON.stringify({ session }).replaceAll("'", "'\\''");
  return new UsageError(
    `The conversation cannot begin: ${inSentences(problems)}`,
    fields.length === 0
      ? 'Correct what --input gives, or leave it out.'
      : `Pass the fields, such as: dramaturg run ${file} --input '${json}'`,
  );
}

function exampleOf({ type, options, default_value }: SessionField): Json {
  if (default_value !== undefined && default_value !== null) return default_value;
  return { number: 1, boolean: true, string: '...', select: options[0] ?? '...' }[type];
}

/** Asks for every field that is not given yet; undefined when the person leaves. */
export async function fillIn(
  fields: readonly SessionField[],
  given: JsonObject,
  person: TerminalPerson,
  { write, paint }: Output,
): Promise<JsonObject | undefined> {
  const session = { ...given };
  write(`\n${paint('dim', 'Before the conversation')}\n\n`);
  for (const field of fields.filter(({ id }) => !Object.hasOwn(given, id))) {
    if (field.description !== '') write(`  ${paint('dim', visible(field.description))}\n`);
    for (;;) {
      const answer = await person.ask(`  ${visible(questionFor(field))} `);
      if (answer === undefined) return undefined;
      const value = valueOf(answer.trim(), field);
      if (value === undefined && answer.trim() !== '') {
        write(`  ${paint('yellow', '!')} ${visible(wanted(field))}\n`);
      } else if (value === undefined && field.required && field.default_value === undefined) {
        write(`  ${paint('yellow', '!')} This one is needed.\n`);
      } else {
        if (value !== undefined) session[field.id] = value;
        break;
      }
    }
  }
  return session;
}

function questionFor({ label, id, type, options, required, default_value }: SessionField): string {
  const kind = { number: 'a number', boolean: 'yes or no', string: '', select: options.join(', ') }[
    type
  ];
  const hints = [
    kind,
    ...(default_value === undefined || default_value === null
      ? []
      : [
          `Enter for ${typeof default_value === 'string' ? default_value : JSON.stringify(default_value)}`,
        ]),
    ...(required ? [] : ['optional']),
  ].filter((hint) => hint !== '');
  return `${label || id}${hints.length > 0 ? ` (${hints.join('; ')})` : ''}:`;
}

function wanted({ type, options }: SessionField): string {
  if (type === 'select') return `One of these, please: ${options.join(', ')}.`;
  return type === 'number' ? 'A number, please.' : 'Yes or no, please.';
}

function valueOf(answer: string, { type, options }: SessionField): Json | undefined {
  if (answer === '') return undefined;
  const word = answer.toLowerCase();
  switch (type) {
    case 'number':
      return Number.isFinite(Number(answer)) ? Number(answer) : undefined;
    case 'boolean':
      if (['yes', 'y', 'true'].includes(word)) return true;
      return ['no', 'n', 'false'].includes(word) ? false : undefined;
    case 'select':
      return options.find((option) => option.toLowerCase() === word);
    case 'string':
      return answer;
  }
}
