import { expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { greeted, newStore, serve, transcriptOf } from './processes.ts';

const intake = ['--definition', 'customer-intake.plan.json'];

/** Runs a command with `--json`, and returns its value. */
async function asked(...words: string[]) {
  const { stdout } = await dramaturg([...words, '--json']);
  return JSON.parse(stdout);
}

test('operators take a conversation over from a running host, and a kill changes nothing', async () => {
  const store = await newStore();
  const host = await serve(store, ...intake);
  await greeted(store, 'talk', 'ada');
  const taken = await dramaturg(['take-over', store, 'talk', '--as', 'ana', '--for', '60']);
  expect(taken).toMatchObject({ code: 0, stderr: '' });
  expect(taken.stdout).toMatch(/^✓ talk: PAUSED, ana has it until \d{4}-\d\d-\d\d [\d:]{8}\n$/);
  await host.end('SIGKILL');

  await serve(store, ...intake);
  const refused = await dramaturg(['take-over', store, 'talk', '--as', 'ben']);
  expect(refused).toMatchObject({ code: 6, stdout: '' });
  expect(refused.stderr).toMatch(
    /^refused: "ana" has this conversation until .* UTC\. .* \(host\/claimed\)\n$/,
  );
  expect(await dramaturg(['resume', store, 'talk'])).toMatchObject({ code: 6 });
  expect(await dramaturg(['note', store, 'talk', 'Calls back.', '--as', 'ben'])).toMatchObject({
    code: 0,
  });
  expect(await dramaturg(['intervene', store, 'talk', 'Ana here.', '--as', 'ana'])).toMatchObject({
    code: 0,
  });
  expect((await transcriptOf(store, 'talk')).at(-1)).toBe('manual: Ana here.');
  const { stdout: shown } = await dramaturg(['show', store, 'talk']);
  expect(shown).toMatch(/taken over by +ana, until in \d+ min/);
  expect(shown).toMatch(/note +ben, .*: Calls back\./);
  expect((await dramaturg(['ps', store])).stdout).toContain('PAUSED, ana');
  expect(await asked('ps', store)).toMatchObject({ instances: [{ owner: { by: 'ana' } }] });
  expect(await dramaturg(['hand-back', store, 'talk', '--as', 'ana'])).toMatchObject({
    code: 0,
    stdout: '✓ talk: WAITING_FOR_REPLY\n',
  });
  expect((await dramaturg(['hand-back', store, 'talk', '--as', 'ana'])).stderr).toContain(
    '(host/not-claimed)',
  );
  const { acts } = await asked('acts', store);
  expect(acts.map(({ act, by }: { act: string; by: string }) => `${act} ${by}`)).toEqual([
    'take-over ana',
    'note ben',
    'intervene ana',
    'hand-back ana',
  ]);
});

test('the same commands work on a store that no host runs', async () => {
  const store = await newStore();
  const host = await serve(store, ...intake);
  await greeted(store, 'talk', 'ada');
  await host.end('SIGTERM');
  expect(await dramaturg(['acts', store])).toMatchObject({
    code: 0,
    stdout: 'Nobody has done anything that matches.\n',
  });
  const nameless = await dramaturg(['take-over', store, 'talk']);
  expect(nameless.code).not.toBe(0);
  expect(nameless.stderr).toContain('--as');
  expect(await asked('take-over', store, 'talk', '--as', 'ana')).toMatchObject({
    accepted: true,
    owner: { by: 'ana' },
  });
  expect(await dramaturg(['cancel', store, 'talk', '--as', 'ben'])).toMatchObject({ code: 6 });
  expect(await dramaturg(['take-over', store, 'talk', '--as', 'ben', '--force'])).toMatchObject({
    code: 0,
  });
  expect(await dramaturg(['cancel', store, 'talk', '--as', 'ben'])).toMatchObject({ code: 0 });
  const { stdout } = await dramaturg(['acts', store, '--by', 'ben', '--csv']);
  expect(stdout).toMatch(
    /^at,by,act,instance,contact,decision,option,text\r\n[^,]+,ben,take-over,talk,ada,,,\r\n[^,]+,ben,cancel,talk,ada,,,\r\n$/,
  );
  for (const [given, problem] of [
    ['--from=yesterday', 'Expected a date'],
    ['--to=x', 'Expected a date'],
  ] as const)
    expect((await dramaturg(['acts', store, given])).stderr).toContain(problem);
  expect((await dramaturg(['take-over', store, 'talk', '--for', '0'])).stderr).toContain(
    'Expected minutes',
  );
});
