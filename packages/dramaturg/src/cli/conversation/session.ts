import { type Compiled, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type FormField, inSentences } from '@dramaturg/compiler/format';
import { visible } from '@dramaturg/compiler/text';
import { inputFor } from '../../form-input.ts';
import { formatNamed } from '../../known-formats.ts';
import type { Output } from '../output.ts';
import { readJsonArgument } from '../files.ts';
import { UsageError } from '../usage-error.ts';
import type { TerminalPerson } from './terminal.ts';

/** The form of a definition: the key of the input that holds the answers, and the fields to fill in. */
export interface DefinitionForm {
  readonly key: string;
  readonly fields: readonly FormField[];
}

/** The form that is filled in before the conversation; undefined when the format has none. */
export function formIn({ format, definition }: Compiled): DefinitionForm | undefined {
  const form = formatNamed(format)?.form;
  return form && { key: form.key, fields: form.fields(definition) };
}

/** The answers that the input already gives. */
export function answersOf(input: JsonObject, key: string): JsonObject {
  const answers = input[key];
  return isRecord(answers) ? answers : {};
}

/** The actor's input as `--input` gives it: JSON, or a file with JSON. The answers of a form may be given alone. */
export async function readInput(
  given: string | undefined,
  { format }: Compiled,
): Promise<JsonObject> {
  if (given === undefined) return {};
  const value = await readJsonArgument(given, '--input', inputHint);
  if (isRecord(value)) return inputFor(format, value);
  throw new UsageError('The input is not a JSON object.', inputHint);
}

const inputHint = `Write it like this: --input '{"session": {"company": "Acme"}}'.`;

/** The error for an input that is not complete when no person can fill in the form. */
export function incompleteInput(
  problems: readonly string[],
  form: DefinitionForm | undefined,
  file: string,
): UsageError {
  const { key, fields } = form ?? { key: '', fields: [] };
  const answers = Object.fromEntries(
    fields.filter(({ required }) => required).map((field) => [field.id, exampleOf(field)]),
  );
  const json = JSON.stringify({ [key]: answers }).replaceAll("'", "'\\''");
  return new UsageError(
    `The conversation cannot begin: ${inSentences(problems)}`,
    fields.length === 0
      ? 'Correct the value of --input, or leave the option out.'
      : `Pass the fields, such as: dramaturg run ${file} --input '${json}'`,
  );
}

function exampleOf({ type, options, default_value }: FormField): Json {
  if (default_value !== undefined && default_value !== null) return default_value;
  return { number: 1, boolean: true, string: '...', select: options[0] ?? '...' }[type];
}

/** Asks for every field that has no answer yet. @returns undefined when the person leaves */
export async function fillIn(
  fields: readonly FormField[],
  given: JsonObject,
  person: TerminalPerson,
  { write, paint }: Output,
): Promise<JsonObject | undefined> {
  const answers = { ...given };
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
        write(`  ${paint('yellow', '!')} This field is required.\n`);
      } else {
        if (value !== undefined) answers[field.id] = value;
        break;
      }
    }
  }
  return answers;
}

function questionFor({ label, id, type, options, required, default_value }: FormField): string {
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

function wanted({ type, options }: FormField): string {
  if (type === 'select') return `One of these, please: ${options.join(', ')}.`;
  return type === 'number' ? 'A number, please.' : 'Yes or no, please.';
}

function valueOf(answer: string, { type, options }: FormField): Json | undefined {
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
