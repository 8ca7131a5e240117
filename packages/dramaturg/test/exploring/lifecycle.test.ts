import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conversationLifecycle } from '@dramaturg/lifecycle';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { dramaturg, examples, folderWith } from '../command.ts';

/** Definitions under a lifecycle of their own: rows, time, operators and failed turns. */

/** A conversation that can be paused, reminds once, and needs a person after a failed turn. */
const desk = {
  ...conversationLifecycle,
  policies: {
    ...conversationLifecycle.policies,
    heartbeat: { interval_ms: 60_000, max_followups: 1 },
  },
};

const claim = {
  id: 'claim',
  title: 'Claim',
  states: [
    {
      id: 'claim',
      title: 'Claim',
      tasks: [
        {
          id: 'amount',
          description: 'Amount',
          deliverables: [{ key: 'amount', type: 'number', description: 'How much is it?' }],
        },
      ],
    },
  ],
};

interface Unit {
  readonly kind: string;
  readonly label: string;
  readonly reached: boolean;
  readonly reason?: string;
}

/** Explores a plan under a lifecycle, and runs the generated tests. */
async function explored(lifecycle: object) {
  const folder = await folderWith({
    'claim.plan.json': JSON.stringify(claim),
    'desk.lifecycle.json': JSON.stringify(lifecycle),
  });
  const out = 'claim.explored.test.yaml';
  const run = (...args: readonly string[]) => dramaturg(args, { cwd: folder });
  const options = ['--lifecycle', 'desk.lifecycle.json', '--out', out, '--seconds', '300'];
  const found = await run(
    'explore',
    'claim.plan.json',
    ...options,
    '--json',
    '--max-steps',
    '1200',
  );
  expect({ code: found.code, stderr: found.stderr }).toEqual({ code: 0, stderr: '' });
  const tested = await run('test', out);
  expect({ code: tested.code, stderr: tested.stderr }).toEqual({ code: 0, stderr: '' });
  const result = JSON.parse(found.stdout) as {
    readonly percent: number;
    readonly units: readonly Unit[];
    readonly lifecycle: { readonly definition: string; readonly units: readonly Unit[] };
  };
  const reached = new Set(
    result.lifecycle.units.flatMap((unit) => (unit.reached ? [`${unit.kind} ${unit.label}`] : [])),
  );
  return { ...result, reached, tests: await readFile(join(folder, out), 'utf8') };
}

/** For all tests: a search takes seconds. */
let exploredOnce: ReturnType<typeof explored> | undefined;
const exploredDesk = () => (exploredOnce ??= explored(desk));

test('the rows of a lifecycle are reached by time, operators, failed calls and messages, in tests that pass', async ({
  skip,
}) => {
  skip(!runsAll);
  const { percent, lifecycle, reached, tests } = await exploredDesk();
  expect(percent).toBe(100);
  expect(lifecycle.definition).toBe('desk.lifecycle.json');
  for (const state of [
    'ACTIVE',
    'WAITING_FOR_REPLY',
    'HEARTBEAT_SCHEDULED',
    'NEEDS_HUMAN_INTERVENTION',
    'PAUSED',
    'COMPLETED',
    'ABANDONED',
    'FAILED',
  ])
    expect(reached).toContain(`state ${state}`);
  expect(reached).toContain('transition PAUSED: resume');
  expect(reached).toContain('transition WAITING_FOR_REPLY: heartbeat_fires');
  expect(tests).toContain('lifecycle: desk.lifecycle.json');
  expect(tests).toMatch(/- operator: pause\n.*\n? {8}state: claim\n {8}instance: PAUSED/);
  expect(tests).toMatch(/- later: /);
  expect(tests).toMatch(/fails: \{ port: (reply|extract) \}/);
  const reasons = lifecycle.units.flatMap(({ label, reason }) =>
    reason === undefined ? [] : [`${label}: ${reason}`],
  );
  expect(reasons).toContainEqual(
    expect.stringMatching(/^CREATED: instance.recovered: Only a host sends this event/),
  );
});

test('the same bounds give the same tests, and the text names both files', async ({ skip }) => {
  skip(!runsAll);
  const [one, other] = [await exploredDesk(), await explored(desk)];
  expect(one.tests).toBe(other.tests);
  const folder = await folderWith({
    'claim.plan.json': JSON.stringify(claim),
    'desk.lifecycle.json': JSON.stringify(desk),
  });
  const { stdout } = await dramaturg(
    ['explore', 'claim.plan.json', '--lifecycle', 'desk.lifecycle.json', '--max-steps', '200'],
    { cwd: folder },
  );
  expect(stdout).toMatch(/^desk\.lifecycle\.json: \d+ %[^]*\nclaim\.plan\.json: \d+ %/);
});

