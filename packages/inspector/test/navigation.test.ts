import { createInspector, type InspectedEvent, type InspectorEvent } from '@dramaturg/inspector';
import fc from 'fast-check';
import { createActor } from 'xstate';
import { expect, test } from 'vitest';
import { acceptedEvents } from '../page/src/data/accepted-events.ts';
import { hashOf, placeIn } from '../page/src/data/connection.ts';
import { compareRuns, doingsIn } from '../page/src/data/load-run.ts';
import { Playback } from '../page/src/data/playback.ts';
import { searchIn } from '../page/src/data/search.ts';
import { timeText } from '../page/src/value-text.ts';
import { order } from './machines.ts';

function told(...events: readonly InspectedEvent[]): readonly InspectorEvent[] {
  const inspector = createInspector();
  for (const event of events)
    inspector.note({ type: '@dramaturg.emitted', sessionId: 'flow', event });
  return inspector.recording().events;
}

test('an address leads to the run and the step that it was made of, whatever the id', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.option(fc.nat(), { nil: undefined }),
      (run, step) => {
        const place = step === undefined ? { run } : { run, step };
        expect(placeIn(hashOf(place))).toEqual(place);
      },
    ),
  );
  for (const hash of ['', '#', '#a/b', '#a/-1', '#%E4', '#a/1/2'])
    expect(placeIn(hash)).toBeUndefined();
});

test('the first difference of two generated runs is where their contents part', () => {
  const content = fc.record({
    type: fc.constantFrom('state.entered', 'message.sent'),
    state: fc.constantFrom('a', 'b'),
  });
  const noise = fc.record({ key: fc.string(), at: fc.nat(), instance: fc.string() });
  fc.assert(
    fc.property(fc.array(content), fc.array(content), fc.array(noise), (one, other, noises) => {
      const noisy = (events: readonly InspectedEvent[], shift: number) =>
        told(...events.map((event, index) => ({ ...noises[index + shift], ...event })));
      // An event that repeats the one before it does not count.
      const without = (events: readonly InspectedEvent[]) =>
        events.filter(
          (event, index) => JSON.stringify(event) !== JSON.stringify(events[index - 1]),
        );
      const [left, right] = [without(one), without(other)];
      const longest = Math.max(left.length, right.length);
      let first = 0;
      while (first < longest && JSON.stringify(left[first]) === JSON.stringify(right[first]))
        first += 1;
      const { difference } = compareRuns(
        doingsIn({ events: noisy(one, 0), moments: [] }),
        doingsIn({ events: noisy(other, 1), moments: [] }),
      );
      expect(difference).toBe(first < longest ? first : undefined);
    }),
  );
});

test('the time at which a timer fired is no difference', () => {
  const fired = (firedAt: number) =>
    doingsIn({
      events: told(
        { type: 'answered', output: { firedAt } },
        { type: 'state.entered', state: 'a' },
      ),
      moments: [],
    });
  expect(compareRuns(fired(1), fired(2)).difference).toBeUndefined();
});

test('what was said is found in any letters, with its place and the text around it', () => {
  const events = told(
    { type: 'state.entered', title: 'Billing Support' },
    {
      type: 'message.sent',
      text: `${'x'.repeat(60)} Which INVOICE is it about? ${'y'.repeat(60)}`,
    },
  );
  const hits = searchIn(events, new Map(), 'invoice');
  expect(hits.map(({ index, match, what }) => [index, match, what])).toEqual([
    [1, 'INVOICE', 'message.sent'],
  ]);
  expect(hits[0]!.before).toMatch(/^….{40}$/);
  expect(hits[0]!.after).toMatch(/^.{40}…$/);
  expect(searchIn(events, new Map(), 'billing support')).toHaveLength(1);
  expect(searchIn(events, new Map(), ' ')).toEqual([]);
  expect(searchIn(events, new Map(), 'nothing of this')).toEqual([]);
});

test('the events of a plain machine are those that its current states name, with their targets', () => {
  const inspector = createInspector();
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  const accepted = () => {
    const { events } = inspector.recording();
    const playback = new Playback({ actors: [], events });
    const [first] = playback.actorsAfter(events.length).values();
    return acceptedEvents(first);
  };
  expect(accepted()).toEqual(
    expect.arrayContaining([
      { type: 'add', to: 'filled' },
      { type: 'pay', to: 'paying' },
      { type: 'hold', to: 'held' },
    ]) as unknown,
  );
  actor.send({ type: 'hold' });
  expect(
    accepted()
      .map(({ type }) => type)
      .toSorted(),
  ).toEqual(['go on', 'hold']);
  actor.stop();
  expect(accepted()).toEqual([]);
});

test('times have milliseconds', () => {
  expect(timeText(new Date(2026, 0, 2, 13, 4, 5, 6).getTime())).toBe('13:04:05.006');
  expect(timeText(Number.NaN)).toBe('');
});
