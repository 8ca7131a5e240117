import type { Chart } from '@dramaturg/compiler';
import { type Behaviour, realWorld } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';
import { requireAcceptedByFlow } from '../src/instance/first-message.ts';
import { durable } from '../src/xstate/machine-actor.ts';

const behaviour: Behaviour = {
  contexts: { nothing: () => ({}) },
  guards: {},
  actions: {
    refuse: () => ({ emit: [{ type: 'message.refused', because: 'it is closed' }] }),
  },
  inputs: {},
  outputs: { nothing: () => null },
};

/** A chart that enters this many states before it listens, and refuses each message after as many. */
function chainOf(length: number): Chart {
  const chain = (name: string, target: string) =>
    Array.from({ length }, (_, index) => [
      `${name}${index}`,
      { always: [{ target: index === length - 1 ? target : `${name}${index + 1}` }] },
    ]);
  return {
    chart: 1,
    format: 'test',
    id: 'test',
    initial: 'before0',
    context: { type: 'nothing' },
    output: { type: 'nothing' },
    states: {
      ...Object.fromEntries(chain('before', 'listening')),
      listening: { on: { 'message.received': [{ target: 'after0' }] } },
      ...Object.fromEntries(chain('after', 'refusing')),
      refusing: { entry: [{ type: 'refuse' }] },
    },
  };
}

test('the check of a first message by a long flow takes turns of the event loop', async () => {
  const turnsOf = async (length: number) => {
    let turns = 0;
    const nextTurn = async () => void (turns += 1);
    const machine = durable(chainOf(length), behaviour, { world: realWorld, isFlow: true });
    const checked = requireAcceptedByFlow(machine, {}, { text: 'Hello.' }, nextTurn);
    await expect(checked).rejects.toMatchObject({
      code: 'host/message-refused',
      message: expect.stringContaining('it is closed'),
    });
    return turns;
  };
  expect(await turnsOf(5)).toBe(0);
  expect(await turnsOf(2_500)).toBe(4);
});
