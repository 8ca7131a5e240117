import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conversationLifecycle } from '@dramaturg/lifecycle';
import { modelServer } from '@dramaturg/langchain/testing';
import { expect, test } from 'vitest';
import type { SimulationReport } from '../../src/simulating/report.ts';
import { dramaturg, folderWith } from '../command.ts';
import { runsAll } from '../../../../.config/scaled.ts';

const intake = 'customer-intake.plan.json';

async function reportOf(...args: readonly string[]): Promise<SimulationReport> {
  const { stdout, stderr } = await dramaturg(['simulate', ...args, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as SimulationReport;
}

/** One reminder after a week, and the end after another one. */
const patient = JSON.stringify({
  ...conversationLifecycle,
  policies: {
    ...conversationLifecycle.policies,
    heartbeat: { interval_ms: 7 * 24 * 3_600_000, max_followups: 1 },
  },
});

const innkeeper = `
name: Old Henna
persona_identity_prompt: You are Henna, who has all the time in the world.
machines:
  - machine_key: story
    name: A story by the stove
    states:
      - state_key: stove
        prompt_instruction: Chat about the winter.
        is_initial_state: true
        evaluation_criteria: { pass: The guest has shown patience., follow_up: The guest sighs. }
        transitions:
          - { to_state_key: end, decision_type: pass, score_delta: 3 }
      - state_key: end
        prompt_instruction: Say good night.
        is_terminal_state: true
`;

test.each([
  ['a plan', async () => intake],
  ['a context graph', async () => 'check-in.context-graph.yaml'],
  ['an NPC', async () => join(await folderWith({ 'henna.npc.yaml': innkeeper }), 'henna.npc.yaml')],
])(
  'somebody who stops answering is reminded by %s, and the conversation is closed',
  async (_, file) => {
    const { lifecycle, personas, conversations } = await reportOf(
      await file(),
      '--lifecycle',
      '--personas',
      'absent',
      '--runs',
      '6',
    );
    expect(lifecycle).toBe('built-in');
    const abandoned = conversations.filter(({ ending }) => ending.outcome === 'ABANDONED');
    expect(abandoned.length).toBeGreaterThan(0);
    for (const { reminders, waitedMs, ending, turns } of abandoned) {
      expect(ending).toMatchObject({ isGood: false, because: '5 reminders sent.' });
      expect(reminders).toBe(5);
      // Six times half an hour.
      expect(waitedMs).toBeGreaterThanOrEqual(6 * 1_800_000);
      expect(turns.at(-1)).toMatchObject({ happening: '(time passes to the end)' });
      expect(turns.at(-1)).not.toHaveProperty('person');
    }
    const reminders = conversations.reduce((sum, each) => sum + (each.reminders ?? 0), 0);
    expect(personas[0]).toMatchObject({ persona: 'absent', reminders });
  },
);

test('somebody who comes back late is still answered by a lifecycle that waits longer', async ({
  skip,
}) => {
  skip(!runsAll);
  const folder = await folderWith({ 'patient.lifecycle.json': patient });
  const bounds = ['--personas', 'late', '--runs', '8'];
  const usual = await reportOf(intake, ...bounds, '--lifecycle');
  const longer = await reportOf(
    intake,
    ...bounds,
    '--lifecycle',
    join(folder, 'patient.lifecycle.json'),
  );
  expect(usual.conversations.map(({ ending }) => ending.outcome)).toContain('ABANDONED');
  expect(longer.score.good).toBe(8);
  expect(longer.conversations.some(({ waitedMs = 0 }) => waitedMs >= 24 * 3_600_000)).toBe(true);
  expect(longer.conversations.map(({ ending }) => ending.outcome)).not.toContain('ABANDONED');
});

test('people write twice, and while an operator has paused the conversation', async ({ skip }) => {
  skip(!runsAll);
  const { conversations } = await reportOf(
    intake,
    '--lifecycle',
    '--personas',
    'impatient,terse',
    '--runs',
    '15',
  );
  const lines = conversations.flatMap(({ turns }) =>
    turns.map(({ person, happening }) => person ?? happening ?? ''),
  );
  expect(lines).toContainEqual(expect.stringContaining(' / '));
  expect(lines).toContainEqual(expect.stringMatching(/^\(operator\) intervene: /));
  const paused = lines.indexOf('(operator) pause');
  expect(paused).toBeGreaterThan(0);
  expect(lines.slice(paused + 1, paused + 4)).toEqual([
    expect.not.stringMatching(/^\(/),
    '(operator) resume',
    expect.anything(),
  ]);
});

test('with a lifecycle, the same seed gives the same report, however many there are at the same time', async ({
  skip,
}) => {
  skip(!runsAll);
  const run = ['simulate', intake, '--lifecycle', '--runs', '2', '--json'];
  const one = await dramaturg([...run, '--concurrency', '1']);
  const many = await dramaturg([...run, '--concurrency', '7']);
  expect(one).toMatchObject({ code: 0, stderr: '' });
  expect(many).toEqual(one);
  const { personas } = JSON.parse(one.stdout) as SimulationReport;
  expect(personas.map(({ persona }) => persona)).toEqual(
    expect.arrayContaining(['late', 'absent', 'impatient']),
  );
});

test('with a lifecycle and a model, a simulation is recorded and replayed, byte for byte', async ({
  skip,
}) => {
  skip(!runsAll);
  await using server = await modelServer(({ response_format: form }) =>
    form === undefined ? { text: 'What may I call you?' } : { text: '{}' },
  );
  const folder = join(await folderWith({}), 'runs');
  const recorded = await dramaturg([
    'simulate',
    intake,
    '--lifecycle',
    '--personas',
    'late,absent',
    '--runs',
    '2',
    '--max-turns',
    '6',
    '--model',
    'openai:test-model',
    '--base-url',
    server.baseUrl,
    '--out',
    folder,
    '--json',
  ]);
  expect(recorded).toMatchObject({ code: 0, stderr: '' });
  const asked = server.requests.length;
  expect(asked).toBeGreaterThan(0);
  expect(JSON.parse(recorded.stdout)).toMatchObject({ used: { requests: asked } });
  const replayed = await dramaturg(['simulate', intake, '--replay', folder, '--json']);
  expect(replayed).toEqual(recorded);
  expect(server.requests).toHaveLength(asked);
});

test('transcripts say when time passes and what operators do', async () => {
  const folder = join(await folderWith({}), 'runs');
  const { stdout } = await dramaturg([
    'simulate',
    intake,
    '--lifecycle',
    '--personas',
    'absent',
    '--runs',
    '1',
    '--out',
    folder,
  ]);
  expect(stdout).toMatch(/persona +good +messages +reminders +took +ended/);
  const transcript = await readFile(join(folder, 'absent-01.transcript'), 'utf8');
  expect(transcript).toContain('\n(time passes to the end)\nagent: I am still waiting');
});

test.each([
  [
    ['parcel.lifecycle.json', '--lifecycle'],
    'Only conversations take --lifecycle, and this definition is not one.',
  ],
  [[intake, '--lifecycle', 'order.asl.json'], '"order.asl.json" is not a lifecycle.'],
  [
    [intake, '--lifecycle', 'parcel.lifecycle.json'],
    'The lifecycle "parcel.lifecycle.json" never starts a turn',
  ],
  [[intake, '--lifecycle', '--personas', 'lat'], 'There is no persona "lat".'],
])('%j is answered with a sentence', async (args, message) => {
  const { code, stderr } = await dramaturg(['simulate', ...args]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

test.runIf(runsAll)(
  'a lifecycle that never ends a conversation comes to the bound, and says so',
  async () => {
    const folder = await folderWith({
      'endless.lifecycle.json': patient.replace('"max_followups":1', '"max_followups":100000'),
    });
    const { conversations } = await reportOf(
      intake,
      '--lifecycle',
      join(folder, 'endless.lifecycle.json'),
      '--personas',
      'absent',
      '--runs',
      '1',
    );
    expect(conversations[0]?.ending).toMatchObject({ outcome: 'call limit', isGood: false });
  },
);

const approval = JSON.stringify({
  StartAt: 'Ask',
  States: {
    Ask: {
      Type: 'Approval',
      Prompt: 'Refund?',
      Timeout: '2h',
      OnTimeout: 'Fail',
      Next: 'Done',
    },
    Done: { Type: 'Succeed' },
  },
});

test('people decide in time, late, or never: the workflow times out', async () => {
  const folder = await folderWith({ 'ask.asl.json': approval });
  const { personas, stuck } = await reportOf(
    join(folder, 'ask.asl.json'),
    '--personas',
    'cooperative,late,absent',
    '--runs',
    '12',
  );
  const [cooperative, late, absent] = personas;
  expect(cooperative).toMatchObject({ waitedMs: 0 });
  expect(late!.endings).toMatchObject({
    failed: expect.any(Number),
    succeeded: expect.any(Number),
  });
  expect(absent!.endings).toMatchObject({ failed: expect.any(Number) });
  expect(stuck.map(({ because }) => because)).toContainEqual(
    expect.stringMatching(/^States.Timeout/),
  );
});

test('an approval without a timeout that nobody decides is left open, and counted', async () => {
  const { States, ...rest } = JSON.parse(approval);
  const { Timeout: _, OnTimeout: __, ...open } = States.Ask;
  const folder = await folderWith({
    'open.asl.json': JSON.stringify({ ...rest, States: { Ask: open, Done: States.Done } }),
  });
  const { conversations } = await reportOf(
    join(folder, 'open.asl.json'),
    '--personas',
    'absent',
    '--runs',
    '10',
  );
  const left = conversations.filter(({ ending }) => ending.outcome === 'left');
  expect(left.length).toBeGreaterThan(0);
  expect(left[0]?.ending.because).toBe('The person does not come back, and no timer is set.');
});
