import { createInspector, type InspectedEvent, type InspectorEvent } from '@dramaturg/inspector';
import fc from 'fast-check';
import { createActor, createMachine, setup } from 'xstate';
import { expect, test } from 'vitest';
import { Playback } from '../page/src/data/playback.ts';
import { explanationsIn } from '../page/src/data/why/explanations.ts';

/** Explains the last moment of a plain machine that received events. */
function explained(machine: Parameters<typeof createActor>[0], ...sent: readonly InspectedEvent[]) {
  const inspector = createInspector();
  const events: InspectorEvent[] = [];
  inspector.subscribe((event) => void events.push(event));
  const actor = createActor(machine, { inspect: inspector.inspect }).start();
  for (const event of sent) actor.send(event);
  const playback = new Playback({ actors: [], events });
  const moment = playback.moments.at(-1)!;
  const [before, after] = [moment.from, moment.to].map((count) => playback.actorsAfter(count));
  const [explanation] = explanationsIn(moment, playback.events, before!, after!, undefined);
  return explanation!;
}

test('of generated guards, the first that holds is the reason, and otherwise all that do not', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), (answers) => {
      const guards = Object.fromEntries(
        answers.map((answer, index) => [`isReady${index}`, () => answer]),
      );
      const targets = answers.map((_, index) => [`room${index}`, {}] as const);
      const machine = setup({ guards }).createMachine({
        id: 'house',
        initial: 'hall',
        states: {
          hall: {
            on: {
              go: answers.map((_, index) => ({
                target: `room${index}`,
                guard: `isReady${index}`,
              })) as never,
            },
          },
          ...Object.fromEntries(targets),
        },
      });
      const { headline, states } = explained(machine, { type: 'go' });
      const first = answers.indexOf(true);
      const conditions = states.flatMap((state) => state.conditions);
      expect(conditions.map(({ to, words, holds }) => [to, words, holds])).toEqual(
        answers.length === 1 && first === 0 && conditions.length === 0
          ? []
          : answers.map((_, index) => [
              `room${index}`,
              `isReady${index}`,
              first < 0 || index < first ? false : index === first ? true : undefined,
            ]),
      );
      const names = answers.map((_, index) => `isReady${index}`).join(' and ');
      expect(headline).toBe(
        first < 0
          ? `Stays in hall: ${names} ${answers.length > 1 ? 'are' : 'is'} false`
          : `Moves from hall to room${first}: isReady${first}`,
      );
    }),
    { numRuns: 60 },
  );
});

const lamp = createMachine({
  id: 'lamp',
  initial: 'off',
  states: {
    off: { on: { toggle: 'on', dim: { description: 'only when it is on' } } },
    on: { on: { toggle: 'off' }, after: { 1000: 'off' } },
  },
});

test('a plain machine says where it starts, why it moves, and which event it does not handle', () => {
  expect(explained(lamp).headline).toBe('Starts in off');
  expect(explained(lamp, { type: 'toggle' }).headline).toBe('Moves from off to on: on "toggle"');
  expect(explained(lamp, { type: 'explode' }).headline).toBe(
    'Stays in off: it does not handle "explode"',
  );
  expect(explained(lamp, { type: 'dim' }).headline).toBe('Stays in off: it handles "dim" there');
});

test('an end, and the descriptions of an author, are part of the sentence', () => {
  const machine = createMachine({
    id: 'parcel',
    initial: 'packed',
    states: {
      packed: { on: { sign: { target: 'done', description: 'the recipient signs' } } },
      done: { type: 'final' },
    },
  });
  expect(explained(machine, { type: 'sign' }).headline).toBe(
    'Moves from packed to done: the recipient signs',
  );
});
