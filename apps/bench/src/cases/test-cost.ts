import { providePorts } from 'dramaturg';
import { play } from 'dramaturg/testing';
import { createActor, waitFor } from 'xstate';
import { contest, timeOfEach } from '../contest.ts';
import type { Benchmark } from '../measure.ts';
import { ports, type TestedDefinition, testedDefinitions } from '../tests/tested-definitions.ts';

const often = { warmUp: 100, runs: 20 };
const rounds = 5;

/** Tests per second of each format, and the runs of its bare machine through the same events in that time. */
export const testCost: readonly Benchmark[] = testedDefinitions.flatMap((tested) => {
  const name = `${tested.format} tests`;
  const ours = () => testRun(tested);
  return [
    {
      name: `${name}, in one thread`,
      unit: 'a second',
      rounds,
      prepare: async () => {
        await timeOfEach(ours, often.warmUp);
        return async () => 1000 / (await timeOfEach(ours, often.runs));
      },
    },
    {
      name: `${name} over the bare machine`,
      unit: '×',
      rounds,
      prepare: () => contest(ours, () => bareRun(tested), often),
    },
  ];
});

/**
 * Runs a test as `dramaturg test` does in each thread, with all reads after each step. Returns the last state of the definition,
 * as `bareRun` does.
 */
export async function testRun(tested: TestedDefinition): Promise<string> {
  const { definition, input, happenings, state, expectation } = tested;
  const steps = [{}, ...happenings];
  const checked = [...steps.slice(0, -1), { ...steps.at(-1), ...expectation }];
  await play(definition, checked, { ports, ...(input ? { input } : {}) });
  return state;
}

/** Runs the machine of a definition in XState alone. Returns the last entered state. */
export async function bareRun({
  definition,
  input,
  happenings,
}: Pick<TestedDefinition, 'definition' | 'input' | 'happenings'>): Promise<string> {
  const actor = createActor(providePorts(definition.machine!, ports), { input: input ?? {} });
  let state = '';
  actor.on('*', (event: { readonly type: string; readonly state?: string }) => {
    if (event.type === 'state.entered') state = event.state!;
  });
  const isConversation = happenings.some(({ person }) => person !== undefined);
  const rest = () =>
    waitFor(actor, (now) => now.status === 'done' || (isConversation && now.hasTag('waiting')));
  actor.start();
  for (const { person, event } of happenings) {
    if (isConversation) await rest();
    actor.send(event ?? { type: 'message.received', text: person });
  }
  await rest();
  actor.stop();
  return state;
}
