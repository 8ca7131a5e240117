import { expect, test } from 'vitest';
import { dramaturg, folderWith } from '../command.ts';

const facts = {
  id: 'facts',
  title: 'Facts',
  type: 'loose',
  tasks: [
    {
      id: 'name',
      description: 'Ask for the name',
      instruction: 'Ask the person politely for the full name',
      deliverables: [{ key: 'name', type: 'string', description: 'The name' }],
    },
    {
      id: 'kind',
      description: 'Ask what it is about',
      deliverables: [{ key: 'kind', type: 'enum', enum_values: ['billing', 'refund'] }],
    },
  ],
  transitions: [
    { target_state_id: 'done', condition_type: 'all_tasks_complete' },
    {
      target_state_id: 'done',
      condition_type: 'deliverable_exists',
      condition_config: { key: 'kind' },
    },
  ],
};
const done = {
  id: 'done',
  title: 'Done',
  tasks: [{ id: 'bye', instruction: 'Thank the person and say goodbye in one sentence' }],
};
const plan = { id: 'intake', title: 'Intake', states: [facts, done] };

/** Compares the plan with a changed one. */
async function diff(changed: unknown, args: readonly string[] = [], old: unknown = plan) {
  const cwd = await folderWith({
    'old.json': JSON.stringify(old, undefined, 2),
    'new.json': typeof changed === 'string' ? changed : JSON.stringify(changed, undefined, 2),
  });
  return dramaturg(['diff', 'old.json', 'new.json', ...args], { cwd });
}

test('prints the changes of each state in the author’s words, with places', async () => {
  const [name, kind] = facts.tasks;
  const changed = {
    ...plan,
    title: 'Intake 2',
    states: [
      {
        ...facts,
        tasks: [
          {
            ...kind,
            deliverables: [{ ...kind!.deliverables[0], enum_values: ['billing', 'other'] }],
          },
          { ...name, instruction: 'Ask the person kindly and politely for the full name' },
        ],
        transitions: facts.transitions.map((each) => ({ ...each, target_state_id: 'farewell' })),
      },
      { id: 'more', title: 'More', tasks: [{ id: 'anything', instruction: 'Anything else?' }] },
      { ...done, id: 'farewell' },
    ],
  };
  const { code, stdout, stderr } = await diff(changed);
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatchInlineSnapshot(`
    "old.json → new.json: 6 changes: 1 added, 1 renamed, 1 moved, 3 changed.

    The definition
        ~ title: "Intake" → "Intake 2"  new.json:3:12

    state "facts"
        ~ task "kind" moved from position 2 to 1  new.json:10:9
        ~ deliverable "kind" of task "kind": enum_values  new.json:17:30
            - "refund"
            + "other"
        ~ task "name": instruction  new.json:27:26
            - "Ask the person politely for the full name"
            + "Ask the person kindly and politely for the full name"

    + state "more"  new.json:51:5

    ~ state "farewell" was "done" before: its content is similar  new.json:61:5
    "
  `);
});

test('a definition is the same whatever its spelling, comments and order of keys', async () => {
  const { states, title, id } = plan;
  const text = `// The same plan.\n${JSON.stringify({ states, name: title, id })}`;
  expect(await diff(text)).toEqual({
    code: 0,
    stdout: 'old.json and new.json are the same conversation plan.\n',
    stderr: '',
  });
});

test('prints JSON with the places in both versions', async () => {
  const changed = { ...plan, states: [facts, { ...done, title: 'The end' }] };
  const { code, stdout } = await diff(changed, ['--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    format: 'plan',
    old: 'old.json',
    new: 'new.json',
    isSame: false,
    changes: [
      {
        change: 'changed',
        part: [{ noun: 'state', name: 'done' }],
        field: 'title',
        from: 'Done',
        to: 'The end',
        old: { path: ['states', 1, 'title'], line: 53, column: 16 },
        new: { path: ['states', 1, 'title'], line: 53, column: 16 },
      },
    ],
  });
});

test('transitions in another order of priority have moved', async () => {
  const transitions = facts.transitions.toReversed();
  const { stdout } = await diff({ ...plan, states: [{ ...facts, transitions }, done] });
  expect(stdout).toContain('~ transition "to done" moved from position 2 to 1');
});

test('a field of data that looks like a place is compared', async () => {
  const workflow = (at: readonly unknown[]) => ({
    StartAt: 'A',
    States: { A: { Type: 'Pass', Parameters: { at, authored: at, value: at }, End: true } },
  });
  const { code, stdout } = await diff(workflow(['x', 1]), ['--json'], workflow(['x', 2]));
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    changes: [
      {
        field: 'Parameters',
        from: { at: ['x', 2], authored: ['x', 2], value: ['x', 2] },
        to: { at: ['x', 1], authored: ['x', 1], value: ['x', 1] },
      },
    ],
  });
});

test('draws both versions: added and removed states and arrows, and states that have changed', async () => {
  const changed = {
    ...plan,
    states: [
      {
        ...facts,
        transitions: [{ target_state_id: 'more', condition_type: 'all_tasks_complete' }],
      },
      { id: 'more', title: 'More', tasks: [{ id: 'anything', instruction: 'Anything else?' }] },
    ],
  };
  const { code, stdout } = await diff(changed, ['--to', 'mermaid']);
  expect(code).toBe(1);
  expect(stdout).toMatchInlineSnapshot(`
    "stateDiagram-v2
      state "#126; Facts" as s0 {
        state "Ask for the name" as s1
        --
        state "Ask what it is about" as s2
      }
      state "#43; More" as s3 {
        state "#43; anything" as s4
      }
      state "End" as s5
      s5 --> [*]
      state "#8722; Done" as s6 {
        state "#8722; bye" as s7
      }
      s0 --> s3 : #43; all tasks complete
      s3 --> s5 : #43; all tasks complete
      s0 --> s6 : #8722; 1#58; all tasks complete
      s0 --> s6 : #8722; 1#58; kind is known
      s6 --> s5 : #8722; all tasks complete
      classDef added fill:#dafbe1,stroke:#1a7f37,color:#0b3d1a
      class s3,s4 added
      classDef removed fill:#ffebe9,stroke:#cf222e,color:#5c0f14,stroke-dasharray:5 5
      class s6,s7 removed
      classDef changed fill:#fff8c5,stroke:#9a6700,color:#3b2900
      class s0 changed
    "
  `);
});

test('definitions with errors and of different formats cannot be compared', async () => {
  const broken = await diff({
    ...plan,
    states: [{ ...facts, transitions: [{ target_state_id: 'x' }] }],
  });
  expect([broken.code, broken.stdout]).toEqual([2, '']);
  expect(broken.stderr).toContain('There is no state "x".');
  const other = await diff({ StartAt: 'A', States: { A: { Type: 'Succeed' } } });
  expect(other).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: "old.json" is a conversation plan, and "new.json" is a workflow.\nhint: Compare two definitions of one format.\n',
  });
  expect((await dramaturg(['diff', 'no.plan.json', 'no.plan.json'])).code).toBe(2);
});

test('control characters of a definition do not reach the terminal', async () => {
  const { stdout } = await diff({ ...plan, title: 'In\u001b[31mtake' });
  expect(stdout).not.toContain('\u001b[31m');
});
