import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { compileTemplate } from '../data/template.ts';
import { toText } from '../data/to-text.ts';
import type { Approval, Dialect } from '../definition/index.ts';
import { evaluation } from './jsonpath-flow.ts';
import { fillPlaceholders } from './placeholders.ts';
import type { Run } from './run.ts';
import { compileOptionalSource } from './value-source.ts';

/** The prompt of an Approval, filled with data. */
export interface FilledPrompt {
  /** All that the person sees. */
  readonly prompt: string;
  /** The fields of a prompt that has several. */
  readonly details?: JsonObject;
}

export type FillPrompt = (run: Run, selected: Json) => FilledPrompt;

/** Only the authored prompt has placeholders: data with braces stay unchanged. Agent 6 §Rich prompts */
export function compilePrompt({ Prompt: source }: Approval, dialect: Dialect): FillPrompt {
  const read = compileOptionalSource(source, dialect, 'Prompt');
  if (!source || !read) return () => ({ prompt: '' });
  if (!('value' in source)) return (run, selected) => promptOf(read(run, selected));
  const { value: authored } = source;
  return (run, selected) => {
    const filled = filledIn(authored, (text) => fillPlaceholders(text, run, selected));
    return promptOf(compileTemplate(filled, dialect, 'Prompt')(evaluation(run, selected)));
  };
}

function promptOf(value: Json): FilledPrompt {
  return isRecord(value) ? { prompt: textOf(value), details: value } : { prompt: toText(value) };
}

/** Fills the placeholders of a prompt as authored. Its queries, the fields that end in `.$`, have none. */
function filledIn(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item: Json) => filledIn(item, fill));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]): [string, Json] => [
      name,
      name.endsWith('.$') ? item : filledIn(item, fill),
    ]),
  );
}

/** The title and the description, then a line for each other field. */
function textOf({ Title: title, Description: description, ...fields }: JsonObject): string {
  const [first, second] = [title, description].map((part) =>
    part === undefined ? [] : [toText(part)],
  );
  const rest = isNested(fields) ? linesOf(fields, 0).join('\n') : '';
  return [...first!, ...second!, ...(rest === '' ? [] : [rest])].join('\n\n');
}

/** Data that are nested deeper are shown as JSON. */
const deepest = 8;

function linesOf(value: Json, depth: number): string[] {
  if (isNested(value) && depth < deepest) {
    return Array.isArray(value)
      ? value.flatMap((item: Json) => indented(linesOf(item, depth + 1), '- '))
      : Object.entries(value as JsonObject).flatMap(([name, item]) => field(name, item, depth));
  }
  return toText(value).split('\n');
}

/** A field in one line, or its lines below its name. So a string of several lines cannot look like other fields. */
function field(name: string, value: Json, depth: number): string[] {
  const lines = linesOf(value, depth + 1);
  return isNested(value) || lines.length > 1
    ? [`${name}:`, ...indented(lines, '  ')]
    : [`${name}: ${lines.join('')}`];
}

/** An empty list or object has no lines of its own. */
function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function indented(lines: readonly string[], first: string): string[] {
  return lines.map((line, index) => `${index === 0 ? first : '  '}${line}`);
}
