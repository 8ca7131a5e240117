import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { explore } from '../../src/exploring/explore.ts';

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
