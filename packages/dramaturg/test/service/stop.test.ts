import { setTimeout as pause } from 'node:timers/promises';
import { understudyPorts } from 'dramaturg';
import { expect, test } from 'vitest';
import { served } from './stage.ts';

test('a service that stops finishes its turns, ends its streams, and answers what it was asked', async () => {
  const ports = understudyPorts();
  let isFinished = false;
  const { url, host, service } = await served(
    {},
    {
      ports: {
        ...ports,
        reply: async (input, call) => {
          await pause(600);
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
  await pause(100);
  service.close();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  await host.stop({ within: 5_000 });
  expect(isFinished).toBe(true);
  expect(await stream.text()).toMatch(/event: end\ndata: {}\n\n$/);
  expect(await asked.text()).toContain('What is your name?');
});
