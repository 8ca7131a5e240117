import { InstanceHistory } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { behaviours } from '../../src/host.ts';
import { compile, createHost, type StoreLocation, understudyPorts } from '../../src/index.ts';
import { killedStore } from './killed-store.ts';

/** A migration whose process dies at each of its writes, before and after it. */

function plan(last: string): string {
  const ask = { id: 'name', deliverables: [{ key: 'name', type: 'string' }] };
  const facts = {
    id: 'facts',
    title: 'Facts',
    tasks: [ask],
    transitions: [{ target_state_id: last, condition_type: 'all_tasks_complete' }],
  };
  const end = { id: last, title: 'End', tasks: [{ id: 'bye', instruction: 'Say goodbye' }] };
  return JSON.stringify({ id: 'intake', title: 'Intake', states: [facts, end] });
}

const [before, after] = ['done', 'farewell'].map((last) => compile(plan(last), { format: 'plan' }));
const ids = ['a', 'b'];

function opened(store: StoreLocation, intake = after!) {
  return createHost({
    store,
    definitions: { intake },
    ports: understudyPorts(),
    channels: { main: { deliver: () => {} } },
    onError: () => {},
  });
}

async function migrate(store: StoreLocation): Promise<void> {
  const host = await opened(store);
  try {
    for (const id of ids) {
      const answer = await host.migrate(id, { map: { states: { done: 'farewell' } } });
      if (!answer.accepted) throw new Error(JSON.stringify(answer));
    }
  } finally {
    await host.stop({ within: 0 });
  }
}

test('each instance has the old version or the new one, whole', async () => {
  let kills = 0;
  for (let isKilled = true; isKilled;) {
    const store = killedStore();
    const first = await opened(store, before);
    for (const id of ids) await first.start('intake', { id, contact: id });
    await first.settle();
    const { version: old } = (await first.get('a')).definition;
    await first.stop();
    store.killAt(kills + 1);
    const outcome = await migrate(store).then(
      () => 'done',
      ({ code }: { code: string }) => code,
    );
    store.killAt(0);
    isKilled = store.isDead;
    expect(outcome).toBe(isKilled ? 'store/lost' : 'done');
    if (isKilled) kills += 1;
    const host = await opened(store);
    const versions: string[] = [];
    for (const id of ids) {
      const { definition } = await host.get(id);
      versions.push(definition.version === old ? 'old' : 'new');
      const history = new InstanceHistory({ id, charts: await host.charts(id), behaviours });
      await history.take(await host.journal(id, { from: 0, limit: 10_000 }));
      expect(history.departures).toEqual([]);
      expect(history.view().flow).toEqual((await host.get(id)).flow);
      await host.receive({ contact: id, text: 'My name is Ada.' });
    }
    await host.settle();
    expect(isKilled || versions.every((each) => each === 'new')).toBe(true);
    await host.stop();
  }
  // At least one write for each instance, before and after it.
  expect(kills).toBeGreaterThanOrEqual(2 * ids.length);
});
