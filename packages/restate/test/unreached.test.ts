import { once } from 'node:events';
import { asl } from '@dramaturg/asl';
import { lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { chartOf } from '@dramaturg/testing';
import { RestateServer, TcpProxy, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, test } from 'vitest';
import { restateHost } from '../src/index.ts';

const reason = whyNoRestate();
const save = {
  StartAt: 'Prepare',
  States: {
    Prepare: { Type: 'Task', Agent: 'prepare', Next: 'Keep' },
    Keep: { Type: 'Checkpoint', Name: 'kept', End: true },
  },
};

describe.skipIf(reason !== undefined)(`on Restate${reason ? ` (${reason})` : ''}`, () => {
  test('a workflow whose process does not reach Restate while it saves goes on when it does', async () => {
    const server = await RestateServer.start();
    const proxy = await TcpProxy.start({ port: Number(new URL(server.ingress).port) });
    const started = new AbortController();
    const host = await restateHost({
      ingress: `http://127.0.0.1:${proxy.port}`,
      admin: server.admin,
      definitions: [
        {
          name: 'save',
          chart: chartOf(save, asl),
          lifecycle: chartOf(workflowLifecycle, lifecycle),
        },
      ],
      behaviours: new Map([
        [asl.name, asl.behaviour],
        [lifecycle.name, lifecycle.behaviour],
      ]),
      ports: {
        // Restate calls the handlers directly, so only what the host itself asks of Restate fails from now on.
        runAgent: async () => {
          // The answer to the start comes through the proxy, too.
          if (!started.signal.aborted) await once(started.signal, 'abort');
          proxy.refuse();
          setTimeout(() => proxy.pass(), 1_500);
          return { result: {} };
        },
      },
      onError: () => {},
    });
    try {
      const { id } = await host.start('save');
      started.abort();
      await expect
        .poll(async () => (await host.get(id).catch(() => undefined))?.state)
        .toMatch(/COMPLETED|FAILED/);
      expect(await host.get(id)).toMatchObject({ state: 'COMPLETED' });
      expect(await host.checkpoints(id)).toMatchObject([{ name: 'kept' }]);
    } finally {
      proxy.pass();
      await host.stop();
      await proxy.stop();
      await server.stop();
    }
  });
});
