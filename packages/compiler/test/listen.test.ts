import { createActor, toPromise } from 'xstate';
import { expect, test } from 'vitest';
import { link, listen, providePorts } from '../src/index.ts';
import { asking, batch, batchOf } from './batch-format.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function machineThat(answers: boolean) {
  return providePorts(link(batchOf(asking), batch, { world: { ...world, now: () => 7 } }), {
    runAgent: ({ input }) => (answers ? { result: input } : new Promise(() => {})),
  });
}

const world = { now: () => 0, random: () => 0, uuid: () => '' };

test('a listener hears what every item emits, from its first step to its last', async () => {
  const heard: unknown[] = [];
  const actor = createActor(machineThat(true), {
    input: { items: ['a', 'b'], concurrency: 1 },
    ...listen((event, { id }) => heard.push([id, event])),
  });
  await toPromise(actor.start());
  const emittedBy = (id: string, type: string, item: string) => [id, { type, item, at: 7 }];
  expect(heard).toEqual([
    emittedBy('0', 'begun', 'a'),
    emittedBy('0', 'ended', 'a'),
    emittedBy('1', 'begun', 'b'),
    emittedBy('1', 'ended', 'b'),
  ]);
});

test('a listener hears the items that are restored', async () => {
  const first = createActor(machineThat(false), { input: { items: ['a', 'b'] } }).start();
  await settled();
  const snapshot = first.getPersistedSnapshot();
  first.stop();

  const heard: string[] = [];
  const actor = createActor(machineThat(true), {
    snapshot,
    ...listen(({ type }, { id }) => heard.push(`${id} ${type}`)),
  });
  await toPromise(actor.start());
  expect(heard).toEqual(['0 ended', '1 ended']);
});

test('an actor hears its own emissions only', async () => {
  const heard: unknown[] = [];
  const actor = createActor(machineThat(true), { input: { items: ['a'] } });
  actor.on('*', (event) => heard.push(event));
  await toPromise(actor.start());
  expect(heard).toEqual([]);
});
