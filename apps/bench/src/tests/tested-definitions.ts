import { readFileSync } from 'node:fs';
import { understudyPorts } from '@dramaturg/understudy';
import { type Compiled, compile, type JsonObject, type Ports } from 'dramaturg';
import type { TestStep } from 'dramaturg/testing';

/** A definition, and the events of its test. */
export interface TestedDefinition {
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
export const ports: Partial<Ports> = {
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
