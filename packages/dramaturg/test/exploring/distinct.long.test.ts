import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { explore } from '../../src/exploring/explore.ts';
import { playTest } from '../../src/exploring/mutating/mutate.ts';
import { rehearsalOf } from '../../src/exploring/rehearsal.ts';

const compileAs = (fileName: string) => (text: string) => compile(text, { fileName });
const task = (Agent: string, fields: object) => ({ Type: 'Task', Agent, ...fields });
const only = (name: string, state: object) => ({ StartAt: name, States: { [name]: state } });

const rated = {
  StartAt: 'Score',
  States: {
    Score: {
      Type: 'Map',
      ItemsPath: '$.texts',
      ItemProcessor: only(
        'Rate',
        task('Rater', {
          ResultSelector: { 'grade.$': '$.grade', 'note.$': '$.note' },
          End: true,
        }),
      ),
      ResultPath: '$.rated',
      Next: 'Send',
    },
    Send: task('Sender', {
      Parameters: { 'best.$': '$.rated[0].grade', 'second.$': '$.rated[1].grade' },
      End: true,
    }),
  },
};

const offers = {
  StartAt: 'Both',
  States: {
    Both: {
      Type: 'Parallel',
      Branches: [
        only('Ask one', task('One', { End: true })),
        only('Ask other', task('Other', { End: true })),
      ],
      ResultSelector: { 'one.$': '$[0].offer', 'other.$': '$[1].offer' },
      ResultPath: '$.offers',
      Next: 'Send',
    },
    Send: task('Sender', {
      Parameters: { 'one.$': '$.offers.one', 'other.$': '$.offers.other' },
      End: true,
    }),
  },
};

const checked = {
  StartAt: 'Is checked?',
  States: {
    'Is checked?': {
      Type: 'Choice',
      Choices: [
        {
          Or: [
            { Variable: '$.country', StringEquals: 'CH' },
            { Variable: '$.sum', NumericGreaterThan: 100 },
            { Variable: '$.isExpress', BooleanEquals: true },
          ],
          Next: 'Check',
        },
      ],
      Default: 'Send',
    },
    Check: task('Checker', { End: true }),
    Send: task('Sender', { End: true }),
  },
};

const caught = {
  StartAt: 'Order',
  States: {
    Order: task('Shop', {
      ResultPath: '$.order',
      Catch: [{ ErrorEquals: ['SoldOut'], ResultPath: '$.problem', Next: 'Tell' }],
      Next: 'Send',
    }),
    Tell: task('Teller', { End: true }),
    Send: task('Sender', { End: true }),
  },
};

const talk = (name: string, exits: readonly object[]) => ({
  type: 'action',
  name,
  objective: 'Help',
  actions: ['Talk'],
  intra_state_navigation_guidelines: [],
  action_guidelines: [],
  boundary_constraints: [],
  exit_conditions: exits,
});

const graph = {
  name: 'desk',
  new_user_initial_state: 'door',
  returning_user_initial_state: 'door',
  terminal_state: 'bye',
  states: [
    talk('door', [
      { description: 'Somebody is in danger', next_state: '__human__', reason: 'danger' },
      { description: 'All is well', next_state: 'tell' },
    ]),
    {
      type: 'side-effect',
      name: 'tell',
      side_effect: { type: 'emit-event', event_name: 'visited' },
      next_state: 'bye',
    },
    talk('bye', []),
  ],
};

test.each([
  ['the result of another item', 'asl', rated, '"$.rated[0].grade"', '"$.rated[1].grade"'],
  ['another field of a result', 'asl', rated, '"grade.$":"$.grade"', '"grade.$":"$.note"'],
  ['the result of another branch', 'asl', offers, '"$[0].offer"', '"$[1].offer"'],
  ['all conditions instead of one', 'asl', checked, '"Or"', '"And"'],
  ['no place for a caught error', 'asl', caught, '"ResultPath":"$.problem",', ''],
  ['another place for a caught error', 'asl', caught, '"$.problem"', '"$.order"'],
  ['another reason for a person', 'context-graph', graph, '"danger"', '"trifle"'],
  ['another event', 'context-graph', graph, '"visited"', '"missed"'],
])(
  'a definition that takes %s fails a generated test',
  async (_mistake, format, definition, right, wrong) => {
    const compileIt = compileAs(`it.${format}.json`);
    const text = JSON.stringify(definition);
    expect(text).toContain(right);
    const { tests } = await explore(compileIt(text), { bounds: { steps: 400, seconds: 3_600 } });
    const failures = async (source: string) => {
      const rehearsal = rehearsalOf(compileIt(source), {});
      let count = 0;
      for (const each of tests) if ((await playTest(rehearsal, each)) !== undefined) count += 1;
      return count;
    };
    expect(await failures(text)).toBe(0);
    expect(await failures(text.replace(right, wrong))).toBeGreaterThan(0);
  },
);

/** A plan that asks for the date only when a parcel is heavy, and in which the person has to confirm the date. */
const parcels = {
  id: 'parcels',
  title: 'Parcels',
  states: [
    {
      id: 'parcel',
      title: 'Parcel',
      tasks: ['one', 'two', 'three', 'four'].map((id) => ({
        id,
        description: `Part ${id}`,
        deliverables: [{ key: `weight_${id}`, type: 'number', minimum: 1, maximum: 30 }],
      })),
      transitions: [
        {
          target_state_id: 'heavy',
          condition_type: 'deliverable_value_numeric',
          condition_config: { key: 'weight_one', operator: 'gt', value: 20 },
        },
        { target_state_id: 'light' },
      ],
    },
    {
      id: 'heavy',
      title: 'Heavy',
      tasks: [
        {
          id: 'lift',
          description: 'Lift',
          deliverables: [{ key: 'date', type: 'string', confirm: true }],
        },
      ],
      transitions: [{ target_state_id: 'light' }],
    },
    { id: 'light', title: 'Light', tasks: [] },
  ],
};

test('a small sample of mistakes has one of each class before a second of any, also a lost confirmation', async () => {
  const asPlan = compileAs('it.plan.json');
  const { mutants } = await explore(asPlan(JSON.stringify(parcels)), {
    bounds: { steps: 200, seconds: 3_600 },
    mutation: { compile: asPlan, mutantsMax: 20 },
  });
  expect(new Set(mutants!.map(({ mistake }) => mistake)).size).toBe(15);
  const confirmation = mutants!.filter(({ words }) => words === '"confirm" is false');
  expect(confirmation.map(({ fate }) => fate)).toEqual(['added']);
});
