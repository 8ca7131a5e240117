import { messageLetter } from '@dramaturg/host/engine';
import { rehearsalBehaviour, rehearsalCharts, until } from '@dramaturg/testing';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import type { ReceiptOrder } from '../src/instance/messages.ts';
import { keptKey } from '../src/instance/state-layout.ts';
import { restateHost } from '../src/index.ts';
import { Admin } from '../src/restate/admin.ts';
import { Ingress } from '../src/restate/ingress.ts';
import { lifecycles } from './lifecycles.ts';

const reason = whyNoRestate();

test.skipIf(reason !== undefined)(
  `a message that a process without its channel has kept is sent again by one that has it${reason ? ` (${reason})` : ''}`,
  async () => {
    const { ingress: url, admin } = await sharedRestate();
    const namespace = `kept-${process.pid}`;
    const called: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
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
      ports: { reply: async () => ({ text: 'Hello.' }) },
      channels: {
        main: {
          deliver: async ({ id }) => {
            called.push(id);
            await released;
          },
        },
      },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start('chat', { id: 'a', channel: 'main' });
    await until(() => called.length > 0, 'the first attempt');
    // The other process has ended since, and this one has looked for kept messages before.
    const [letter] = (await host.get('a')).undelivered;
    const receipt: ReceiptOrder = {
      at: Date.now(),
      letter: messageLetter(letter!),
      route: '',
      isKept: true,
    };
    await new Ingress(url).call(
      { service: `${namespace}.instance`, key: 'a', handler: 'receipt' },
      receipt,
    );
    // It is tried again at once. So nothing is kept, and the attempt under way may be the one that delivers it.
    const kept = await new Admin(admin).query(
      `select key from state where service_name = '${namespace}.instance' and key = '${keptKey}'`,
    );
    expect(kept).toEqual([]);
    release();
    await until(async () => (await host.get('a')).undelivered.length === 0, 'the delivery');
    expect(new Set(called)).toEqual(new Set([letter]));
  },
);
