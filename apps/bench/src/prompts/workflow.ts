import { type AnyStateMachine, createActor, waitFor } from 'xstate';
import { type PortInput, providePorts } from '@dramaturg/compiler';
import { realClock } from 'dramaturg';
import { type MeasuredCall, scriptedModel, type ScriptedOptions } from './scripted-model.ts';

/** Runs a workflow whose agents are played by a scripted model. Each task counts as a turn. */
export async function playWorkflow({
  machine,
  ...scripted
}: ScriptedOptions & { readonly machine: AnyStateMachine }): Promise<readonly MeasuredCall[]> {
  const model = await scriptedModel(scripted);
  let turn = 0;
  const { runAgent } = model.ports;
  const ports = {
    ...model.ports,
    timer: realClock().timer,
    runAgent: (input: PortInput<'runAgent'>, call: Parameters<NonNullable<typeof runAgent>>[1]) => {
      model.personSays((turn += 1));
      const { signal, onText } = call;
      return runAgent!(input, { signal, onText, instance: 'measured' });
    },
  };
  const actor = createActor(providePorts(machine, ports), { input: { input: {} } });
  actor.subscribe({ error: () => {} });
  actor.start();
  await waitFor(actor, ({ status }) => status !== 'active');
  await model[Symbol.asyncDispose]();
  return model.calls;
}
