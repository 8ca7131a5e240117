import { rehearsalBehaviour, rehearsalCharts } from '@dramaturg/testing';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { restateHost } from '../src/index.ts';
import { lifecycles } from './lifecycles.ts';

const reason = whyNoRestate();

test.skipIf(reason !== undefined)(
  `the instances of a contact are listed by its object as they are with SQL${reason ? ` (${reason})` : ''}`,
  async () => {
    const { ingress, admin } = await sharedRestate();
    const host = await restateHost({
      ingress,
      admin,
      namespace: `lists-${process.pid}`,
      handlers: { port: await freePort() },
      definitions: [
        { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
        { name: 'quiz', chart: rehearsalCharts.quiz, lifecycle: lifecycles.conversation },
      ],
      behaviours: new Map([
        ['rehearsal', rehearsalBehaviour],
        [lifecycles.conversation.format, lifecycles.behaviour],
      ]),
      ports: { reply: () => new Promise(() => {}) },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    const ids = ['z', 'y', 'x', 'w'];
    for (const id of ids)
      await host.start(id === 'x' ? 'quiz' : 'chat', { id, contact: 'Ada Lovelace' });
    await host.start('chat', { id: 'of another', contact: 'Bob' });
    await host.cancel('y');
    const all = (await host.list()).items.filter(({ contact }) => contact === 'Ada Lovelace');
    expect((await host.list({ contact: 'Ada Lovelace' })).items).toEqual(all);
    expect(all.map(({ id }) => id)).toEqual(ids);
    const idsOf = async (filter: Parameters<typeof host.list>[0]) =>
      (await host.list({ contact: 'Ada Lovelace', ...filter })).items.map(({ id }) => id);
    expect(await idsOf({ ended: true })).toEqual(['y']);
    expect(await idsOf({ definition: 'quiz' })).toEqual(['x']);
    expect(await idsOf({ state: 'QUEUED' })).toEqual(['x', 'w']);
    expect(await idsOf({ contact: 'nobody' })).toEqual([]);
    const first = await host.list({ contact: 'Ada Lovelace' }, { limit: 3 });
    const rest = await host.list({ contact: 'Ada Lovelace' }, { limit: 3, after: first.next! });
    expect([...first.items, ...rest.items]).toEqual(all);
    expect(rest.next).toBeUndefined();
  },
);
