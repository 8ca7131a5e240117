import { readFileSync } from 'node:fs';
import { understudyPorts } from '@dramaturg/understudy';
import { compile, type Compiled, type JsonObject, type Ports, providePorts } from 'dramaturg';
import { play, type TestStep } from 'dramaturg/testing';
import { createActor, waitFor } from 'xstate';
import { type Benchmark, contest, timeOfEach } from '../measure.ts';

/** A definition, and the events of its test. */
interface TestedDefinition {
  readonly format: string;
  readonly definition: Compiled;
  readonly input?: JsonObject;
  readonly happenings: readonly Pick<TestStep, 'person' | 'event'>[];
  /** The state that it enters last, without those of its items. */
  readonly state: string;
  /** The expectation of its test at the end. */
  readonly expectation: Pick<TestStep, 'state' | 'outcome'>;
}

/** Ports that answer immediately, in the test and for the bare machine. */
const ports: Partial<Ports> = {
  ...understudyPorts(),
  // The first exit of a context graph, the first verdict of a scenario.
  choose: ({ options }) => ({ option: (options.find(({ id }) => id === 'E1') ?? options[0]!).id }),
  think: () => ({ text: 'Nothing speaks against it.' }),
  runAgent: ({ agent, input }) => ({ result: agent === 'Price' ? 20 : input }),
};

const examples = new URL('../../../../docs/examples/', import.meta.url);

export const testedDefinitions: readonly TestedDefinition[] = [
  {
    format: 'plan',
    definition: example('customer-intake.plan.json'),
    happenings: said('Maria', '4711-B', 'technical', 'The screen stays dark', 'yes'),
    state: 'farewell',
    expectation: { state: 'farewell' },
  },
  {
    format: 'NPC scenario',
    definition: read(new URL('../prompts/inn.npc.json', import.meta.url), 'inn.npc.json'),
    happenings: said('Good evening', 'I come from the coast'),
    state: 'supper',
    expectation: { state: 'supper' },
  },
  {
    format: 'context graph',
    definition: example('check-in.context-graph.yaml'),
    happenings: said('I am ready', 'no pain'),
    state: 'ask_symptoms',
    expectation: { state: 'ask_symptoms' },
  },
  {
    format: 'workflow',
    definition: example('order.asl.json'),
    input: { input: { items: ['book', 'lamp'] } },
    happenings: [],
    state: 'Send',
    expectation: { outcome: 'succeeded' },
  },
  {
    format: 'lifecycle',
    definition: example('parcel.lifecycle.json'),
    happenings: ['pack', 'collect', 'ring', 'nobody in', 'ring', 'hand over'].map((type) => ({
      event: { type },
    })),
    state: 'DELIVERED',
    expectation: { state: 'DELIVERED' },
  },
];

function example(fileName: string): Compiled {
  return read(new URL(fileName, examples), fileName);
}

function read(url: URL, fileName: string): Compiled {
  return compile(readFileSync(url, 'utf8'), { fileName });
}

function said(...lines: readonly string[]): { readonly person: string }[] {
  return lines.map((person) => ({ person }));
}

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
