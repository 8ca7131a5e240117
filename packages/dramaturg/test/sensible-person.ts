import type { PortInput } from '@dramaturg/compiler';
import type { Condition, Plan } from '@dramaturg/plan';

/**
 * A person who wants the conversation to get somewhere: asked for a value, they give one that some transition waits for,
 * another one when asked again, and otherwise anything of the right type.
 */
export class SensiblePerson {
  readonly #plan: Plan;
  readonly #given = new Map<string, number>();

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  answer(ask: PortInput<'reply'>['asks'][number] | undefined): string {
    if (!ask) return 'All right, go on.';
    const answers = [...this.#awaited(ask.name), ...anyOf(ask.schema)];
    const count = this.#given.get(ask.name) ?? 0;
    this.#given.set(ask.name, count + 1);
    return inWords(answers[count % answers.length]);
  }

  /** Values that conditions of the plan wait for, in the order of the plan. */
  #awaited(key: string): unknown[] {
    const conditions = this.#plan.states.flatMap(({ transitions }) =>
      transitions.flatMap(({ condition }) => condition ?? []),
    );
    return conditions.flatMap((condition) => valuesFor(condition, key));
  }
}

function valuesFor(condition: Condition, key: string): unknown[] {
  if ('conditions' in condition)
    return condition.conditions.flatMap((child) => valuesFor(child, key));
  if (!('deliverable_key' in condition) || condition.deliverable_key !== key) return [];
  switch (condition.type) {
    case 'deliverable_value':
      return [condition.expected_value].flat();
    case 'deliverable_value_in':
      return [...condition.values];
    case 'deliverable_value_numeric':
      return [numberFor(condition)];
    case 'deliverable_exists':
      return [];
  }
}

function numberFor(condition: Condition & { type: 'deliverable_value_numeric' }): number {
  if (condition.operator === 'between') return (condition.min + condition.max) / 2;
  const { operator, value } = condition;
  const offsets = { gt: 1, gte: 0, lt: -1, lte: 0, eq: 0, neq: 1 };
  return value + offsets[operator];
}

function anyOf(schema: PortInput<'reply'>['asks'][number]['schema']): unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return (
    { number: [3, 12], boolean: [true, false] }[schema['type'] as string] ?? [
      'the usual',
      'something else',
    ]
  );
}

function inWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
