import type { Port } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { breakCircuits } from '../src/index.ts';

const circuit = { failures: 2, successes: 2, timeout: 1_000 };

/** An agent that fails or works as told, and the time. */
function stage() {
  const world = { now: 0, works: false, calls: 0 };
  const runAgent: Port<'runAgent'> = async () => {
    world.calls += 1;
    if (!world.works) throw new Error('down');
    return { result: 'done' };
  };
  const port = breakCircuits(runAgent, () => world.now);
  const signal = new AbortController().signal;
  const ask = async (agent = 'A', hasCircuit = true) => {
    const input = { key: 'k', agent, input: null, ...(hasCircuit && { circuit }) };
    try {
      await port(input, { signal, onText: () => {} });
      return 'done';
    } catch (error) {
      return (error as { error?: string }).error ?? (error as Error).message;
    }
  };
  return { world, ask };
}

test('a circuit opens after failures in a row, and closes after successes', async () => {
  const { world, ask } = stage();
  expect([await ask(), await ask(), await ask()]).toEqual(['down', 'down', 'Agent.CircuitOpen']);
  expect(world.calls).toBe(2);
  world.now = 1_000;
  expect([await ask(), await ask()]).toEqual(['down', 'Agent.CircuitOpen']);
  world.now = 2_000;
  world.works = true;
  expect(await Promise.all([ask(), ask()])).toEqual(['done', 'Agent.CircuitOpen']);
  expect(await ask()).toBe('done');
  world.works = false;
  expect([await ask(), await ask(), await ask()]).toEqual(['down', 'down', 'Agent.CircuitOpen']);
});

test('a success in between, another agent and a call without a circuit do not open it', async () => {
  const { world, ask } = stage();
  await ask();
  world.works = true;
  await ask();
  world.works = false;
  expect(await ask()).toBe('down');
  expect(await ask('B')).toBe('down');
  for (let call = 0; call < 5; call += 1) {
    expect(await ask('C', false)).toBe('down');
  }
  expect(await ask('B')).toBe('down');
});
