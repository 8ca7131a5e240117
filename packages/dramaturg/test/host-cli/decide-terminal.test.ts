import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { dramaturg, examples } from '../command.ts';
import { hasTerminal, OnTerminal } from '../terminal.ts';
import { json, newStore } from './processes.ts';

/** A store with a refund that waits for a decision. */
async function refund(): Promise<{ store: string; cwd: string }> {
  const store = await newStore();
  const cwd = dirname(store);
  await cp(examples, cwd, { recursive: true });
  const input = join(cwd, 'refund.json');
  const start = ['start', store, 'refund.asl.json', '--id', 'refund-1', '--by', 'dan', '--input'];
  expect(await dramaturg([...start, input], { cwd })).toMatchObject({ code: 0 });
  return { store, cwd };
}

describe.runIf(hasTerminal)('decide on a terminal', () => {
  test('asks for the option and the name, and again after a wrong answer', async () => {
    const { store, cwd } = await refund();
    const decide = new OnTerminal(['decide', store], { cwd });
    await decide.answer('Decision (approve, reject): ', 'maybe');
    await decide.says('"maybe" is not one of: approve, reject.');
    await decide.answer('Decision (approve, reject): ', 'approve');
    await decide.answer('Your name: ', 'Dan');
    await decide.says('"Dan" has requested it, so somebody else has to decide.');
    await decide.answer('Your name: ', 'ana');
    expect(await decide.exit).toBe(0);
    expect(decide.text).toContain('Refund 80 euros to Maria?');
    expect(await json(['show', store, 'refund-1'])).toMatchObject({ state: 'COMPLETED' });
  });

  test('asks for nothing that the arguments have', async ({ skip }) => {
    skip(!runsAll);
    const { store, cwd } = await refund();
    const decide = new OnTerminal(['decide', store, 'refund-1', 'reject', '--by', 'ana'], { cwd });
    expect(await decide.exit).toBe(0);
    expect(decide.text).not.toContain('Your name');
  });

  test('decides nothing when the person leaves', async ({ skip }) => {
    skip(!runsAll);
    const { store, cwd } = await refund();
    const decide = new OnTerminal(['decide', store, 'refund-1'], { cwd });
    await decide.says('Decision (approve, reject): ');
    decide.press('\u0003');
    expect(await decide.exit).toBe(2);
    expect(decide.text).toContain('error: No decision was made.');
    expect((await json(['decisions', store]))['decisions']).toHaveLength(1);
  });
});

test('without a terminal a missing option is an error that names the options', async () => {
  const { store, cwd } = await refund();
  expect(await dramaturg(['decide', store, 'refund-1'], { cwd })).toMatchObject({
    code: 2,
    stderr: `error: Missing required argument 'option'.\nhint: Name one of its options: approve, reject.\n`,
  });
  expect(await dramaturg(['decide', store], { cwd })).toMatchObject({
    code: 2,
    stderr: `error: Missing required argument 'decision'.\nhint: "dramaturg decisions ${store}" lists the open decisions of the store.\n`,
  });
});

test('ps says who must decide and who has not requested it', async () => {
  const { store } = await refund();
  const { stdout } = await dramaturg(['ps', store]);
  expect(stdout.split('\n').slice(2)).toEqual([
    '  waits for a decision of ana or bob: Refund 80 euros to Maria?',
    '',
  ]);
});
