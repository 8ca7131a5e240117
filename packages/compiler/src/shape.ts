import type { z } from 'zod';
import { didYouMean, nearestName } from './did-you-mean.ts';
import { problem } from './diagnostic.ts';
import type { Report } from './format.ts';
import { isRecord } from './json.ts';
import type { Path } from './path.ts';

const wrongType = problem('shape/wrong-type', 'error', (expected: string, found: string) => ({
  message: `Expected ${expected}, found ${found}.`,
}));

const missingField = problem('shape/missing-field', 'error', (field: string, expected: string) => ({
  message: `The field "${field}" is missing.`,
  hint: `Add "${field}": ${expected}.`,
}));

const wrongValue = problem(
  'shape/wrong-value',
  'error',
  (expected: string, found: string, near?: string) => ({
    message: `Expected ${expected}, found ${found}.`,
    hint: near,
  }),
);

const misspeltField = problem(
  'shape/misspelt-field',
  'warning',
  (field: string, known: string) => ({
    message: `The field "${field}" means nothing here.`,
    hint: `Did you mean "${known}"?`,
  }),
);

export const shapeProblems = [wrongType, missingField, wrongValue, misspeltField];

/**
 * Reports where a value does not have the shape of a schema, and fields that are nearly one of the schema's. Of a list
 * only the first `longestList` items are looked at: a format refuses longer ones.
 */
export function checkShape(value: unknown, schema: z.ZodType, report: Report): void {
  const judged = withShortLists(value);
  const result = schema.safeParse(judged, { reportInput: true });
  if (!result.success) for (const issue of result.error.issues) reportIssue(issue, [], report);
  reportMisspelt(judged, schema, [], report);
}

const longestList = 10_000;

/** The same value where no list is too long, so that nothing is copied in the usual case. */
function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.length > longestList ? value.slice(0, longestList) : value;
    const judged = items.map(withShortLists);
    return items === value && judged.every((item, index) => item === value[index]) ? value : judged;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const judged = entries.map(([key, item]): [string, unknown] => [key, withShortLists(item)]);
  const isSame = judged.every(([, item], index) => item === entries[index]![1]);
  return isSame ? value : Object.fromEntries(judged);
}

export type Issue = z.core.$ZodIssue;

function reportIssue(issue: Issue, base: Path, report: Report): void {
  const path = [
    ...base,
    ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
  ];
  const expected = expectedBy(issue);
  const last = path.at(-1);
  if (issue.input === undefined && typeof last === 'string') {
    report(missingField(last, expected), path.slice(0, -1));
  } else if (issue.code === 'invalid_union') {
    // The branch that got furthest says most about what the author meant.
    const [deepest = []] = issue.errors.toSorted((one, other) => depthOf(other) - depthOf(one));
    if (depthOf(deepest) === 0) report(wrongType(expected, describe(issue.input)), path);
    else for (const inner of deepest) reportIssue(inner, path, report);
  } else if (issue.code === 'invalid_type') {
    report(wrongType(expected, describe(issue.input)), path);
  } else {
    const options = issue.code === 'invalid_value' ? issue.values.map(String) : [];
    const near = typeof issue.input === 'string' ? didYouMean(issue.input, options) : undefined;
    report(wrongValue(expected, describe(issue.input), near), path);
  }
}

/** What an issue asks for, in an author's words. */
export function expectedBy(issue: Issue): string {
  if (issue.code === 'invalid_type') return typeName(issue.expected);
  if (issue.code === 'invalid_value')
    return issue.values.map((value) => JSON.stringify(value)).join(' or ');
  if (issue.code === 'invalid_union') {
    return [...new Set(issue.errors.flatMap((branch) => branch.map(expectedBy)))].join(' or ');
  }
  if (issue.code === 'too_small') {
    return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
  }
  return issue.message;
}

function depthOf(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function typeName(expected: string): string {
  const names: Record<string, string> = {
    array: 'a list',
    object: 'an object',
    record: 'an object',
    string: 'a text in quotes',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    null: 'null',
  };
  return names[expected] ?? expected;
}

/** `the text "12"`, `the number 12`, `a list`: what stands there, in an author's words. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') {
    const short = value.length > 40 ? `${value.slice(0, 40)}…` : value;
    return `the text ${JSON.stringify(short)}`;
  }
  return `the ${typeof value === 'number' ? 'number' : 'value'} ${JSON.stringify(value)}`;
}

/**
 * Unknown fields are allowed, but one that is nearly the name of an absent known field is most likely a slip. A field
 * whose schema has `meta({ older: true })` is a spelling that is read and not suggested.
 */
function reportMisspelt(value: unknown, schema: z.ZodType, path: Path, report: Report): void {
  const inner = unwrap(schema);
  if (inner.type === 'array' && Array.isArray(value)) {
    value.forEach((item, index) => reportMisspelt(item, inner.element!, [...path, index], report));
  } else if (inner.type === 'object' && isRecord(value)) {
    const fields = inner.shape!;
    const absent = Object.keys(fields).filter(
      (field) => !Object.hasOwn(value, field) && fields[field]?.meta()?.['older'] !== true,
    );
    for (const [field, child] of Object.entries(value)) {
      const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (known) {
        reportMisspelt(child, known, [...path, field], report);
      } else {
        const near = field.length > 3 ? nearestName(field, absent) : undefined;
        if (near !== undefined) report(misspeltField(field, near), [...path, field], { at: 'key' });
      }
    }
  }
}

interface SchemaParts {
  readonly type: string;
  readonly shape?: Record<string, z.ZodType>;
  readonly element?: z.ZodType;
}

/** A schema without its optional, nullable, default and lazy wrappings. */
function unwrap(schema: z.ZodType): SchemaParts {
  let current = schema as unknown as {
    def: {
      type: string;
      innerType?: unknown;
      getter?: () => unknown;
      shape?: unknown;
      element?: unknown;
    };
  };
  for (;;) {
    const { def } = current;
    const next = def.type === 'lazy' ? def.getter?.() : def.innerType;
    if (next === undefined) return def as SchemaParts;
    current = next as typeof current;
  }
}
