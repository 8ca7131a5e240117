import { manualClock } from '@dramaturg/host';
import { expect, onTestFinished, test } from 'vitest';
import { createHost, memoryStore, understudyPorts } from '../../src/index.ts';
import { example } from '../service/stage.ts';

test('the limits of settle and stop hold on a clock that stands still', async () => {
  const ports = understudyPorts();
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const host = await createHost({
    store: memoryStore(),
    clock: manualClock({ startAt: 1_800_000_000_000 }),
    definitions: { intake: await example('customer-intake.plan') },
    ports: {
      ...ports,
      reply: async (input, call) => {
        await answered;
        return ports.reply(input, call);
      },
    },
    channels: { main: { deliver: () => Promise.resolve() } },
  });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('intake', { id: 'a', contact: 'ada' });
  expect(await host.settle({ within: 20 })).toBe(false);
  const unlimited = host.settle();
  answer();
  expect(await host.settle({ within: 60_000 })).toBe(true);
  expect(await unlimited).toBe(true);
});
