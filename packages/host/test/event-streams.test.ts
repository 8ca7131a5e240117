import { expect, test } from 'vitest';
import { EventStreams, unreadMax } from '../src/host/event-streams.ts';
import type { HostEvent } from '../src/instance/event.ts';

function eventOf(length: number): HostEvent {
  const event = { type: 'message.sent', text: 'a'.repeat(length) };
  return { instance: 'i', at: 0, source: 'flow', event };
}

test('a subscriber is dropped when its unread events are too long, however few they are', async () => {
  const streams = new EventStreams();
  const stream = streams.subscribe({});
  const count = Math.ceil(unreadMax.characters / 100_000);
  for (let number = 0; number < count; number += 1) streams.publish([eventOf(100_000)]);
  await expect(stream.next()).rejects.toMatchObject({ code: 'host/slow-subscriber' });
});

test('a subscriber is dropped when it has too many unread events, however short they are', async () => {
  const streams = new EventStreams();
  const stream = streams.subscribe({});
  for (let number = 0; number <= unreadMax.events; number += 1) streams.publish([eventOf(1)]);
  await expect(stream.next()).rejects.toMatchObject({ code: 'host/slow-subscriber' });
});

test('a subscriber that reads gets all events, however long they are together', async () => {
  const streams = new EventStreams();
  const stream = streams.subscribe({});
  const event = eventOf(1_000_000);
  for (let number = 0; number < 40; number += 1) {
    streams.publish([event]);
    expect(await stream.next()).toEqual({ done: false, value: event });
  }
});

test('unread events that share a large value count it once', async () => {
  const streams = new EventStreams();
  const stream = streams.subscribe({});
  const items = Array.from({ length: 1_000 }, (_, index) => `${index} `.repeat(1_000));
  const event = (count: number): HostEvent => ({
    instance: 'i',
    at: 0,
    source: 'flow',
    event: { type: 'state.exited', output: { count, items } },
  });
  for (let count = 0; count < 100; count += 1) streams.publish([event(count)]);
  for (let count = 0; count < 100; count += 1)
    expect(await stream.next()).toEqual({ done: false, value: event(count) });
});
