import { type PortInput, providePorts } from '@dramaturg/compiler';
import { withArticle } from '@dramaturg/compiler/text';
import { type Compiled, createHost, memoryStore, realClock } from 'dramaturg';
import { type AnyStateMachine, createActor, waitFor } from 'xstate';
import type { Benchmark } from '../measure.ts';
import {
  compiledFrom,
  machineOf,
  type MeasuredDefinition,
  measuredDefinitions,
  playConversation,
} from '../prompts/conversation.ts';
import {
  type MeasuredCall,
  scriptedModel,
  type ScriptedOptions,
} from '../prompts/scripted-model.ts';

/** Shares are measured in these turns, and their median is used. */
const [firstTurn, lastTurn] = [17, 24];
const goal = 0.1;

const portNames = ['reply', 'choose', 'extract', 'think', 'runAgent'] as const;

type Port = (typeof portNames)[number];

/** The ports that each format calls in such a conversation. */
const portsOf = (name: string): readonly Port[] => {
  if (name.includes('plan')) return ['reply', 'extract'];
  if (name === 'workflow') return ['runAgent'];
  return name === 'NPC' ? ['reply', 'choose'] : ['reply', 'choose', 'think'];
};

/** The share of a request at turn 20 that is new to the provider's cache, and the calls and tokens of a turn. */
export const prompts: readonly Benchmark[] = measuredDefinitions.flatMap((definition) => {
  let calls: Promise<readonly MeasuredCall[]> | undefined;
  const play = () => (calls ??= callsOf(definition));
  const row = (what: string, unit: string, of: (calls: readonly MeasuredCall[]) => number) => ({
    name: `prompts of ${withArticle(definition.name)}: ${what}`,
    unit,
    rounds: 1,
    prepare: async () => {
      const measured = of(await play());
      return () => measured;
    },
  });
  return [
    ...portsOf(definition.name).map((port) => ({
      ...row(`new share at turn 20, ${port}`, '', (all) => newShare(all, port)),
      // Several turns pass between two thoughts, so much of the second request is new.
      ...(port !== 'think' && { atMost: goal }),
    })),
    row('calls a turn', '', (all) => late(all).length / (lastTurn - firstTurn + 1)),
    row('input tokens a turn at turn 20', '', (all) => tokensOfTurn(all, 'inputTokens')),
    row('of them cached', '', (all) => tokensOfTurn(all, 'cachedInputTokens')),
  ];
});

async function callsOf(definition: MeasuredDefinition): Promise<readonly MeasuredCall[]> {
  const calls = await played(definition);
  const last = calls.at(-1)?.turn ?? 0;
  if (last < lastTurn) throw new Error(`The ${definition.name} has ended at turn ${last}.`);
  return calls;
}

function played(definition: MeasuredDefinition): Promise<readonly MeasuredCall[]> {
  const { name, pace, input, on } = definition;
  const machine = machineOf(definition);
  if (name === 'workflow') return playWorkflow({ machine, pace });
  if (on === 'host')
    return playOnHost({ definition: compiledFrom(definition), turns: lastTurn, pace });
  return playConversation({ machine, turns: lastTurn, pace, ...(input && { input }) });
}

function late(calls: readonly MeasuredCall[]): MeasuredCall[] {
  return calls.filter(({ turn }) => turn >= firstTurn && turn <= lastTurn);
}

function newShare(calls: readonly MeasuredCall[], port: Port): number {
  const measured = late(calls).filter((call) => call.port === port);
  const sum = (field: 'inputTokens' | 'cachedInputTokens') =>
    measured.reduce((total, call) => total + call[field], 0);
  return 1 - sum('cachedInputTokens') / sum('inputTokens');
}

function tokensOfTurn(
  calls: readonly MeasuredCall[],
  field: 'inputTokens' | 'cachedInputTokens',
): number {
  const sum = late(calls).reduce((total, call) => total + call[field], 0);
  return sum / (lastTurn - firstTurn + 1);
}

interface HostedConversation extends ScriptedOptions {
  readonly definition: Compiled;
  readonly turns: number;
}

/** Plays a conversation with a scripted model on a host: its lifecycle adds tools to the replies. */
async function playOnHost({
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

/** Runs a workflow whose agents are played by a scripted model. Each task counts as a turn. */
async function playWorkflow({
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
