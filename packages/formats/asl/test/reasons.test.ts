import type { Json } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import { realWorld } from '@dramaturg/compiler/machine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';

const { reasons = {} } = asl.behaviour;

function reasonOf(rule: Json, input: Json, variables: Readonly<Record<string, Json>> = {}) {
  const meta = new Map<string, NodeMeta>([
    ['workflow:Choose', { state: { Type: 'Choice', Choices: [rule] } }],
  ]);
  const context = { workflow: { input, variables, state: 'Choose' } };
  const scope = { context, event: { type: 'test' }, meta, world: realWorld };
  return reasons['isChosenWay']!(scope as never, { machine: 'workflow', way: 0 }, false);
}

const name = fc.constantFrom('price', 'vip', 'city_1');
const value = fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom('Rome', ''));

test('the reason of a generated rule has the value of each path that it reads', () => {
  const rule = fc.letrec<{ any: Record<string, Json> }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      name.map((key) => ({ Variable: `$.order.${key}`, StringEquals: '$.none.of.these' })),
      name.map((key) => ({ Variable: `$.order.${key}`, NumericEqualsPath: '$.limit' })),
      fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((And) => ({ And }) as never),
      tie('any').map((Not) => ({ Not }) as never),
    ),
  })).any;
  fc.assert(
    fc.property(rule, fc.dictionary(name, value, { noNullPrototype: true }), (of, order) => {
      const reason = reasonOf(of, { order, limit: 7 })!;
      const text = JSON.stringify(of);
      for (const key of ['price', 'vip', 'city_1']) {
        const isRead = text.includes(`$.order.${key}"`);
        const values = isRead ? { [`$.order.${key}`]: order[key] ?? null } : {};
        expect(reason.values).toMatchObject(values);
        expect(Object.hasOwn(reason.values!, `$.order.${key}`)).toBe(isRead);
      }
      expect(Object.hasOwn(reason.values!, '$.limit')).toBe(text.includes('$.limit'));
      expect(JSON.stringify(reason)).not.toContain('none.of.these');
    }),
  );
});

test.each([
  ['{% $states.input.price > $limit %}', '$states.input.price is 12, $limit is 5'],
  ['{% $states.input.tags[1] = "x" %}', '$states.input.tags[1] is "b"'],
])('the JSONata condition %s has its values', (Condition, text) => {
  expect(reasonOf({ Condition }, { price: 12, tags: ['a', 'b'] }, { limit: 5 })?.text).toBe(text);
});

test('a catcher, and a rule without references, have no values', () => {
  expect(reasonOf({ Condition: '{% true %}' }, {})).toBeUndefined();
});
