import { rehearsalBehaviour, rehearsalCharts } from '@dramaturg/testing';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { restateHost } from '../src/index.ts';
import { Ingress } from '../src/restate/ingress.ts';
import { lifecycles } from './lifecycles.ts';

const reason = whyNoRestate();

test.skipIf(reason !== undefined)(
  `a child that was abandoned while it waited for its contact never begins${reason ? ` (${reason})` : ''}`,
  async () => {
    const { ingress: url, admin } = await sharedRestate();
    const namespace = `abandoned-${process.pid}`;
    const host = await restateHost({
      ingress: url,
      admin,
      namespace,
      handlers: { port: await freePort() },
      definitions: [
        { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
      ],
      behaviours: new Map([
        ['rehearsal', rehearsalBehaviour],
        [lifecycles.conversation.format, lifecycles.behaviour],
      ]),
      ports: { reply: () => new Promise(() => {}) },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start('chat', { id: 'to learn the version' });
    const { definition } = await host.get('to learn the version');
    const ingress = new Ingress(url);
    const at = Date.now();
    const child = { service: `${namespace}.instance`, key: 'p/child' };
    // Its parent has ended, or is erased, while the start waits behind other work of the contact.
    await ingress.call({ ...child, handler: 'abandon' }, { at });
    const birth = {
      id: 'p/child',
      contact: 'ada',
      address: 'ada',
      channel: null,
      input: {},
      lifecycleInput: {},
      parent: { instance: 'p', call: 'flow:p/1', ancestors: ['p'] },
    };
    const line = { service: `${namespace}.contact`, key: 'ada', handler: 'start' };
    await expect(ingress.call(line, { at, definition, birth })).rejects.toMatchObject({
      code: 'host/unknown-instance',
    });
    await expect(host.get('p/child')).rejects.toMatchObject({ code: 'host/unknown-instance' });
    expect(await host.start('chat', { id: 'a', contact: 'ada' })).toMatchObject({
      state: 'ACTIVE',
    });
  },
);
