import { manualClock, memoryStore } from '@dramaturg/host';
import { Activity, Schedule } from '@dramaturg/host/engine';
import { until } from '@dramaturg/testing';
import { expect, test } from 'vitest';
import type { DeliveryOrder } from '../src/instance/messages.ts';
import { Deliverer } from '../src/work/deliverer.ts';
import { OpenWork } from '../src/work/port-caller.ts';

test('a message whose attempt is lost is not tried again after the channel has failed', async () => {
  const { deliver, answers, nextMinute } = await delivererWith();
  const lost = new AbortController();
  void deliver('one', lost.signal);
  await until(() => answers.length === 1, 'the first message');
  lost.abort();
  answers[0]!.reject(new Error('The line is busy.'));
  // The lane tries the lost message at its turn, before one that comes later.
  await nextMinute();
  void deliver('two', new AbortController().signal);
  await until(() => answers.length === 2, 'the second message');
  expect(answers.map(({ id }) => id)).toEqual(['one', 'two']);
});

test('a message whose attempt is repeated while the channel has it is sent once', async () => {
  const { deliver, answers } = await delivererWith();
  const lost = new AbortController();
  void deliver('one', lost.signal);
  await until(() => answers.length === 1, 'the first attempt');
  lost.abort();
  const repeated = deliver('one', new AbortController().signal);
  const other = deliver('two', new AbortController().signal, 'other');
  await until(() => answers.length === 2, 'the message of another instance');
  answers[1]!.resolve();
  await other;
  answers[0]!.resolve();
  expect(await repeated).toEqual({});
  expect(answers.map(({ id }) => id)).toEqual(['one', 'two']);
});

interface Sent {
  readonly id: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A deliverer to a channel that answers when the test says so. */
async function delivererWith() {
  const clock = manualClock({ startAt: 0 });
  const schedule = new Schedule(clock);
  const answers: Sent[] = [];
  const deliverer = new Deliverer({
    channels: new Map([
      [
        'main',
        {
          deliver: ({ id }) =>
            new Promise<void>((resolve, reject) => answers.push({ id, resolve, reject })),
        },
      ],
    ]),
    bounds: {
      deliveryConcurrencyOf: () => 8,
      deliveryTimeout: Infinity,
      callConcurrencyOf: () => 8,
      callTimeoutOf: () => Infinity,
    },
    store: await memoryStore().open('a test'),
    random: () => 0.5,
    schedule,
    activity: new Activity(),
    // The instance waits for all messages.
    openWork: new OpenWork({ ask: async () => true, now: clock.now }),
    onError: () => {},
  });
  const deliver = (id: string, withdrawn: AbortSignal, instance = 'a') => {
    const body = { message: id, role: 'agent', text: id, at: 0 } as DeliveryOrder['body'];
    const order = { at: 0, letter: `send:${id}`, body, address: null, channel: 'main' };
    return deliverer.deliver(instance, order, withdrawn);
  };
  const nextMinute = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    clock.set(clock.now() + 60_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { deliver, answers, nextMinute };
}
