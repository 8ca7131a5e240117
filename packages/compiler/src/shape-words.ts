import * as z from 'zod/mini';
import { counted, didYouMean } from './words.ts';
import { fieldsOf, isOptional, partsOf } from './shape-schema.ts';

export type Issue = z.core.$ZodIssue;

/** The expected value of an issue in an author's words. zod's own messages never reach a person. */
export function expectedBy(issue: Issue): string {
  const own = ownWords(issue.message);
  if (own !== undefined) return own;
  switch (issue.code) {
    case 'invalid_type':
      return typeName(issue.expected);
    case 'invalid_value':
      return listed(issue.values.map((value) => JSON.stringify(value)));
    case 'invalid_union': {
      const options: unknown = 'options' in issue ? issue.options : undefined;
      if (Array.isArray(options)) return listed(options.map((value) => JSON.stringify(value)));
      return listed(issue.errors.flatMap((branch) => branch.map(expectedBy)));
    }
    case 'too_small':
      return measure(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue);
    case 'too_big':
      return measure(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.format === 'regex' && issue.pattern !== undefined
        ? `a text that matches ${issue.pattern}`
        : `a text in the format "${issue.format}"`;
    case 'invalid_key':
    case 'invalid_element':
      return listed(issue.issues.map(expectedBy));
    case 'unrecognized_keys':
      return `no field ${listed(issue.keys.map((key) => `"${key}"`))}`;
    case 'custom':
      return 'another value';
  }
}

/** A message that the format's schema defines; undefined for zod's default messages. */
function ownWords(message: string): string | undefined {
  return message === '' || /^(?:Invalid|Too (?:small|big)|Unrecognized)\b/.test(message)
    ? undefined
    : message;
}

function measure(
  compared: string,
  limit: number | bigint,
  { origin }: { readonly origin: string },
): string {
  if (origin === 'string') return `a text of ${compared} ${counted(Number(limit), 'character')}`;
  if (origin === 'array') return `a list of ${compared} ${counted(Number(limit), 'item')}`;
  return `a number that is ${compared} ${limit}`;
}

function typeName(expected: string): string {
  return typeNames[expected] ?? 'another value';
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  string: 'a text in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  nonoptional: 'a value',
  never: 'nothing',
  undefined: 'nothing',
};

function listed(words: readonly string[]): string {
  return [...new Set(words)].join(' or ');
}

/** Describes a value in an author's words: `the text "12"`, `the number 12`, `a list`. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') {
    const short = value.length > 40 ? `${value.slice(0, 40)}…` : value;
    return `the text ${JSON.stringify(short)}`;
  }
  return typeof value === 'number' ? `the number ${JSON.stringify(value)}` : JSON.stringify(value);
}

/** Describes the values of a schema in an author's words: `a text`, `"yes" or "no"`. */
export function describeSchema(schema: z.core.$ZodType): string {
  const parts = partsOf(schema);
  if (parts.type === 'enum')
    return listed(Object.values(parts.entries ?? {}).map((value) => JSON.stringify(value)));
  if (parts.type === 'literal')
    return listed((parts.values ?? []).map((value) => JSON.stringify(value)));
  if (parts.type === 'union') return listed((parts.options ?? []).map(describeSchema));
  if (parts.type === 'number') {
    const isWhole = z
      .safeParse(schema, 0.5)
      .error?.issues.some((issue) => issue.code === 'invalid_type' && issue.expected === 'int');
    return typeName(isWhole === true ? 'int' : 'number');
  }
  if (parts.type === 'custom') {
    const [issue] = z.safeParse(schema, Symbol('none')).error?.issues ?? [];
    return issue ? expectedBy(issue) : 'a value';
  }
  return typeNames[parts.type] ?? 'a value';
}

/** An example value of a schema, for a person to complete: `{ "id": "...", "tasks": [...] }`. */
export function exampleOf(schema: z.core.$ZodType): string {
  const { type, entries = {}, values = [], options = [] } = partsOf(schema);
  const [word] = [...Object.values(entries), ...values];
  if (word !== undefined) return JSON.stringify(word);
  if (type === 'union' && options[0]) return exampleOf(options[0]);
  if (type === 'string') return '"..."';
  if (type === 'number') return '1';
  if (type === 'boolean') return 'true';
  if (type === 'array' || type === 'tuple') return '[...]';
  if (type !== 'object') return '{ ... }';
  const required = Object.entries(fieldsOf(schema))
    .filter(([, field]) => !isOptional(field))
    .slice(0, 4)
    .map(([name, field]) => `"${name}": ${exampleOf(field)}`);
  return required.length > 0 ? `{ ${required.join(', ')} }` : '{ ... }';
}

const trueWords = new Set(['true', 'yes', 'y', 'on', '1']);
const falseWords = new Set(['false', 'no', 'n', 'off', '0']);

/** The text that corrects a value of a wrong type, as an imperative. */
export function correction(
  issue: Issue,
  value: unknown,
  schema: z.core.$ZodType | undefined,
): string {
  const advice = adviceFor(expectedTypes(issue), value, schema) ?? `Write ${expectedBy(issue)}.`;
  if (value !== null || !schema || !isOptional(schema)) return advice;
  return `Remove the field, or ${advice[0]!.toLowerCase()}${advice.slice(1)}`;
}

/** Suggests the nearest of the allowed words, or lists the first of them. */
export function wordHint(value: unknown, options: readonly unknown[]): string {
  const words = options.map((option) => JSON.stringify(option));
  const near = typeof value === 'string' ? didYouMean(value, options.map(String)) : undefined;
  return near ?? `Write ${words.slice(0, 12).join(' or ')}.`;
}

function expectedTypes(issue: Issue): ReadonlySet<string> {
  if (issue.code === 'invalid_type') return new Set([issue.expected]);
  if (issue.code !== 'invalid_union') return new Set();
  return new Set(
    issue.errors.flatMap((branch) => branch.flatMap((one) => [...expectedTypes(one)])),
  );
}

function adviceFor(
  types: ReadonlySet<string>,
  value: unknown,
  schema: z.core.$ZodType | undefined,
): string | undefined {
  const isScalar =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const word = isScalar ? String(value).trim().toLowerCase() : '';
  if (types.has('boolean')) {
    const meant = trueWords.has(word) ? 'true' : falseWords.has(word) ? 'false' : undefined;
    if (meant !== undefined)
      return `Write ${meant}${typeof value === 'string' ? ' without quotes' : ''}.`;
  }
  if (types.has('number') || types.has('int')) {
    const isNumber = typeof value === 'string' && word !== '' && Number.isFinite(Number(word));
    if (isNumber && (types.has('number') || Number.isInteger(Number(word))))
      return `Write ${Number(word)} without quotes.`;
  }
  if (types.has('string') && (typeof value === 'number' || typeof value === 'boolean'))
    return `Write "${String(value)}" in quotes.`;
  if (types.has('array') && isScalar && String(value).length <= 40)
    return `Put it into a list: [${JSON.stringify(value)}].`;
  if (types.has('array') && typeof value === 'object' && value !== null)
    return `Put it into a list: write ${listExample(schema)}, or in YAML begin each item with "- ".`;
  if (types.has('array')) return `Write a list in brackets: ${listExample(schema)}.`;
  if (types.has('object') || types.has('record')) {
    const isOneObject = Array.isArray(value) && value.length === 1 && types.has('object');
    if (isOneObject) return 'Remove the brackets around it.';
    const [key = '', ...rest] = typeof value === 'string' ? value.split(/\s+/) : [];
    if (rest.length > 0 && schema && Object.hasOwn(fieldsOf(schema), key))
      return `Write a colon after the key: ${key}: ${rest.join(' ')}`;
    return `Write an object in braces: ${schema ? exampleOf(schema) : '{ ... }'}.`;
  }
  if (types.has('int')) return 'Write a whole number without quotes.';
  if (types.has('number')) return 'Write a number without quotes.';
  if (types.has('string')) return 'Write one text in quotes.';
  if (types.has('boolean')) return 'Write true or false.';
  return undefined;
}

function listExample(schema: z.core.$ZodType | undefined): string {
  const element = schema && partsOf(schema).element;
  return element ? `[${exampleOf(element)}]` : '[...]';
}
