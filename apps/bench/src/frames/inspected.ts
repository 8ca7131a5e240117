import { createInspector } from '@dramaturg/inspector';
import { liveExhibit, serveInspector } from '@dramaturg/inspector/server';
import { type AnyStateMachine, createActor, setup } from 'xstate';

/** A running actor, and the address of its inspector. */
export interface Inspected {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** An inspector of one actor that has recorded at least so many events. */
export async function inspected(machine: AnyStateMachine, events: number): Promise<Inspected> {
  const inspector = createInspector();
  const actor = createActor(machine, { inspect: inspector.inspect }).start();
  while (inspector.recording().events.length < events)
    for (let count = 0; count < 100; count += 1) actor.send({ type: 'next' });
  const { url, close } = await serveInspector(liveExhibit(inspector, { title: 'Frames' }));
  return {
    url,
    close: async () => {
      actor.stop();
      await close();
    },
  };
}

/** A machine of groups of ten states with their group. Each group leads to two others, as in a tree, and the last ones back to the first. */
export function tree(groups: number): AnyStateMachine {
  const target = (number: number) => `#tree.group${number < groups ? number : 0}`;
  const stepsOf = (group: number) =>
    Array.from({ length: 9 }, (_, step) => {
      const on =
        step < 8
          ? { next: `step${step + 1}`, ...(step % 4 === 3 ? { again: 'step0' } : {}) }
          : { next: target(2 * group + 1), other: target(2 * group + 2) };
      return [`step${step}`, { on }] as const;
    });
  const states = Array.from({ length: groups }, (_, group) => {
    return [
      `group${group}`,
      { initial: 'step0', states: Object.fromEntries(stepsOf(group)) },
    ] as const;
  });
  return setup({}).createMachine({
    id: 'tree',
    initial: 'group0',
    states: Object.fromEntries(states),
  });
}
