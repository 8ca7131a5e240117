import { compile, providePorts } from 'dramaturg';
import { type Actor, type AnyStateMachine, createActor, waitFor } from 'xstate';
import type { Benchmark } from '../measure.ts';

const plan = JSON.stringify({
  id: 'chat',
  title: 'Chat',
  states: [
    {
      id: 'chat',
      title: 'Chat',
      tasks: [
        {
          id: 'wish',
          description: 'Learn the wish',
          deliverables: [{ key: 'wish' }, { key: 'done', type: 'boolean' }],
        },
      ],
    },
  ],
});

/** Runs a conversation for this number of turns and returns it while it waits. */
async function conversationAt(turns: number): Promise<Actor<AnyStateMachine>> {
  const { machine } = compile(plan);
  let turn = 0;
  const actor = createActor(
    providePorts(machine!, {
      reply: () => ({ text: 'Go on.' }),
      extract: () => ({ value: { deliverables: { wish: `wish ${(turn += 1)}` } } }),
    }),
  ).start();
  await takeTurns(actor, turns);
  return actor;
}

async function takeTurns(actor: Actor<AnyStateMachine>, turns: number): Promise<void> {
  await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
  for (let turn = 0; turn < turns; turn += 1) {
    actor.send({ type: 'message.received', text: 'Another wish.' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
  }
}

/** A turn and its snapshot in memory: the time at turn 10,000 over the time at turn 10. */
export const turnGrowth: Benchmark = {
  name: 'a turn at 10,000 over a turn at 10',
  unit: '×',
  atMost: 1.15,
  prepare: async () => {
    const late = await conversationAt(10_000);
    await costOf(await conversationAt(10));
    return async () => {
      const early = await conversationAt(10);
      const first = await costOf(early);
      const second = await costOf(late);
      return second / first;
    };
  },
};

/** Measures 50 turns in milliseconds, each with the snapshot that a host would store. */
async function costOf(actor: Actor<AnyStateMachine>): Promise<number> {
  const start = performance.now();
  for (let turn = 0; turn < 50; turn += 1) {
    await takeTurns(actor, 1);
    JSON.stringify(actor.getPersistedSnapshot());
  }
  return performance.now() - start;
}
