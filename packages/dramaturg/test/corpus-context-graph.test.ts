import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, compile, type JsonObject, providePorts } from '@dramaturg/compiler';
import {
  type ActionState,
  contextGraph,
  type Graph,
  type GraphContext,
  type GraphEmitted,
  type State,
  type Target,
} from '@dramaturg/context-graph';
import { understudyPorts } from '@dramaturg/understudy';
import { createActor, waitFor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { formats } from '../src/known-formats.ts';

/**
 * Context graphs from a folder next to the project. The understudy plays each graph to its terminal state with a person
 * whose answers lead there. Other files (single states, schemas, texts) are refused by name.
 */
const corpora = join(import.meta.dirname, '../../../../shared/corpus');

function filesOf(corpus: string): string[] {
  const folder = join(corpora, corpus);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${corpus}/${name}`);
}

const readCorpus = (file: string) => readFileSync(join(corpora, file), 'utf8');
const valueOf = (file: string) => JSON.parse(readCorpus(file)) as JsonObject;

const files = filesOf('context-graph');

/** The graphs among the files, by the name that other files use for them. */
function graphsFor(file: string): JsonObject {
  const child = files.find((one) => one !== file && one.includes('crossgraph-child'));
  return child === undefined ? {} : { intake: valueOf(child) };
}

const isGraph = (file: string) => Object.hasOwn(valueOf(file), 'new_user_initial_state');

interface Result {
  readonly file: string;
  readonly outcome: string;
  readonly turns: number;
  readonly findings: string;
}

describe.skipIf(files.length === 0)('the corpus of context graphs', () => {
  const results: Result[] = [];

  test.each(files.filter(isGraph))('%s reaches its terminal state', async (file) => {
    const result = await play(file);
    results.push(result);
    expect(result.outcome).toMatch(/^completed in /);
  });

  test.each(files.filter((file) => !isGraph(file)))('%s is refused by name', (file) => {
    const { diagnostics, chart } = check(readCorpus(file), { formats });
    const codes = diagnostics.map(({ code }) => code);
    expect(chart).toBeUndefined();
    expect(codes).toEqual([
      file.includes('/fragment-') ? 'context-graph/bare-state' : 'format/unknown',
    ]);
    results.push({ file, outcome: 'refused', turns: 0, findings: codes.join(' ') });
  });

  test('the table of results', () => {
    expect(results).toHaveLength(files.length);
    console.table(results);
  });
});

test(`there is ${files.length === 0 ? 'no corpus of context graphs next to the project: its tests are skipped' : 'a corpus of context graphs next to the project'}`, () => {
  expect(existsSync(join(corpora, 'context-graph'))).toBe(files.length > 0);
});

const everything = ['plan', 'npc', 'context-graph', 'asl', 'lifecycle'].flatMap(filesOf);

describe.skipIf(everything.length === 0)('of all definitions', () => {
  test.each(everything)(
    '%s is recognised as a context graph only if it is in their folder',
    (file) => {
      const { value } = check(readCorpus(file), { formats }).source;
      const recognising = formats.filter((format) => format.recognise(value).matches);
      const isOne = recognising.includes(contextGraph);
      expect(isOne).toBe(
        file.startsWith('context-graph/') && (isGraph(file) || file.includes('/fragment-')),
      );
      expect(recognising.length).toBeLessThanOrEqual(1);
    },
  );
});

async function play(file: string): Promise<Result> {
  const { machine, definition, diagnostics } = compile(readCorpus(file), {
    formats,
    options: { graphs: graphsFor(file) },
  });
  const found = diagnostics.filter(({ severity }) => severity !== 'info').map(({ code }) => code);
  const findings = [...new Set(found)].join(' ');
  if (!machine) return { file, outcome: 'refused', turns: 0, findings };
  const messages: GraphEmitted[] = [];
  const actor = createActor(
    providePorts(machine, { ...understudyPorts(), callTool: () => ({ result: 'done' }) }),
    { input: { opening: 'person' } },
  );
  actor.on('*', (event) => {
    const emitted = event as GraphEmitted;
    if (emitted.type === 'message.sent' || emitted.type === 'turn.failed') messages.push(emitted);
  });
  actor.start();
  let turns = 0;
  let before = '';
  for (; turns < 40; turns += 1) {
    const snapshot = await waitFor(
      actor,
      ({ status, tags }) => status !== 'active' || tags.has('waiting'),
    );
    if (snapshot.status !== 'active') break;
    const { state } = snapshot.context as GraphContext;
    actor.send({
      type: 'message.received',
      text: wayOn(definition as Graph, state, state === before),
    });
    before = state;
  }
  const { status, output, context } = actor.getSnapshot();
  actor.stop();
  expect(messages.map(({ type }) => type)).toEqual(messages.map(() => 'message.sent'));
  expect(messages).toHaveLength(turns);
  const ended = output as { outcome: string; state: string } | undefined;
  const outcome =
    status === 'done'
      ? `${ended?.outcome} in ${ended?.state}`
      : `stays in ${(context as GraphContext).state}`;
  return { file, outcome, turns, findings };
}

/**
 * The answer of the person: the text of the exit on the shortest path to the end. If the understudy takes it for an
 * action and asks again, the person names the exit by its number.
 */
function wayOn(root: Graph, address: string, isAskedAgain: boolean): string {
  const calls = address.split('/');
  const name = calls.pop()!;
  const graph = calls.reduce<Graph>(
    (outer, call) => outer.references.find((one) => one.name === call.split('.')[0])!.graph!,
    root,
  );
  const state = graph.states.find((one) => one.name === name) as ActionState;
  const [best] = state.exit_conditions.toSorted(
    (a, b) => distance(graph, a.next_state!) - distance(graph, b.next_state!),
  );
  if (!best) return 'Go on.';
  return isAskedAgain ? `E${state.exit_conditions.indexOf(best) + 1}` : best.description;
}

/** The number of states from a target to the terminal state of its graph. */
function distance(graph: Graph, target: Target): number {
  const byName = new Map(graph.states.map((state) => [state.name, state]));
  const nameIn = (to: Target) =>
    to.kind === 'call' ? to.jumpback : to.kind === 'state' ? to.state : '';
  const ways = (state: State) =>
    ('exit_conditions' in state ? state.exit_conditions : [state]).flatMap(
      ({ next_state: to }) => to ?? [],
    );
  let reached = new Set([nameIn(target)]);
  for (let steps = 0; steps <= graph.states.length; steps += 1) {
    if (reached.has(graph.terminal_state)) return steps;
    const next = [...reached].flatMap((name) => ways(byName.get(name)!).map(nameIn));
    reached = new Set([...reached, ...next]);
  }
  return Infinity;
}
