import { describe, expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { folderWith } from './stage.ts';

const comparisons = {
  And: [
    { Variable: '$.price', NumericGreaterThan: 100 },
    {
      Or: [
        { Variable: '$.country', StringEquals: 'CH' },
        { Not: { Variable: '$.trusted', BooleanEquals: true } },
      ],
    },
  ],
};

const workflow = (rule: object, more: object = {}) =>
  JSON.stringify({
    ...more,
    StartAt: 'Way',
    States: {
      Way: { Type: 'Choice', Choices: [{ ...rule, Next: 'Check' }], Default: 'Done' },
      Check: { Type: 'Pass', End: true },
      Done: { Type: 'Succeed' },
    },
  });

const orders = `
  - name: a cheap order
    input: { input: { price: 5, country: CH, trusted: true } }
    steps: [{ outcome: succeeded, state: Done }]
  - name: a dear order
    input: { input: { price: 500, country: CH, trusted: true } }
    steps: [{ outcome: succeeded, state: Check }]
`;

const condition = (type: string, config: object) => ({
  condition_type: type,
  condition_config: config,
});

const plan = JSON.stringify({
  plan_id: 'visitors',
  title: 'Visitors',
  initial_state_id: 'ask',
  states: [
    {
      id: 'ask',
      title: 'Ask',
      type: 'loose',
      tasks: [
        {
          id: 'facts',
          title: 'Facts',
          description: 'Ask for the facts.',
          deliverables: [
            { key: 'age', description: 'Age', type: 'number' },
            { key: 'member', description: 'Member', type: 'boolean' },
          ],
        },
      ],
      transitions: [
        {
          target_state_id: 'enter',
          priority: 1,
          ...condition('all_of', {
            conditions: [
              condition('deliverable_value_numeric', {
                deliverable_key: 'age',
                operator: 'gte',
                value: 18,
              }),
              condition('compound', {
                operator: 'or',
                conditions: [
                  condition('deliverable_value', {
                    deliverable_key: 'member',
                    expected_value: true,
                  }),
                  condition('all_tasks_complete', {}),
                ],
              }),
            ],
          }),
        },
        { target_state_id: 'leave', priority: 2, ...condition('all_tasks_complete', {}) },
      ],
    },
    { id: 'enter', title: 'Enter', type: 'loose', tasks: [] },
    { id: 'leave', title: 'Leave', type: 'loose', tasks: [] },
  ],
});

const lifecycle = JSON.stringify({
  machine: 'door',
  version: '1',
  initial: 'SHUT',
  states: { SHUT: {}, OPEN: {}, ALARM: {} },
  terminal: ['OPEN', 'ALARM'],
  transitions: [
    {
      from: 'SHUT',
      event: 'badge',
      guard: { event: { colour: 'red', level: 2 } },
      to: 'OPEN',
    },
    { from: 'SHUT', event: 'badge', to: 'ALARM' },
  ],
});

const cases = [
  {
    name: 'comparisons of a Choice',
    file: 'order.asl.json',
    text: workflow(comparisons),
    tests: orders,
    hits: {
      '$.price > 100': [true, true],
      '$.country = "CH"': [true, false],
      '$.trusted = true': [false, false],
    },
  },
  {
    name: 'a JSONata condition',
    file: 'order.asl.json',
    text: workflow(
      {
        Condition:
          "{% $states.input.price > 100 and ($states.input.country = 'CH' or $not($states.input.trusted = true)) %}",
      },
      { QueryLanguage: 'JSONata' },
    ),
    tests: orders,
    hits: {
      '$states.input.price > 100': [true, true],
      "$states.input.country = 'CH'": [true, false],
      '$states.input.trusted = true': [false, false],
    },
  },
  {
    name: 'a condition of a plan',
    file: 'visitors.plan.json',
    text: plan,
    tests: `
  - name: an adult member
    steps:
      - person: I am 20 and a member
        answers: [{ extract: { age: 20, member: true } }]
        state: enter
`,
    hits: {
      'age ≥ 18': [true, false],
      'member = true': [true, false],
      'all tasks complete': [false, false],
    },
  },
  {
    name: 'the fields of an event',
    file: 'door.lifecycle.json',
    text: lifecycle,
    tests: `
  - name: a red badge
    steps:
      - event: { type: badge, colour: red, level: 2 }
        instance: OPEN
  - name: a red badge of another level
    steps:
      - event: { type: badge, colour: red, level: 1 }
        instance: ALARM
`,
    hits: { 'colour = "red"': [true, false], 'level = 2': [true, true] },
  },
];

interface Unit {
  readonly kind: string;
  readonly label: string;
  readonly holds?: boolean;
  readonly hits: number;
  readonly reached: boolean;
}

function operandsOf(units: readonly Unit[]): readonly Unit[] {
  return units.filter(({ kind }) => kind === 'operand');
}

describe.each(cases)('operands of $name', ({ file, text, tests, hits }) => {
  const [name] = file.split('.');
  const folderOfCase = () => folderWith({ [file]: text, [`${name}.test.yaml`]: `tests:${tests}` });

  test('count true and false, when they are asked', async () => {
    const folder = await folderOfCase();
    const { code, stdout, stderr } = await folder.test('--json', '--coverage');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [{ units }] = JSON.parse(stdout).coverage as [{ units: readonly Unit[] }];
    const found = operandsOf(units).map(({ label, holds, hits: count }) => [
      label.slice(label.indexOf(': ') + 2),
      holds,
      count > 0,
    ]);
    expect(found).toEqual(
      Object.entries(hits).flatMap(([words, [isTrue, isFalse]]) => [
        [words, true, isTrue],
        [words, false, isFalse],
      ]),
    );
  });

  test('are goals of explore, and all are reached', async () => {
    const { folder } = await folderOfCase();
    const args = ['explore', file, '--json', '--seconds', '3600'];
    const { code, stdout } = await dramaturg(args, { cwd: folder });
    expect(code).toBe(0);
    const operands = operandsOf(JSON.parse(stdout).units as readonly Unit[]);
    expect(operands).toHaveLength(2 * Object.keys(hits).length);
    expect(operands.filter(({ reached }) => !reached)).toEqual([]);
  });
});