test.each([
  ['customer-intake.plan.json', ['--lifecycle', 'nowhere.lifecycle.json'], 'There is no file'],
  ['customer-intake.plan.json', ['--lifecycle', 'order.asl.json'], 'is not a lifecycle'],
  ['customer-intake.plan.json', ['--lifecycle', 'parcel.lifecycle.json'], 'never starts a turn'],
  ['parcel.lifecycle.json', ['--lifecycle', 'parcel.lifecycle.json'], 'no other lifecycle'],
  [
    'customer-intake.plan.json',
    ['--lifecycle', 'parcel.lifecycle.json', '--mutate'],
    'cannot be combined with --lifecycle',
  ],
])('%s with %j is answered with a sentence', async (file, options, message) => {
  const { code, stderr } = await dramaturg(['explore', file, ...options], { cwd: examples });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

test('a row from several states is tried from each of them, and a test of one leaves the others open', async () => {
  const states = ['A', 'B', 'C'];
  const folder = await folderWith({
    'row.lifecycle.json': JSON.stringify({
      id: 'row',
      title: 'Row',
      initial: 'A',
      states: [...states.map((name) => ({ name })), { name: 'END', kind: 'terminal' }],
      transitions: [
        { from: 'A', event: 'b', to: 'B' },
        { from: 'B', event: 'c', to: 'C' },
        { from: states, event: 'stop', to: 'END' },
      ],
    }),
    'row.test.yaml':
      'definition: row.lifecycle.json\ntests:\n  - name: one\n    steps:\n      - event: { type: stop }\n        state: END\n',
  });
  const found = await dramaturg(['explore', 'row.lifecycle.json', '--json'], { cwd: folder });
  const { units } = JSON.parse(found.stdout) as { readonly units: readonly Unit[] };
  const stops = units.filter(({ kind, label }) => kind === 'transition' && label.endsWith('stop'));
  expect(stops.map(({ label, reached }) => [label, reached])).toEqual(
    states.map((name) => [`${name}: stop`, true]),
  );
  const tested = await dramaturg(['test', '--coverage'], { cwd: folder });
  expect(tested.stdout).toMatch(
    /transition not reached: B: stop[^]*transition not reached: C: stop/,
  );
});

/** A desk that is called by turns of an agent, and lets others have the contact while it waits. */
const turns = {
  id: 'turns',
  initial: 'IDLE',
  states: {
    IDLE: { holds_contact: false },
    BUSY: { entry: ['start_turn'], holds_contact: true },
    STUCK: { timer: { event: 'give up', after_ms: 60_000 } },
    END: 'terminal',
  },
  transitions: [
    { from: 'IDLE', event: 'call', to: 'BUSY' },
    {
      from: 'BUSY',
      event: 'turn.ended',
      guard: 'current_turn',
      to: 'IDLE',
      actions: ['close_turn'],
    },
    {
      from: 'BUSY',
      event: 'turn.failed',
      guard: 'current_turn',
      to: 'STUCK',
      actions: ['fail_turn', 'record_help'],
    },
    { from: 'STUCK', event: 'give up', to: 'END', actions: [{ record_end: 'tired' }] },
    { from: '*', event: 'cancel', to: 'END', actions: ['record_failure'] },
  ],
};

test('events of turns name the turn that runs, and tests see who holds the contact and what an end records', async () => {
  const folder = await folderWith({ 'turns.lifecycle.json': JSON.stringify(turns) });
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await dramaturg(args, { cwd: folder });
    return { code, stdout, stderr };
  };
  const found = await run(
    'explore',
    'turns.lifecycle.json',
    '--out',
    'turns.test.yaml',
    '--mutate',
  );
  expect(found).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('(states 5/5, transitions 5/5,'),
  });
  expect(found.stdout).toMatch(/(\d+) of \1 mistakes found/);
  const mistakes = [
    ['"holds_contact":false', '"holds_contact":true'],
    ['"holds_contact":true', '"holds_contact":false'],
    ['"tired"', '"worn out"'],
    ['"actions":["record_failure"]', '"actions":[]'],
  ] as const;
  expect(await run('test')).toMatchObject({ code: 0 });
  for (const [right, wrong] of mistakes) {
    const text = JSON.stringify(turns).replace(right, wrong);
    await writeFile(join(folder, 'turns.lifecycle.json'), text);
    expect([wrong, (await run('test')).code]).toEqual([wrong, 1]);
  }
});
