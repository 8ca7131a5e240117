import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { TestCase } from './test-file.ts';

/** A test, or one row of its examples. */
export interface Example {
  readonly test: TestCase;
  readonly name: string;
  /** The row of the table, from 0. */
  readonly row?: number;
}

/** Makes one test of each row of the examples: `<column>` is replaced by its value. Spec: docs/testing.md#examples */
export function examplesOf(test: TestCase): readonly Example[] {
  const { examples, ...rest } = test;
  if (!examples) return [{ test, name: test.name }];
  return examples.map((values, row) => {
    const filled = filledIn(rest as unknown as JsonObject, values) as unknown as TestCase;
    const name = filled.name === test.name ? `${test.name} (${rowName(values)})` : filled.name;
    return { test: filled, name, row };
  });
}

/** The columns that a test names and its table does not have. */
export function unknownColumns(test: TestCase): readonly string[] {
  const [first] = test.examples ?? [];
  if (!first) return [];
  const { examples: _, ...rest } = test;
  const named = [...JSON.stringify(rest).matchAll(/<([\w -]+)>/g)].map(([, name]) => name!);
  return [...new Set(named)].filter((name) => !Object.hasOwn(first, name));
}

/** A string that is only a placeholder becomes the value itself, so numbers stay numbers. */
function filledIn(value: Json, values: JsonObject): Json {
  if (typeof value === 'string') {
    const [, whole] = /^<([\w -]+)>$/.exec(value) ?? [];
    if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole] ?? null;
    return value.replaceAll(/<([\w -]+)>/g, (placeholder, name: string) =>
      Object.hasOwn(values, name) ? wordOf(values[name]!) : placeholder,
    );
  }
  if (Array.isArray(value)) return value.map((item) => filledIn(item, values));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filledIn(item, values)]),
  );
}

function rowName(values: JsonObject): string {
  return Object.values(values)
    .map((value) => wordOf(value))
    .join(', ');
}

function wordOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
