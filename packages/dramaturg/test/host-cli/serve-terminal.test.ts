import { cp } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dramaturg, examples } from '../command.ts';
import { hasTerminal, OnTerminal } from '../terminal.ts';
import { newStore, serve, until } from './processes.ts';

const definitions = ['customer-intake.plan.json', 'refund.asl.json'].flatMap((file) => [
  '--definition',
  file,
]);

async function newFolder(): Promise<{ store: string; cwd: string }> {
  const store = await newStore();
  await cp(examples, dirname(store), { recursive: true });
  return { store, cwd: dirname(store) };
}

const startRefund = (store: string, id: string, ...by: string[]) =>
  dramaturg(['start', store, 'refund', '--id', id, ...by, '--input', 'refund.json']);

describe.runIf(hasTerminal)('serve on a terminal', () => {
  test('shows messages and failures above a line with counts', async () => {
    const { store, cwd } = await newFolder();
    const host = new OnTerminal(['serve', store, ...definitions], { cwd });
    await host.says('Ctrl+C stops the host.');
    const start = ['start', store, 'customer-intake', '--id', 'talk', '--contact', 'ada'];
    expect(await dramaturg(start)).toMatchObject({ code: 0 });
    await host.says('ada: Welcome!');
    expect(await dramaturg(['send', store, 'talk', 'Ada'])).toMatchObject({ code: 0 });
    await host.says('ada: What is your account number?');
    await startRefund(store, 'by-nobody');
    await startRefund(store, 'by-dan', '--by', 'dan');
    await host.says('2 instances · 1 decision open · 1 failure · 1 message in, 2 out');
    host.press('\u0003');
    expect(await host.exit).toBe(0);
    const lines = host.lines.filter((line) => !line.startsWith('  '));
    const said = [
      'ada: Welcome! I am here to help.',
      'ada writes: Ada',
      'ada: What is your account number?',
      expect.stringMatching(/^✗ by-nobody has failed: States\.ValidationError: /),
      expect.stringMatching(/^\? by-dan\/\w+ waits for a decision: Refund 80 euros to Maria\?$/),
      'Stopping ...',
      'Stopped.',
      '',
    ];
    expect(lines.slice(1)).toEqual(expect.arrayContaining(said));
    expect(lines.slice(1)).toHaveLength(said.length);
  });
});

test('serve without a terminal prints plain lines, and failures on standard error', async () => {
  const { store } = await newFolder();
  const host = await serve(store, ...definitions);
  await startRefund(store, 'by-nobody');
  await startRefund(store, 'by-dan', '--by', 'dan');
  await host.says('waits for a decision: Refund 80 euros to Maria?\n');
  await until(() => host.stderr.includes('✗ by-nobody has failed: States.ValidationError'));
  expect(await host.end('SIGTERM')).toBe(0);
  expect(host.stdout + host.stderr).not.toContain('\u001b');
  expect(host.stdout + host.stderr).not.toContain('instances');
});
