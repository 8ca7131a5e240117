import { check } from 'dramaturg';
import { expect, test } from 'vitest';

/** Definitions of a number of parts that each have the same mistake, or that all refer to one another. */
const definitions: Readonly<Record<string, (size: number) => unknown>> = {
  'states of a workflow that lead to misspelt names': (size) => ({
    StartAt: name(0),
    States: Object.fromEntries(
      numbers(size).map((at) => [name(at), { Type: 'Pass', Next: misspelt(at) }]),
    ),
  }),
  'states of a plan that lead to misspelt names': (size) =>
    planOf(size, (at) => ({ transitions: [{ target_state_id: misspelt(at) }] })),
  'conditions on misspelt keys': (size) =>
    planOf(size, (at) => ({ tasks: collecting(name(at)), transitions: [given(misspelt(at))] })),
  'the same key with other values everywhere': (size) =>
    planOf(size, (at) => ({
      tasks: collecting('same', { type: 'enum', enum_values: [`a${at}`] }),
      transitions: [given('same', at)],
    })),
  'the same key that nothing collects': (size) =>
    planOf(size, (at) => ({ tasks: collecting(name(at)), transitions: [given('same', at)] })),
  'fields of no format': (size) => Object.fromEntries(numbers(size).map((at) => [name(at), at])),
  'rows of a lifecycle that lead to misspelt names': (size) => ({
    lifecycle: 'many',
    initial: name(0),
    states: numbers(size).map(name),
    transitions: numbers(size).map((at) => ({ from: name(at), event: 'go', to: misspelt(at) })),
  }),
};

const numbers = (size: number) => Array.from({ length: size }, (_, index) => index);
const name = (at: number) => `a_rather_long_name_of_a_state_that_is_there_${at}`;
const misspelt = (at: number) => name(at).replace('rather', 'rahter');
const given = (key: string, at = 0) => ({
  target_state_id: name(0),
  condition_type: 'deliverable_value',
  condition_config: { deliverable_key: key, expected_value: `b${at}` },
});
const collecting = (key: string, type: object = {}) => [
  { id: `task_${key}`, description: 'Learn it', deliverables: [{ key, ...type }] },
];

function planOf(size: number, fields: (at: number) => object) {
  const states = numbers(size).map((at) => ({ id: name(at), type: 'loose', ...fields(at) }));
  return { id: 'many', initial_state_id: name(0), states };
}

test.each(Object.keys(definitions))('the work of a check grows with the text: %s', (what) => {
  const work = (size: number) => {
    const text = JSON.stringify(definitions[what]!(size));
    return { work: workOf(() => check(text)), length: text.length };
  };
  work(20);
  const [one, two] = [work(600), work(1_200)];
  expect(two.work / one.work).toBeLessThan(2.5);
  expect(two.work / two.length).toBeLessThan(30);
});

/** The number of texts that are folded and of entries of lists that are read or copied. */
function workOf(work: () => unknown): number {
  let count = 0;
  const counting = (owner: object, key: PropertyKey, costOf: (value: never) => number) => {
    const method = Reflect.get(owner, key) as (...values: unknown[]) => unknown;
    Reflect.set(owner, key, function (this: never, ...values: unknown[]) {
      count += costOf(this);
      return method.apply(this, values);
    });
    return () => Reflect.set(owner, key, method);
  };
  const lengthOf = ({ length }: readonly unknown[]) => length;
  const restore = [
    counting(String.prototype, 'toLowerCase', () => 1),
    ...[Symbol.iterator, 'some', 'every', 'map'].map((key) =>
      counting(Array.prototype, key, lengthOf),
    ),
  ];
  try {
    work();
  } finally {
    for (const undo of restore) undo();
  }
  return count;
}
