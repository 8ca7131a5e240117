import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Format } from '@dramaturg/compiler/format';
import { type Plan, plan, type PlanOptions } from '@dramaturg/plan';
import { check, compile, createHost, lowdbStore, understudyPorts } from 'dramaturg';
import { readStore } from 'dramaturg/store';
import { expect, onTestFinished, test } from 'vitest';
import { smallPlan } from './command.ts';

/** Plans under another name: a format that no list of Dramaturg has. */
const talk: Format<Plan, PlanOptions> = {
  ...plan,
  name: 'talk',
  suffixes: ['.talk.json'],
  recognise: () => ({ matches: false, because: 'it is named by its file' }),
  lower: (definition, options) => ({ ...plan.lower(definition, options), format: 'talk' }),
};
const formats = [talk];
const text = smallPlan();
const fileName = 'a.talk.json';

test('a format of your own is found by its suffix and by its name', () => {
  expect(compile(text, { fileName, formats })).toMatchObject({ format: 'talk' });
  expect(check(text, { format: 'talk', formats })).toMatchObject({ format: 'talk' });
  expect(compile(text, { fileName: 'a.plan.json', formats }).format).toBe('plan');
  expect(compile(text, { format: 'talk' }).diagnostics[0]!.message).toContain('talk');
});

test('a host and a reader run a format of your own, also after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const options = { store: lowdbStore(folder), formats, ports: understudyPorts() };
  const definitions = { talk: compile(text, { fileName, formats }) };
  const host = await createHost({ ...options, definitions });
  const { id } = await host.start('talk', { contact: 'ada' });
  await host.settle();
  const { state } = await host.get(id);
  await host.stop();

  const again = await createHost(options);
  expect((await again.get(id)).state).toBe(state);
  await again.receive({ contact: 'ada', text: 'Ada', id: 'first' });
  await again.settle();
  expect((await again.get(id)).failure).toBeUndefined();
  await again.stop();

  const reader = await readStore(lowdbStore(folder), { formats });
  expect((await reader.transcript(id, { from: 0, limit: 10 })).length).toBeGreaterThan(2);
  await reader.stop();
});
