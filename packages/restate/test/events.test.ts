import { rehearsalBehaviour, rehearsalCharts, until } from '@dramaturg/testing';
import type { Host, HostEvent } from '@dramaturg/host';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { restateHost } from '../src/index.ts';
import { lifecycles } from './lifecycles.ts';

const missing = whyNoRestate();
let places = 0;

describe.skipIf(missing !== undefined)(`events${missing ? ` (${missing})` : ''}`, () => {
  test('of all processes reach a process that serves handlers, each once and in order', async () => {
    const open = placeOf();
    const first = await open();
    await first.start('chat', { id: 'old' });
    await first.settle();
    const before = (await eventsIn(first, 'old')).length;
    const seen = collected(first.events());
    await first.start('chat', { id: 'a' });
    await first.settle();
    // From now on, Restate gives new invocations to the handlers that were registered last.
    const second = await open();
    const seenBySecond = collected(second.events());
    for (const id of ['old', 'a'])
      await second.send(id, { type: 'message.received', text: `Hi ${id}.`, id: `${id} 1` });
    await second.start('chat', { id: 'b' });
    await second.settle();
    for (const [id, from] of [
      ['old', before],
      ['a', 0],
      ['b', 0],
    ] as const) {
      const expected = (await eventsIn(first, id)).slice(from);
      await until(() => typesOf(seen, id).length >= expected.length, `the events of ${id}`);
      expect(typesOf(seen, id)).toEqual(expected);
    }
    const expected = (await eventsIn(first, 'old')).slice(before);
    await until(() => typesOf(seenBySecond, 'old').length >= expected.length, 'its own events');
    // Several looks of the followers, which would give an event again.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(typesOf(seenBySecond, 'old')).toEqual(expected);
    expect(typesOf(seen, 'old')).toEqual(expected);
    const received = seen.find(({ event }) => event['id'] === 'a 1');
    expect(received?.event['text']).toBe('Hi a.');
  });

  test('of all instances have no cursor, because they have no common order', async () => {
    const host = await placeOf()();
    for (const filter of [{}, { contact: 'ada' }])
      expect(() => host.events({ ...filter, after: 'beginning' })).toThrow(
        'The instances of a host on Restate have no common order, so "after" needs "instance". Follow each instance after its own cursor.',
      );
  });

  test('of descendants in other processes match the filter', async () => {
    const open = placeOf();
    const first = await open();
    const seen = collected(first.events({ instance: 'j', descendants: true }));
    const second = await open();
    await second.start('job', { id: 'j' });
    await until(() => seen.some(({ instance }) => instance !== 'j'), 'the events of the child');
    const child = seen.find(({ instance }) => instance !== 'j')!;
    expect(child.within).toEqual(['j']);
  });
});

/** A place for several processes, each with handlers of its own. */
function placeOf() {
  places += 1;
  const namespace = `events-${process.pid}-${places}`;
  return async (): Promise<Host> => {
    const { ingress, admin } = await sharedRestate();
    const host = await restateHost({
      ingress,
      admin,
      namespace,
      handlers: { port: await freePort() },
      definitions: [
        { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
        { name: 'job', chart: rehearsalCharts.job, lifecycle: lifecycles.workflow },
      ],
      behaviours: new Map([
        ['rehearsal', rehearsalBehaviour],
        [lifecycles.conversation.format, lifecycles.behaviour],
      ]),
      ports: { reply: async () => ({ text: 'Hello.' }) },
      channels: { main: { deliver: () => {} } },
      definitionOf: (agent) => (agent === 'first' ? 'chat' : undefined),
    });
    onTestFinished(() => host.stop({ within: 0 }));
    return host;
  };
}

function collected(events: AsyncIterable<HostEvent>): readonly HostEvent[] {
  const seen: HostEvent[] = [];
  void (async () => {
    for await (const event of events) seen.push(event);
  })();
  return seen;
}

/** The types of the events that the journal of an instance has. */
async function eventsIn(host: Host, id: string): Promise<readonly string[]> {
  const lines = await host.journal(id, { from: 0, limit: 1_000 });
  return (lines as unknown as HostEvent[])
    .filter(({ source }) => (source as string) !== 'step')
    .map(({ event }) => event.type);
}

function typesOf(events: readonly HostEvent[], id: string): readonly string[] {
  return events.filter(({ instance }) => instance === id).map(({ event }) => event.type);
}
