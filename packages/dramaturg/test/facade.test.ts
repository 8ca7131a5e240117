import { readFile } from 'node:fs/promises';
import { check, compile, printPretty, providePorts, understudyPorts } from 'dramaturg';
import { expect, test } from 'vitest';
import { createActor, toPromise, waitFor } from 'xstate';
import { examples, smallPlan } from './command.ts';

test('a definition becomes a conversation', async () => {
  const lines: string[] = [];
  const text = await readFile(`${examples}/customer-intake.plan.json`, 'utf8');

  const { machine, diagnostics } = compile(text);
  if (!machine)
    throw new Error(printPretty(diagnostics, { text, fileName: 'customer-intake.plan.json' }));

  const actor = createActor(providePorts(machine, understudyPorts()));
  actor.on('message.sent', ({ text: message }) => lines.push(message));
  actor.start();

  for (const message of ['I am Maria', '4711-B', 'technical', 'The screen stays dark', 'yes']) {
    await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
    actor.send({ type: 'message.received', text: message });
  }
  const { outcome, deliverables } = await toPromise(actor);

  expect(lines[1]).toBe('What is your account number?');
  expect(outcome).toBe('completed');
  expect(deliverables).toEqual({
    customer_name: 'Maria',
    account_number: '4711-B',
    issue_type: 'technical',
    symptom: 'The screen stays dark',
    restart_helped: true,
  });
});

test('a mistake is a diagnostic and no machine', () => {
  const compiled = compile(smallPlan({ initial_state_id: 'helo' }));
  expect(compiled.machine).toBeUndefined();
  expect(compiled.diagnostics.map(({ code }) => code)).toEqual(['plan/unknown-initial-state']);
  expect(check(smallPlan()).format).toBe('plan');
});
