import { type Clock, createHost, HostError, memoryStore } from '@dramaturg/host';
import { rehearsalBehaviour, rehearsalCharts } from '@dramaturg/testing';
import { expect, onTestFinished, test } from 'vitest';
import { virtualClock } from 'dramaturg/testing';
import { lifecycles } from './lifecycles.ts';

/** A host on a clock that advances only where a piece of work takes time. */
async function hosting() {
  const { world, timer } = virtualClock({ startAt: 0 });
  let at = 0;
  const clock: Clock = { world: { ...world, now: () => at }, timer };
  const slow = { action: 0, port: 0 };
  const say = rehearsalBehaviour.actions['say']!;
  const reports: string[] = [];
  const host = await createHost({
    store: memoryStore(),
    clock,
    definitions: [
      { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
    ],
    behaviours: new Map([
      ['lifecycle', lifecycles.behaviour],
      [
        'rehearsal',
        {
          ...rehearsalBehaviour,
          actions: {
            ...rehearsalBehaviour.actions,
            say: (scope: Parameters<typeof say>[0], params: Parameters<typeof say>[1]) => {
              at += slow.action;
              return say(scope, params);
            },
          },
        },
      ],
    ]),
    ports: {
      reply: async () => {
        at += slow.port;
        return { text: 'Go on.' };
      },
    },
    channels: { main: { deliver: () => {} } },
    onError: (error) => {
      if (error instanceof HostError) reports.push(`${error.code}: ${error.message}`);
    },
  });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('chat', { id: 'i', contact: 'ada' });
  await host.settle();
  return { host, slow, reports };
}

test('a step that holds the event loop is reported with its instance, definition and input', async () => {
  const { host, slow, reports } = await hosting();
  slow.action = 51;
  await host.receive({ contact: 'ada', text: 'Hello' });
  await host.settle();
  expect(reports).toEqual([
    'host/slow-step: The instance "i" of the definition "chat" held the event loop for 51 ms to decide "call.answered". Everything else had to wait.',
  ]);
});

test('a port that computes instead of waiting is reported', async () => {
  const { host, slow, reports } = await hosting();
  slow.port = 1_000;
  await host.receive({ contact: 'ada', text: 'Hello' });
  await host.settle();
  expect(reports).toEqual([
    'host/slow-step: The instance "i" of the definition "chat" held the event loop for 1000 ms to call the port "reply". Everything else had to wait.',
  ]);
});

test('steps within 50 ms are not reported', async () => {
  const { host, slow, reports } = await hosting();
  slow.action = 25;
  slow.port = 50;
  await host.receive({ contact: 'ada', text: 'Hello' });
  await host.settle();
  expect(reports).toEqual([]);
});

test('short steps of many instances at the same time are not added up', async () => {
  const { host, slow, reports } = await hosting();
  const contacts = Array.from({ length: 20 }, (_, index) => `contact-${index}`);
  await Promise.all(contacts.map((contact) => host.start('chat', { contact })));
  await host.settle();
  slow.action = 5;
  await Promise.all(contacts.map((contact) => host.receive({ contact, text: 'Hello' })));
  await host.settle();
  expect(reports).toEqual([]);
  slow.action = 51;
  await Promise.all(contacts.map((contact) => host.receive({ contact, text: 'Hello' })));
  await host.settle();
  expect(reports[0]).toContain('held the event loop for 51 ms');
});
