import { isRecord } from '@dramaturg/compiler';
import { type Alternatives, alternativesMeta, optional } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';

export { described, optional } from '@dramaturg/compiler/shapes';

/**
 * The vocabulary of state definitions. A schema says what a field holds; its meta says where the field exists: the states of one query language only, or Agent State Language only.
 */
export const text = z.string();
export const flag = z.boolean();
export const block = z.record(z.string(), z.unknown());

export type QueryLanguage = 'JSONPath' | 'JSONata';

/** A field of JSONPath states only. */
export function pathOnly<Field extends z.ZodMiniType>(field: Field, description: string) {
  return optional(field, description, z.meta({ language: 'JSONPath' }));
}

/** A field of JSONata states only. */
export function jsonataOnly<Field extends z.ZodMiniType>(field: Field, description: string) {
  return optional(field, description, z.meta({ language: 'JSONata' }));
}

/** A field that Agent State Language adds to Amazon's. */
export function agentOnly<Field extends z.ZodMiniType>(field: Field, description: string) {
  return optional(field, description, z.meta({ agent: true }));
}

export function languageOf(field: z.core.$ZodType): QueryLanguage | undefined {
  return z.globalRegistry.get(field)?.['language'] as QueryLanguage | undefined;
}

export function isAgentOnly(field: z.core.$ZodType): boolean {
  return z.globalRegistry.get(field)?.['agent'] === true;
}

/** Which numbers a field takes, in the words of JSON Schema. */
interface NumberRange {
  readonly type: 'integer' | 'number';
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** A number, called `what` in messages; or an expression or parameter that evaluates to one. */
export function number(what: string, range: NumberRange) {
  return numberOrText(what, range, (value) => isExpression(value) || isHole(value));
}

/** A number that no expression can compute: AWS reads it when the workflow is created. */
export function constant(what: string, range: NumberRange) {
  return numberOrText(what, range, isHole);
}

function numberOrText(what: string, range: NumberRange, fits: (value: unknown) => boolean) {
  return z
    .custom<number | string>(
      (value) => (typeof value === 'number' ? isInRange(value, range) : fits(value)),
      what,
    )
    .check(z.meta({ jsonSchema: { ...range, type: [range.type, 'string'], pattern: computed } }));
}

function isInRange(value: number, range: NumberRange): boolean {
  const { type, minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = range;
  return (
    (type === 'number' || Number.isInteger(value)) &&
    value >= minimum &&
    value > exclusiveMinimum &&
    value <= maximum
  );
}

/** A string in place of a number: `{% ... %}`, `{{...}}` or `${...}`. Only a part of the test: editors need no more. */
const computed = '^\\{[%{]|\\$\\{';

/** Amazon's largest number of seconds, also its largest number of attempts: three years. Amazon #timeouts */
export const mostSeconds = 99_999_999;

export const atLeast0 = { type: 'integer', minimum: 0, maximum: mostSeconds } as const;
const atLeast1 = { ...atLeast0, minimum: 1 } as const;
export const seconds = number('a whole number of seconds from 1 to 99,999,999', atLeast1);
export const constantSeconds = constant('a whole number of seconds from 1 to 99,999,999', atLeast1);
export const count = number('a whole number, 0 or more', atLeast0);
export const positiveCount = number('a whole number, 1 or more', atLeast1);
export const percentage = number('a number from 0 to 100', {
  type: 'number',
  minimum: 0,
  maximum: 100,
});

/** `{% $states.input.count %}`: computed by JSONata. Amazon #jsonata-strings */
export function isExpression(value: unknown): value is `{%${string}%}` {
  return (
    typeof value === 'string' && value.length >= 4 && value.startsWith('{%') && value.endsWith('%}')
  );
}

/** `{{maxRetries}}` in a template: replaced by a parameter of any type when the template is included. Agent 10 §Templates */
export function isHole(value: unknown): value is `{{${string}}}` {
  return typeof value === 'string' && value.startsWith('{{') && value.endsWith('}}');
}

/** Whether a string contains a hole, so that its final value is not known yet. */
export function hasHole(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{');
}

/**
 * A schema chosen by the value. Unlike zod's unions it reports no problems of schemas that do not apply: a rule reports a
 * value that fits none.
 *
 * @param editors the same choice for editors
 */
export function chosenBy(
  choose: (value: Record<string, unknown>) => z.ZodMiniType,
  editors: Alternatives,
): z.ZodMiniType {
  const schemaFor = (value: unknown) => (isRecord(value) ? choose(value) : block);
  return z
    .unknown()
    .check(({ value, issues }) => {
      const { error } = schemaFor(value).safeParse(value, { reportInput: true });
      for (const issue of error?.issues ?? []) {
        issues.push({ ...issue, input: issue.input } as (typeof issues)[number]);
      }
    })
    .check(z.meta({ choose: schemaFor, ...alternativesMeta(editors) }));
}

/** Blocks by their paths, each with its name in messages and its schema. */
export type Blocks = Readonly<Record<string, readonly [owner: string, schema: z.ZodMiniObject]>>;

/** Why fields are not enforced, by their paths. */
export type UnenforcedFields = Readonly<Record<string, string>>;

/** The fields of a block, by their paths from its owner. */
export function fieldsIn(owner: string, fields: UnenforcedFields): UnenforcedFields {
  return Object.fromEntries(
    Object.entries(fields).map(([path, because]) => [`${owner}.${path}`, because]),
  );
}
