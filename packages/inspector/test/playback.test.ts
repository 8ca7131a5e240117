import { createInspector } from '@dramaturg/inspector';
import { expect, test } from 'vitest';
import { createActor } from 'xstate';
import { runsAll } from '../../../.config/scaled.ts';
import { changesBetween } from '../page/src/data/diff.ts';
import { Playback } from '../page/src/data/playback.ts';
import { order } from './machines.ts';

test('a recording is the same at any moment, in whichever parts it arrived', () => {
  const inspector = createInspector();
  const playback = new Playback();
  inspector.subscribe((event) => playback.append([event]));
  const actor = createActor(order, { id: 'order', inspect: inspector.inspect }).start();
  for (let count = 0; count < 300; count += 1) actor.send({ type: 'add' });
  const whole = new Playback(inspector.recording());
  expect(playback.moments).toEqual(whole.moments);
  const itemsAt = (index: number) => {
    const [root] = playback.actorsAfter(playback.moments[index]!.to).values();
    return (root!.snapshot.context as { readonly items: number }).items;
  };
  const last = playback.moments.length - 1;
  expect([last, last - 1, last - 299, last].map(itemsAt)).toEqual([300, 299, 1, 300]);
});

test('a recording of days keeps its last part and the effect of the rest', () => {
  const inspector = createInspector();
  const playback = new Playback();
  inspector.subscribe((event) => playback.append([event]));
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  for (let count = 0; count < 15_000; count += 1) actor.send({ type: 'add' });
  expect(playback.events.length).toBeLessThanOrEqual(20_000);
  const [first, last] = [playback.moments[0]!, playback.moments.at(-1)!];
  expect(last.number - first.number + 1).toBe(playback.moments.length);
  const [root] = playback.actorsAfter(first.to).values();
  const items = (root!.snapshot.context as { readonly items: number }).items;
  expect(last.number - first.number).toBe(15_000 - items);
});

test('a recording in parts begins with the first complete step', () => {
  const inspector = createInspector();
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  const step = (number: number) =>
    inspector.note({
      type: '@dramaturg.step',
      sessionId: 'instance',
      step: number,
      event: { type: 'add' },
    });
  for (let number = 7; number < 10; number += 1) {
    actor.send({ type: 'add' });
    step(number);
  }
  const { actors, events } = inspector.recording();
  const playback = new Playback();
  playback.know(actors);
  for (const event of events) playback.append([event]);
  expect(playback.isStored).toBe(true);
  expect(playback.moments.map(({ number }) => number)).toEqual([7, 8, 9]);
  expect(playback.moments).toEqual(new Playback({ actors, events }).moments);
  const [root] = playback.actorsAfter(playback.moments[0]!.to).values();
  expect(root).toMatchObject({ snapshot: { context: { items: 2 } } });
});

test('actors that ended long ago are dropped with their events', ({ skip }) => {
  skip(!runsAll);
  const inspector = createInspector();
  const playback = new Playback();
  inspector.subscribe((event) => playback.append([event]));
  for (let count = 0; count < 5_000; count += 1)
    createActor(order, { inspect: inspector.inspect }).start().stop();
  expect(playback.actorsAfter(Infinity).size).toBeLessThan(8_000);
});

test('changes are listed part by part', () => {
  expect(
    changesBetween(
      { a: 1, b: { c: [1, 2], d: 'same' } },
      { a: 1, b: { c: [1, 3], d: 'same' }, e: null },
    ),
  ).toEqual([
    { path: ['b', 'c', '1'], before: 2, after: 3 },
    { path: ['e'], before: undefined, after: null },
  ]);
});
