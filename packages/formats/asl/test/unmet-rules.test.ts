import { check } from '@dramaturg/compiler';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';
import { scaled } from '../../../../.config/scaled.ts';

/** A Choice with these rules, and its findings about them. */
function findingsIn(rules: readonly object[]) {
  const choices = rules.map((rule) => ({ ...rule, Next: 'End' }));
  const text = JSON.stringify({
    StartAt: 'Way',
    States: { Way: { Type: 'Choice', Choices: choices, Default: 'End' }, End: { Type: 'Succeed' } },
  });
  return check(text, { formats: [asl] }).diagnostics.flatMap(({ code, path, hint }) =>
    /shadowed-rule|contradictory-rule/.test(code) ? [{ code, path: path.slice(3), hint }] : [],
  );
}

const more = (limit: number) => ({ Variable: '$.x', NumericGreaterThan: limit });
const less = (limit: number) => ({ Variable: '$.x', NumericLessThan: limit });
const text = (value: string) => ({ Variable: '$.x', StringEquals: value });

test('a rule after a wider one is never taken, and an example says so', () => {
  expect(findingsIn([more(10), more(20)])).toEqual([
    {
      code: 'asl/shadowed-rule',
      path: [1],
      hint: 'With $.x = 21, rule 1 is taken. Put this rule before it, or change its limits.',
    },
  ]);
});

test.each([
  ['the narrower rule first', [more(20), more(10)]],
  ['overlapping rules', [more(10), less(20)]],
  ['rules about different data', [more(10), { ...more(20), Variable: '$.y' }]],
  [
    'a limit that the first rule excludes',
    [more(10), { Variable: '$.x', NumericGreaterThanEquals: 10 }],
  ],
  [
    'a first rule that demands more than is read',
    [{ And: [more(10), { Variable: '$.y', IsPresent: true }] }, more(20)],
  ],
  ['different texts', [text('a'), text('b')]],
  ['texts and numbers', [text('1'), { Variable: '$.x', NumericEquals: 1 }]],
  ['an Or', [{ Or: [more(10), less(5)] }, more(20)]],
])('%s: no finding', (_, rules) => {
  expect(findingsIn(rules)).toEqual([]);
});

test.each([
  ['the same text twice', [text('a'), text('a')], 'asl/shadowed-rule'],
  [
    'a rule that demands more of other data',
    [more(10), { And: [more(20), { Variable: '$.y', IsPresent: true }] }],
    'asl/shadowed-rule',
  ],
  ['limits that exclude each other', [{ And: [more(20), less(10)] }], 'asl/contradictory-rule'],
  [
    'limits that leave nothing between them',
    [{ And: [more(10), less(10)] }],
    'asl/contradictory-rule',
  ],
  ['two texts at once', [{ And: [text('a'), text('b')] }], 'asl/contradictory-rule'],
  ['a nested contradiction', [{ And: [{ And: [more(20)] }, less(10)] }], 'asl/contradictory-rule'],
])('%s: found', (_, rules, code) => {
  expect(findingsIn(rules).map((finding) => finding.code)).toEqual([code]);
});

test('a finding is right for every number: a rule that is called shadowed never decides', () => {
  const comparison = fc.record({
    operator: fc.constantFrom(
      'NumericEquals',
      'NumericGreaterThan',
      'NumericGreaterThanEquals',
      'NumericLessThan',
      'NumericLessThanEquals',
    ),
    limit: fc.integer({ min: -3, max: 3 }),
  });
  type Comparison = { readonly operator: string; readonly limit: number };
  const holds = ({ operator, limit }: Comparison, value: number) =>
    ({
      NumericEquals: value === limit,
      NumericGreaterThan: value > limit,
      NumericGreaterThanEquals: value >= limit,
      NumericLessThan: value < limit,
      NumericLessThanEquals: value <= limit,
    })[operator]!;
  const values = Array.from({ length: 33 }, (_, index) => index / 4 - 4);
  const rule = fc.array(comparison, { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(rule, rule, (first, second) => {
      const found = findingsIn(
        [first, second].map((each) => ({
          And: each.map(({ operator, limit }) => ({ Variable: '$.x', [operator]: limit })),
        })),
      );
      const accepts = (each: readonly Comparison[]) =>
        values.filter((value) => each.every((one) => holds(one, value)));
      const [one, other] = [accepts(first), accepts(second)];
      const isShadowed = found.some(({ code }) => code === 'asl/shadowed-rule');
      expect(
        found.some(({ path, code }) => code === 'asl/contradictory-rule' && path[0] === 1),
      ).toBe(other.length === 0);
      expect(isShadowed).toBe(
        one.length > 0 && other.length > 0 && other.every((value) => one.includes(value)),
      );
    }),
    { numRuns: scaled(300) },
  );
});
