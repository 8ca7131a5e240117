import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conversationLifecycle } from '@dramaturg/lifecycle';
import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { explore } from '../../src/exploring/explore.ts';
import { playTest } from '../../src/exploring/mutating/mutate.ts';
import { rehearsalOf } from '../../src/exploring/rehearsal.ts';
import { examples } from '../command.ts';

const fixtures = join(import.meta.dirname, '../../../formats/context-graph/test/fixtures');

test('where people begin who were here before is pinned by a test for coverage', async () => {
  const text = await readFile(join(fixtures, 'keyed/keyed.context-graph.yaml'), 'utf8');
  const compileAs = (given: string) => compile(given, { format: 'context-graph' });
  const { mutants = [] } = await explore(compileAs(text), {
    bounds: { steps: 2000, seconds: 3_600 },
    mutation: { mutantsMax: 200, compile: compileAs },
  });
  const beginnings = mutants.filter(({ path }) => path[0] === 'returning_user_initial_state');
  expect(beginnings.length).toBeGreaterThan(0);
  expect(beginnings.map(({ fate }) => fate)).toEqual(beginnings.map(() => 'found'));
});

test('tests of a lifecycle pin what it emits, and the events that a condition refuses', async () => {
  const definition = {
    format: 'lifecycle',
    id: 'order',
    states: {
      OPEN: { kind: 'initial', timer: { event: 'is late', after_ms: 60_000 } },
      PAID: { kind: 'terminal' },
    },
    transitions: [
      { from: 'OPEN', event: 'pay', guard: { event: { whole: true } }, to: 'PAID' },
      { from: 'OPEN', event: 'is late', to: 'OPEN', actions: [{ emit: 'customer.reminded' }] },
    ],
  };
  const compileAs = (given: string) => compile(given, { format: 'lifecycle' });
  const {
    tests,
    unreached,
    mutants = [],
  } = await explore(compileAs(JSON.stringify(definition)), {
    bounds: { steps: 2000, seconds: 3_600 },
    mutation: { mutantsMax: 200, compile: compileAs },
  });
  expect(mutants.filter(({ fate }) => fate === 'missed')).toEqual([]);
  const steps = tests.flatMap((each) => each.steps);
  expect(steps).toContainEqual(expect.objectContaining({ emitted: { type: 'customer.reminded' } }));
  expect(steps).toContainEqual(
    expect.objectContaining({ event: { type: 'pay' }, refused: expect.any(String) as string }),
  );
  expect(unreached.map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([
    'condition: A test reaches it with an event that is refused, and coverage counts only what is accepted.',
  ]);
});

test('each event that creates an instance is tried, and a row for queued ones is said to be for hosts', async () => {
  const definition = {
    initial: 'NEW',
    terminal: ['DONE'],
    states: ['NEW', 'KNOWN', 'DONE'],
    transitions: [
      { from: null, event: 'create', guard: 'queued', to: 'KNOWN' },
      { from: null, event: 'create', to: 'NEW' },
      { from: null, event: 'import', to: 'KNOWN' },
      { from: ['NEW', 'KNOWN'], event: 'finish', to: 'DONE' },
    ],
  };
  const { tests, unreached } = await explore(
    compile(JSON.stringify(definition), { format: 'lifecycle' }),
    { bounds: { steps: 2000, seconds: 3_600 } },
  );
  expect(tests.map(({ input, steps }) => [input, steps[0]?.state])).toContainEqual([
    { event: 'import' },
    'KNOWN',
  ]);
  const rows = unreached.filter(({ isUnreachable }) => !isUnreachable);
  expect(rows.map(({ path, reason }) => `${path.join('.')}: ${reason}`)).toEqual([
    expect.stringMatching(/^transitions\.0: Only a host sends this event/),
  ]);
});

test('each event that creates a conversation is tried under its lifecycle', async ({ skip }) => {
  skip(!runsAll);
  const ask = { id: 'ask', tasks: [{ id: 'name', deliverables: [{ key: 'name' }] }] };
  const imported = { from: null, event: 'import', to: 'ACTIVE' };
  const lifecycle = compile(
    JSON.stringify({
      ...conversationLifecycle,
      transitions: [...conversationLifecycle.transitions, imported],
    }),
    { format: 'lifecycle' },
  );
  const definition = compile(JSON.stringify({ states: [ask] }), { format: 'plan' });
  const { lifecycle: rows } = await explore(
    { definition, lifecycle },
    { bounds: { steps: 400, seconds: 3_600 } },
  );
  const last = conversationLifecycle.transitions.length;
  const places = rows!.unreached.map(({ kind, path }) => `${kind} ${path.join('.')}`);
  expect(places).toContain('transition transitions.0');
  expect(places).not.toContain('transition transitions.1');
  expect(places).not.toContain(`transition transitions.${last}`);
});

test('a mistake in what only a thought is told is not equivalent, and gets a test', async ({
  skip,
}) => {
  skip(!runsAll);
  const text = await readFile(join(examples, 'check-in.context-graph.yaml'), 'utf8');
  const compileAs = (given: string) => compile(given, { format: 'context-graph' });
  const { mutants = [] } = await explore(compileAs(text), {
    bounds: { steps: 2000, seconds: 3_600 },
    mutation: { mutantsMax: 1000, compile: compileAs },
  });
  const limits = mutants.filter(({ path }) => path.at(-1) === 'word_limit');
  expect(limits.map(({ fate }) => fate)).toEqual(['added', 'added']);
});

test('transitions with the priorities of each other are told apart', async ({ skip }) => {
  skip(!runsAll);
  const numeric = (operator: string, value: number) => ({
    condition_type: 'deliverable_value_numeric',
    condition_config: { deliverable_key: 'age', operator, value },
  });
  const definition = {
    states: [
      {
        id: 'ask',
        tasks: [{ id: 'age', deliverables: [{ key: 'age', type: 'number' }] }],
        transitions: [
          { target_state_id: 'old', ...numeric('gte', 60), priority: 1 },
          { target_state_id: 'grown', ...numeric('gte', 20), priority: 2 },
          { target_state_id: 'young', priority: 3 },
        ],
      },
      { id: 'old' },
      { id: 'grown' },
      { id: 'young' },
    ],
  };
  const compileAs = (given: string) => compile(given, { format: 'plan' });
  const { mutants = [] } = await explore(compileAs(JSON.stringify(definition)), {
    bounds: { steps: 2000, seconds: 3_600 },
    mutation: { mutantsMax: 1000, compile: compileAs },
  });
  const swapped = mutants.filter(({ words }) => words.endsWith("have each other's priority"));
  expect(swapped.map(({ fate }) => fate)).toEqual(['found', 'found']);
});

test('the cause that the author gives a failure is pinned by a test for coverage', async () => {
  const definition = {
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Task',
        Agent: 'Ask',
        Catch: [{ ErrorEquals: ['Late'], ResultPath: '$.late', Next: 'Given up' }],
        End: true,
      },
      'Given up': { Type: 'Fail', Error: 'GivenUp', CausePath: '$.late.Cause' },
    },
  };
  const compileAs = (given: string) => compile(given, { format: 'asl' });
  const text = JSON.stringify(definition);
  const { tests } = await explore(compileAs(text), { bounds: { steps: 2000, seconds: 3_600 } });
  const mutant = rehearsalOf(compileAs(text.replace('$.late.Cause', '$.late.Error')));
  const failures: unknown[] = [];
  for (const each of tests) failures.push(await playTest(mutant, each));
  expect(failures.filter((failure) => failure !== undefined)).toEqual([
    expect.stringContaining('No event is {"type":"state.failed"'),
  ]);
  expect(tests.some(({ steps }) => JSON.stringify(steps).includes('state.failed'))).toBe(true);
});
