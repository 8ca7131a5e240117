import {
  type AnyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  waitFor,
} from 'xstate';
import { listen, providePorts, type SpokenLine } from '@dramaturg/compiler';
import { realClock } from 'dramaturg';
import { type MeasuredCall, scriptedModel, type ScriptedOptions } from './scripted-model.ts';

export interface Conversation extends ScriptedOptions {
  readonly machine: AnyStateMachine;
  readonly turns: number;
  readonly input?: object;
}

/** Plays a conversation with a scripted model, in memory. */
export async function playConversation({
  machine,
  turns,
  input = {},
  ...scripted
}: Conversation): Promise<readonly MeasuredCall[]> {
  const model = await scriptedModel(scripted);
  const said: SpokenLine[] = [];
  const ports = { timer: realClock().timer, ...model.ports };
  const actor = createActor(providePorts(machine, ports, { transcript: () => said }), {
    input,
    ...listen(() => {}),
  });
  actor.on('message.sent', (event: { readonly text?: unknown }) => {
    said.push({ role: 'agent', text: String(event.text) });
  });
  actor.subscribe({ error: () => {} });
  actor.start();
  for (let turn = 1; turn <= turns && (await isWaiting(actor)); turn += 1) {
    const text = model.personSays(turn);
    said.push({ role: 'contact', text });
    actor.send({ type: 'message.received', text });
  }
  await isWaiting(actor);
  actor.stop();
  await model[Symbol.asyncDispose]();
  return model.calls;
}

async function isWaiting(actor: AnyActor): Promise<boolean> {
  const { status, error } = await waitFor(
    actor,
    (snapshot: AnyMachineSnapshot) => snapshot.status !== 'active' || snapshot.hasTag('waiting'),
  );
  if (status === 'error') throw error;
  return status === 'active';
}
