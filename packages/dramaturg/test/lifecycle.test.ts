import { compile, conversationLifecycle, toMermaid, workflowLifecycle } from 'dramaturg';
import { expect, test } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { dramaturg, folderWith } from './command.ts';

const parcel = 'parcel.lifecycle.json';

test('a lifecycle is checked like any other definition, whatever its file is called', async () => {
  const shifts = `states: { OPEN: initial, DONE: terminal }\ntransitions: { OPEN: { finish: DNOE } }\n`;
  const cwd = await folderWith({ 'shifts.yaml': shifts });
  const { code, stdout } = await dramaturg(['check', 'shifts.yaml'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain('lifecycle/unknown-state');
  expect(stdout).toContain('Did you mean "DONE"?');
  expect(await dramaturg(['check', parcel])).toEqual({
    code: 0,
    stdout: `✓ ${parcel}: a lifecycle, no errors, no warnings.\n`,
    stderr: '',
  });
});

test('to run one is refused with what can be done instead', async () => {
  const { code, stdout, stderr } = await dramaturg(['run', parcel]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^error: A lifecycle cannot be run in the terminal/);
  expect(stderr).toContain(`dramaturg compile ${parcel} --to mermaid`);
});

test('the built-in lifecycles compile, can be drawn, and run', async () => {
  for (const definition of [conversationLifecycle, workflowLifecycle]) {
    const { machine, chart, diagnostics } = compile(JSON.stringify(definition));
    expect(diagnostics).toEqual([]);
    expect(toMermaid(chart!)).toContain('cancel');
    const actor = createActor(machine!, { input: { instance: 'one' } }).start();
    actor.send({ type: 'cancel' });
    expect(await toPromise(actor)).toMatchObject({ state: 'FAILED', failure_reason: 'cancelled' });
  }
});
