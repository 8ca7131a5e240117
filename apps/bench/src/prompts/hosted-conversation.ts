import { createHost, memoryStore } from 'dramaturg';
import type { Compiled } from 'dramaturg';
import { type MeasuredCall, scriptedModel, type ScriptedOptions } from './scripted-model.ts';

export interface HostedConversation extends ScriptedOptions {
  readonly definition: Compiled;
  readonly turns: number;
}

/** Plays a conversation with a scripted model on a host: its lifecycle adds tools to the replies. */
export async function playOnHost({
  definition,
  turns,
  ...scripted
}: HostedConversation): Promise<readonly MeasuredCall[]> {
  const model = await scriptedModel(scripted);
  const host = await createHost({
    store: memoryStore(),
    definitions: { measured: definition },
    ports: model.ports,
  });
  const contact = 'measured';
  await host.start('measured', { id: 'measured', contact });
  await host.settle();
  for (let turn = 1; turn <= turns; turn += 1) {
    await host.receive({ contact, text: model.personSays(turn) });
    await host.settle();
  }
  await host.stop();
  await model[Symbol.asyncDispose]();
  return model.calls;
}
