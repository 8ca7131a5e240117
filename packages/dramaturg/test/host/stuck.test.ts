import { join } from 'node:path';
import { planRepair } from '@dramaturg/host';
import { until } from '@dramaturg/testing';
import { expect, test } from 'vitest';
import { compile, lowdbStore, type StoreLocation } from '../../src/index.ts';
import { dramaturg, folderWith } from '../command.ts';
import { places, Stage } from './stage.ts';

/** Instances with work that nothing stored would continue (H9): those of an earlier release, or of a store that was changed. */

const pass = { StartAt: 'Do', States: { Do: { Type: 'Pass', End: true } } };
const items = Array.from({ length: 3000 }, (_, index) => index);
const definitions = {
  many: compile(
    JSON.stringify({
      StartAt: 'Each',
      States: {
        Each: {
          Type: 'Map',
          ItemsPath: '$.items',
          MaxConcurrency: 0,
          ItemProcessor: pass,
          End: true,
        },
      },
    }),
  ),
  one: compile(
    JSON.stringify({ StartAt: 'A', States: { A: { Type: 'Task', Agent: 'work', End: true } } }),
  ),
  later: compile(
    JSON.stringify({ StartAt: 'A', States: { A: { Type: 'Wait', Seconds: 3600, End: true } } }),
  ),
};

/** Starts an instance of each, stops in the middle, and removes from the store what would continue them. */
async function stuckAt(store: StoreLocation): Promise<Stage> {
  let isFirst = true;
  const stage = await Stage.open({
    store,
    definitions,
    ports: {
      runAgent: () => {
        if (isFirst) return new Promise<never>(() => (isFirst = false));
        return { result: 'done' };
      },
    },
    channels: {},
  });
  for (const id of ['one', 'later', 'many'])
    await stage.host.start(id, { id, input: { input: { items } } });
  await stage.host.stop({ within: 0 });
  const opened = await store.open('a test');
  for (const id of ['one', 'later', 'many']) {
    const { revision, outbox } = (await opened.read(id))!;
    const settled = outbox.map((letter) => letter.id);
    await opened.commit({ id, expectedRevision: revision, settled, timers: [] });
  }
  await opened.close();
  return stage;
}

const found = [
  {
    id: 'one',
    reason:
      'Its call "one/workflow/1/0/work" of the port "runAgent" waits for nothing that is stored.',
  },
  {
    id: 'later',
    reason:
      'Its call "later/workflow/1/0/until" of the port "timer" waits for nothing that is stored.',
  },
  {
    id: 'many',
    reason: 'A list has items that wait to be started, and nothing that is stored starts them.',
  },
];

test.each(Object.keys(places))(
  'a verification lists stuck instances, and a repair wakes them, on %s',
  async (place) => {
    const store = places[place]!();
    const stage = await stuckAt(store);
    await stage.open();
    expect((await stage.host.verify()).stuck).toEqual(found);
    await stage.host.stop();
    const steps = await planRepair(store);
    expect(steps.map(({ finding }) => finding)).toEqual(
      found.map(({ id, reason }) => `The instance "${id}" is stuck: ${reason}`),
    );
    for (const { apply } of steps) await apply();
    await stage.open();
    for (const id of ['many', 'one'])
      await until(async () => (await stage.host.get(id)).ended, `the end of ${id}`);
    expect((await stage.host.get('many')).output).toEqual(items);
    await until(async () => (await stage.host.get('later')).timers.length > 0, 'the timer');
    expect((await stage.host.verify()).stuck).toEqual([]);
  },
);

test('the command verify prints stuck instances, and repair wakes them', async () => {
  const folder = await folderWith({});
  await stuckAt(lowdbStore(join(folder, 'store')));
  const verified = await dramaturg(['verify', 'store'], { cwd: folder });
  expect(verified).toMatchObject({ code: 7, stdout: expect.stringContaining('3 instances stuck') });
  expect(verified.stdout).toContain(`"many" is stuck: ${found[2]!.reason}`);
  const repaired = await dramaturg(['repair', 'store', '--yes'], { cwd: folder });
  expect(repaired.stdout).toContain('Wakes the instance: the next host continues it.');
  expect(await dramaturg(['verify', 'store'], { cwd: folder })).toMatchObject({ code: 0 });
});
