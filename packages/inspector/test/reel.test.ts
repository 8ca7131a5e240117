import { createInspector } from '@dramaturg/inspector';
import { expect, test } from 'vitest';
import { createActor } from 'xstate';
import { changesBetween } from '../page/src/data/diff.ts';
import { Reel } from '../page/src/data/reel.ts';
import { order } from './machines.ts';

test('a recording is the same from any of its moments, however it came in', () => {
  const inspector = createInspector();
  const reel = new Reel();
  inspector.subscribe((event) => reel.append([event]));
  const actor = createActor(order, { id: 'order', inspect: inspector.inspect }).start();
  for (let count = 0; count < 300; count += 1) actor.send({ type: 'add' });
  const whole = new Reel(inspector.recording());
  expect(reel.moments).toEqual(whole.moments);
  const itemsAt = (index: number) => {
    const [root] = reel.actorsAfter(reel.moments[index]!.to).values();
    return (root!.snapshot.context as { readonly items: number }).items;
  };
  const last = reel.moments.length - 1;
  expect([last, last - 1, last - 299, last].map(itemsAt)).toEqual([300, 299, 1, 300]);
});

test('a recording that goes on for days keeps its last part, and what came of the rest', () => {
  const inspector = createInspector();
  const reel = new Reel();
  inspector.subscribe((event) => reel.append([event]));
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  for (let count = 0; count < 15_000; count += 1) actor.send({ type: 'add' });
  expect(reel.events.length).toBeLessThanOrEqual(20_000);
  const [first, last] = [reel.moments[0]!, reel.moments.at(-1)!];
  expect(last.number - first.number + 1).toBe(reel.moments.length);
  const [root] = reel.actorsAfter(first.to).values();
  const items = (root!.snapshot.context as { readonly items: number }).items;
  expect(last.number - first.number).toBe(15_000 - items);
});

test('a recording that comes in portions begins with the first step that is kept whole', () => {
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
  const reel = new Reel();
  reel.know(actors);
  for (const event of events) reel.append([event]);
  expect(reel.isStored).toBe(true);
  expect(reel.moments.map(({ number }) => number)).toEqual([7, 8, 9]);
  expect(reel.moments).toEqual(new Reel({ actors, events }).moments);
  const [root] = reel.actorsAfter(reel.moments[0]!.to).values();
  expect(root).toMatchObject({ snapshot: { context: { items: 2 } } });
});

test('actors that have ended long ago are let go with the events of them', () => {
  const inspector = createInspector();
  const reel = new Reel();
  inspector.subscribe((event) => reel.append([event]));
  for (let count = 0; count < 5_000; count += 1)
    createActor(order, { inspect: inspector.inspect }).start().stop();
  expect(reel.actorsAfter(Infinity).size).toBeLessThan(8_000);
});

test('what has changed is said part by part', () => {
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
