import { existsSync, readFileSync } from 'node:fs';
import { listen, providePorts, type SpokenLine } from '@dramaturg/compiler';
import { compile, type Compiled, realClock } from 'dramaturg';
import {
  type AnyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  waitFor,
} from 'xstate';
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

/** A definition, with the settings for its measured conversation. */
export interface MeasuredDefinition {
  readonly name: string;
  readonly path: string;
  /** The conversation moves on with every `pace`th message, so that it reaches turn 20 and changes its state on the way. */
  readonly pace: number;
  readonly input?: object;
  /** The place where it runs. Default: in memory. On a host it has a lifecycle, which adds tools. */
  readonly on?: 'host';
}

const root = new URL('../../../../', import.meta.url);

const ours: readonly MeasuredDefinition[] = [
  { name: 'plan', path: 'docs/examples/customer-intake.plan.json', pace: 5 },
  {
    name: 'NPC',
    path: 'apps/bench/src/prompts/inn.npc.json',
    pace: 5,
    input: { player: { name: 'Ada' } },
  },
  { name: 'context graph', path: 'docs/examples/check-in.context-graph.yaml', pace: 5 },
  {
    name: 'plan in its lifecycle',
    path: 'docs/examples/customer-intake.plan.json',
    pace: 5,
    on: 'host',
  },
  { name: 'workflow', path: 'apps/bench/src/prompts/research.asl.json', pace: 5 },
];

/** The folder with definitions of other people. */
const corpus = process.env['DRAMATURG_CORPUS'];

const others: readonly MeasuredDefinition[] = [
  { name: 'plan with long states', path: 'plan/cognitive-stimulation-demo.json', pace: 5 },
  { name: 'support plan', path: 'plan/docs-customer-support.json', pace: 5 },
  { name: 'small talk plan', path: 'plan/stella-smalltalk.json', pace: 7 },
];

/** Examples of the project, and definitions of the corpus if there is one. */
export const measuredDefinitions: readonly MeasuredDefinition[] = [
  ...ours.map((each) => ({ ...each, path: new URL(each.path, root).pathname })),
  ...others.flatMap((each) => {
    const path = `${corpus}/${each.path}`;
    return corpus !== undefined && existsSync(path) ? [{ ...each, path }] : [];
  }),
];

export function compiledFrom({ path }: MeasuredDefinition): Compiled {
  const compiled = compile(readFileSync(path, 'utf8'), { fileName: path });
  if (!compiled.machine)
    throw new Error(`${path} does not compile: ${JSON.stringify(compiled.diagnostics)}`);
  return compiled;
}

export function machineOf(definition: MeasuredDefinition): NonNullable<Compiled['machine']> {
  return compiledFrom(definition).machine!;
}
