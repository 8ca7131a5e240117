import { providePorts } from 'dramaturg';
import { createActor, waitFor } from 'xstate';
import { ports, type TestedDefinition } from './tested-definitions.ts';

/** Runs the machine of a definition in XState alone. Returns the state that it has entered last. */
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
