import { rehearsalBehaviour, rehearsalCharts, until } from '@dramaturg/testing';
import { freePort, sharedRestate, TcpProxy, whyNoRestate } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { restateHost } from '../src/index.ts';
import { lifecycles } from './lifecycles.ts';

const reason = whyNoRestate();

test.skipIf(reason !== undefined)(
  `a call that is withdrawn by a step in another process is aborted where it runs${reason ? ` (${reason})` : ''}`,
  async () => {
    const { ingress, admin } = await sharedRestate();
    const signals: Record<'first' | 'second', AbortSignal[]> = { first: [], second: [] };
    const open = async (name: 'first' | 'second') => {
      const host = await restateHost({
        ingress,
        admin,
        namespace: `withdrawn-${process.pid}`,
        handlers: { port: await freePort() },
        definitions: [
          { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
        ],
        behaviours: new Map([
          ['rehearsal', rehearsalBehaviour],
          [lifecycles.conversation.format, lifecycles.behaviour],
        ]),
        ports: {
          reply: (_, { signal }) => {
            signals[name].push(signal);
            return new Promise(() => {});
          },
        },
        channels: { main: { deliver: () => {} } },
      });
      onTestFinished(() => host.stop({ within: 0 }));
      return host;
    };
    const first = await open('first');
    await first.start('chat', { id: 'a' });
    await first.start('chat', { id: 'b' });
    await until(() => signals.first.length === 2, 'the calls of the first process');
    // From now on, Restate gives new invocations to the handlers that were registered last.
    const second = await open('second');
    await second.cancel('a');
    await until(() => signals.first.some(({ aborted }) => aborted), 'the call to be aborted');
    expect(await second.settle({ within: 0 })).toBe(false);
    expect(signals.first.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals.second).toEqual([]);
  },
);

test.skipIf(reason !== undefined)(
  `a call is aborted when Restate loses the connection to it${reason ? ` (${reason})` : ''}`,
  async () => {
    const { ingress, admin } = await sharedRestate();
    const signals: AbortSignal[] = [];
    const port = await freePort();
    const proxy = await TcpProxy.start({ port });
    const host = await restateHost({
      ingress,
      admin,
      namespace: `lost-${process.pid}`,
      handlers: { port, advertised: `http://127.0.0.1:${proxy.port}` },
      definitions: [
        { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
      ],
      behaviours: new Map([
        ['rehearsal', rehearsalBehaviour],
        [lifecycles.conversation.format, lifecycles.behaviour],
      ]),
      ports: {
        reply: (_, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
      channels: { main: { deliver: () => {} } },
    });
    onTestFinished(async () => {
      await host.stop({ within: 0 });
      await proxy.stop();
    });
    await host.start('chat', { id: 'a' });
    await until(() => signals.length === 1, 'the call');
    // No handler is called again, so no repeated call can abort this one.
    proxy.refuse();
    await until(() => signals[0]!.aborted, 'the call to be aborted');
    proxy.pass();
    await until(() => signals.length === 2, 'the repeated call');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  },
);
