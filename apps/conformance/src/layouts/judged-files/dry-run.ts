import type { WorkflowEmitted } from '@dramaturg/asl';
import { listen, type Port, providePorts } from '@dramaturg/compiler';
import { virtualClock } from '@dramaturg/host';
import { type AnyStateMachine, createActor } from 'xstate';

/** More calls and more waits than a run with an end needs. Workflows that poll have no end when nothing changes. */
const mostCalls = 500;

/**
 * Runs a workflow with an empty input on a virtual clock. Each task returns its input, and tasks that wait for a token are
 * completed. The run ends with the workflow, when nothing moves any more, or after `mostCalls` calls.
 *
 * @returns the error of an actor that broke; undefined when none did, also when the workflow failed as it may
 */
export async function dryRun(machine: AnyStateMachine): Promise<string | undefined> {
  const clock = virtualClock({ startAt: Date.UTC(2026, 0, 1) });
  const runAgent = bounded<'runAgent'>(({ input }) => ({ result: input }));
  const timer = bounded<'timer'>(clock.timer);
  const actor = createActor(providePorts(machine, { runAgent, timer }), {
    input: { input: {} },
    ...listen((emitted) => {
      const event = emitted as unknown as WorkflowEmitted;
      if (event.type !== 'task.scheduled') return;
      const { token, input } = event;
      // This answers an event of the current step, which must finish first.
      void clock
        .advanceTo(clock.now())
        .then(() => actor.send({ type: 'task.succeeded', token, output: input }));
    }),
  });
  // Without an observer XState would throw the error outside of any promise. The snapshot has it as well.
  actor.subscribe({ error: () => {} });
  actor.start();
  await clock.settled();
  const snapshot = actor.getSnapshot();
  actor.stop();
  return snapshot.status === 'error' ? `the run broke: ${String(snapshot.error)}` : undefined;
}

/** A port that no longer answers after `mostCalls` calls. */
function bounded<Name extends 'runAgent' | 'timer'>(port: Port<Name>): Port<Name> {
  let calls = 0;
  return (input, call) => {
    calls += 1;
    return calls > mostCalls ? new Promise(() => {}) : port(input, call);
  };
}
