import { check, type JsonObject } from '@dramaturg/compiler';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import { edges, loose, planOf, state, task, when } from './build.ts';
import { scaled } from '../../../../.config/scaled.ts';

const facts = task(
  'facts',
  { key: 'kind', type: 'enum', enum_values: ['x', 'y', 'z'] },
  { key: 'score', type: 'number' },
);

function messages(config: JsonObject, type = 'all_of'): readonly string[] {
  const definition = planOf(
    state('ask', loose(facts), edges(when('next', type, config))),
    state('next', loose(task('rest', 'later'))),
  );
  const { diagnostics } = check(JSON.stringify(definition), { formats: [plan], format: 'plan' });
  return diagnostics.flatMap(({ code, message }) =>
    code === 'plan/contradictory-condition' ? [message] : [],
  );
}

const equals = (value: string) => ({
  condition_type: 'deliverable_value',
  condition_config: { key: 'kind', value },
});
const compares = (operator: string, value: number) => ({
  condition_type: 'deliverable_value_numeric',
  condition_config: { key: 'score', operator, value },
});

test('two values of one key exclude each other, and so do two ranges of numbers', () => {
  expect(messages({ conditions: [equals('x'), equals('y')] })).toEqual([
    'This condition can never hold: "kind = x" and "kind = y" exclude each other.',
  ]);
  expect(messages({ conditions: [compares('lt', 20), equals('x'), compares('gt', 80)] })).toEqual([
    'This condition can never hold: "score < 20" and "score > 80" exclude each other.',
  ]);
});

test('one part of an any_of that never holds is found too', () => {
  const never = {
    condition_type: 'all_of',
    condition_config: { conditions: [equals('x'), equals('y')] },
  };
  expect(messages({ conditions: [equals('z'), never] }, 'any_of')).toHaveLength(1);
});

type Simple = readonly [condition: JsonObject, holds: (kind: string, score: number) => boolean];

const kinds = ['x', 'y', 'z'];
const scores = [0, 1, 2, 3, 4];
const signs: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  gt: (one, other) => one > other,
  gte: (one, other) => one >= other,
  lt: (one, other) => one < other,
  lte: (one, other) => one <= other,
  eq: (one, other) => one === other,
};
const simple: fc.Arbitrary<Simple> = fc.oneof(
  fc.constantFrom(...kinds).map((value): Simple => [equals(value), (kind) => kind === value]),
  fc
    .subarray(kinds, { minLength: 1 })
    .map((values): Simple => [
      { condition_type: 'deliverable_value_in', condition_config: { key: 'kind', values } },
      (kind) => values.includes(kind),
    ]),
  fc
    .tuple(fc.constantFrom(...Object.keys(signs)), fc.integer({ min: 0, max: 4 }))
    .map(([operator, value]): Simple => [
      compares(operator, value),
      (_, score) => signs[operator]!(score, value),
    ]),
);

test('a reported pair never holds, and two conditions that never hold together are reported', () => {
  fc.assert(
    fc.property(simple, simple, (one, other) => {
      // Numbers between the limits count too.
      const numbers = [-1, ...scores.flatMap((score) => [score, score + 0.5])];
      const holds = kinds.some((kind) =>
        numbers.some((score) => one[1](kind, score) && other[1](kind, score)),
      );
      expect(messages({ conditions: [one[0], other[0]] }).length).toBe(holds ? 0 : 1);
    }),
    { seed: Number(process.env['TEST_SEED'] ?? 24), numRuns: scaled(300) },
  );
});
