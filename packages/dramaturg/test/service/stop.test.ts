import { until } from '../host-cli/processes.ts';
import { understudyPorts } from 'dramaturg';
import { expect, test } from 'vitest';
import { served } from './stage.ts';

test('a service that stops finishes its turns, ends its streams, and answers what it was asked', async () => {
  const ports = understudyPorts();
  let isFinished = false;
  let finish!: () => void;
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let hasBegun = false;
  const { url, host, service } = await served(
    {},
    {
      ports: {
        ...ports,
        reply: async (input, call) => {
          hasBegun = true;
          await work;
          isFinished = true;
          return ports.reply(input, call);
        },
      },
    },
  );
  const stream = await fetch(`${url}/events`);
  const asked = await fetch(`${url}/chat/intake`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: 'ada',
      messages: [{ id: 'm-1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
    }),
  });
  await until(() => hasBegun);
  service.close();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  const stopped = host.stop({ within: 60_000 });
  finish();
  await stopped;
  expect(isFinished).toBe(true);
  expect(await stream.text()).toMatch(/event: end\ndata: {}\n\n$/);
  expect(await asked.text()).toContain('What is your name?');
});
