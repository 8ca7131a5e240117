import type { Json } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import { realWorld } from '@dramaturg/compiler/machine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plan, type PlanContext } from '../src/index.ts';

const { guards, reasons = {} } = plan.behaviour;

const keys = ['city', 'date', 'people'];

interface Terms {
  readonly type: string;
  readonly deliverable_key?: string;
  readonly conditions?: readonly Terms[];
  readonly [field: string]: unknown;
}

/** Conditions of any depth about three deliverables. */
const conditions = fc.letrec<{ any: Terms }>((tie) => {
  const key = fc.constantFrom(...keys);
  const value = fc.constantFrom('Rome', 'Oslo', 4);
  const simple = fc.oneof(
    fc.record({ type: fc.constant('deliverable_exists'), deliverable_key: key }),
    fc.record({
      type: fc.constant('deliverable_value'),
      deliverable_key: key,
      expected_value: value,
    }),
    fc.record({
      type: fc.constant('deliverable_value_numeric'),
      deliverable_key: key,
      operator: fc.constantFrom('gt', 'lt'),
      value: fc.integer({ min: 1, max: 9 }),
    }),
  );
  const several = fc.record({
    type: fc.constantFrom('all_of', 'any_of'),
    conditions: fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
  });
  return { any: fc.oneof({ maxDepth: 3, withCrossShrink: true }, simple, several) };
}).any;

const known = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom<Json>('Rome', 'Oslo', 4), {
  noNullPrototype: true,
});

function scopeWith(values: Readonly<Record<string, Json>>) {
  const deliverables = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { value, state: 's' }]),
  );
  const visit = { again: false, spoken: true, answered: true, turns: 0, idleTurns: 0 };
  const context = { state: 's', visited: [], tasks: {}, deliverables, visit } as never;
  const meta = new Map<string, NodeMeta>([['region:plan', {}]]);
  return { context: context as PlanContext, event: { type: 'test' }, meta, world: realWorld };
}

/** The keys of the conditions without parts whose result is that of the whole. */
function decidingKeys({ conditions: parts, ...terms }: Terms, scope: never): Set<string> {
  const resultOf = (of: Terms) => guards[of.type]!(scope, { ...of, to: 't' });
  if (!parts) return new Set([terms.deliverable_key!]);
  const result = resultOf({ ...terms, conditions: parts });
  const deciding = parts.filter((part) => resultOf(part) === result);
  return new Set(deciding.flatMap((part) => [...decidingKeys(part, scope)]));
}

test('the reason of a generated condition has the value of each deliverable that decided, and of no other', () => {
  fc.assert(
    fc.property(conditions, known, (condition, values) => {
      const scope = scopeWith(values);
      const result = guards[condition.type]!(scope, { ...condition, to: 't' });
      const reason = reasons[condition.type]!(scope, { ...condition, to: 't' }, result);
      const deciding = [...decidingKeys(condition, scope as never)];
      expect(Object.keys(reason!.values!).toSorted()).toEqual(deciding.toSorted());
      for (const key of deciding) {
        const words = key in values ? `${key} is ${values[key] as string}` : `${key} is missing`;
        expect(reason!.text).toContain(words);
        expect(reason!.values![key]).toEqual(values[key] ?? null);
      }
    }),
  );
});

test('missing data of a task are named in the order of the definition', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1 }), known, (of, values) => {
      const scope = scopeWith(values);
      const absent = of.filter((key) => !(key in values));
      const reason = reasons['hasData']!(scope, { keys: of }, absent.length === 0);
      const verb = (count: number) => (count > 1 ? 'are' : 'is');
      const list = (names: readonly string[]) =>
        names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`;
      expect(reason!.text).toBe(
        absent.length > 0
          ? `${list(absent)} ${verb(absent.length)} missing`
          : `${list(of)} ${verb(of.length)} known`,
      );
    }),
  );
});

test('a state that the step was in is the reason, whatever its condition says', () => {
  const scope = scopeWith({ city: 'Rome' });
  const visited = { ...scope, context: { ...scope.context, visited: ['t'] } };
  const params = { deliverable_key: 'city', to: 't' };
  expect(reasons['deliverable_exists']!(visited, params, false)?.text).toBe(
    '"t" was left or entered in this step already',
  );
});
