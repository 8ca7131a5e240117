import { setImmediate } from 'node:timers/promises';
import { compile, type Json, type JsonObject, providePorts } from '@dramaturg/compiler';
import fc from 'fast-check';
import { type AnyActor, createActor, waitFor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { contextGraph, type GraphContext, type GraphEmitted } from '../src/index.ts';
import { action, exit, graphOf, tool } from './build.ts';
import { loop } from './graphs.ts';
import { child, soundGraph } from './sound-graph.ts';
import { runsAll, scaled } from '../../../../.config/scaled.ts';

/** Generous, so that a busy machine does not fail these tests. In milliseconds. */
const timeout = 300_000;

/** Names that JavaScript or XState reserve, and ordinary ones. */
const oddName = fc.constantFrom(
  'a',
  'b',
  'a.b',
  '#a',
  '.',
  '',
  ' ',
  '1',
  '007',
  '__proto__',
  'constructor',
  'toString',
  '%',
  'é',
  '🙂',
  'waiting',
  'graph',
  'state:a',
  'graph:',
  '(traversal)',
  'flow:back',
  'x.y then z',
);
const target = fc.oneof(
  oddName,
  fc.tuple(fc.oneof(oddName, fc.constant('other.a')), oddName),
  fc.constantFrom(null, 7, [], ['other.a']),
);

const anyState = fc.record(
  {
    type: fc.constantFrom(
      'action',
      'decision',
      'reflection',
      'recall',
      'annotation',
      'side-effect',
      'tool-call',
      'odd',
    ),
    name: oddName,
    objective: fc.string(),
    actions: fc.array(fc.oneof(fc.string(), fc.constant({ description: 'Do' })), { maxLength: 3 }),
    exit_conditions: fc.array(fc.record({ description: fc.string(), next_state: target }), {
      maxLength: 4,
    }),
    queries: fc.constantFrom(null, [], ['q'], 'q'),
    requested_information: fc.constantFrom(null, '', 'i'),
    inner_thought: fc.constantFrom('t', ' ', 7),
    problem: fc.string(),
    next_state: target,
    designated_tool: fc.oneof(fc.jsonValue(), fc.constant(tool('persisted'))),
  },
  { requiredKeys: ['type'] },
);

const anyGraph = fc.record(
  {
    new_user_initial_state: oddName,
    returning_user_initial_state: oddName,
    terminal_state: oddName,
    references: fc.constantFrom({}, { other: ['aaaaaaaaaaaaaaaaaaaaaaaa', 1] }, [], null),
    states: fc.oneof(
      fc.array(anyState, { maxLength: 6 }),
      fc.dictionary(oddName, anyState, { maxKeys: 6 }),
    ),
  },
  { requiredKeys: ['states'] },
);

/** Possible answers of a model: options, targets, options of other states, nonsense, tools, and nothing. */
const answer = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('E1', 'E2', 'E3', 'A1') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('A2', 'E9', 'end', 'hub', '__proto__', 'constructor', ''),
  },
  { weight: 1, arbitrary: fc.constantFrom('THROW', 'TOOL') },
);

interface Played {
  readonly actor: AnyActor;
  readonly events: GraphEmitted[];
}

/** An actor whose ports repeat the given answers in a cycle. */
function play(definition: JsonObject, options: JsonObject, answers: readonly string[]): Played {
  const { machine, diagnostics } = compile(JSON.stringify(definition), {
    formats: [contextGraph],
    format: 'context-graph',
    options: { graphs: { child }, ...options },
  });
  if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  let at = 0;
  const next = (): string => {
    const said = answers[at++ % answers.length] ?? '';
    if (said === 'THROW') throw new Error('model error');
    return said;
  };
  const toolCalls = (said: string) =>
    said === 'TOOL' ? [{ name: 'a'.repeat(24), arguments: { said } }] : [];
  const events: GraphEmitted[] = [];
  const actor = createActor(
    providePorts(machine, {
      choose: () => {
        const said = next();
        return { option: said, toolCalls: toolCalls(said) };
      },
      think: () => {
        const said = next();
        return { text: said, toolCalls: toolCalls(said) };
      },
      reply: () => {
        const said = next();
        return { text: said, toolCalls: toolCalls(said) };
      },
      extract: () => ({ value: { queries: [next()], arguments: { said: next() } } }),
      recall: () => ({ memories: [{ text: next() }] }),
      callTool: () => ({ result: next() }),
    }),
  );
  actor.on('*', (event) => events.push(event as GraphEmitted));
  return { actor, events };
}

const settled = (actor: AnyActor) =>
  waitFor(actor, ({ status, tags }) => status !== 'active' || tags.has('waiting'));

/** `from > to` of every exit and every other way on. */
function declaredWays(definition: JsonObject): Set<string> {
  const ways = new Set<string>();
  const add = (graph: JsonObject, prefix: string) => {
    for (const state of graph['states'] as readonly JsonObject[]) {
      const from = prefix + (state['name'] as string);
      const exits = (state['exit_conditions'] ?? [state]) as readonly JsonObject[];
      for (const [index, { next_state: written }] of exits.entries()) {
        const to = Array.isArray(written) ? (written[0] as string) : prefix + (written as string);
        ways.add(`${from} > ${to}`);
        if (state['exit_conditions']) ways.add(`${from} E${index + 1} > ${to}`);
        // A restart is recorded with the state that it enters.
        if (to === '__restart__') ways.add(`${from} > hub`);
      }
    }
  };
  add(definition, '');
  add(child, 'child.');
  return ways;
}

describe('whatever the definition', () => {
  test('compile never throws', { timeout }, () => {
    fc.assert(
      fc.property(fc.oneof(anyGraph, fc.jsonValue()), (definition) => {
        const { chart, diagnostics } = compile(JSON.stringify(definition), {
          formats: [contextGraph],
          format: 'context-graph',
          options: { graphs: { other: definition as Json } },
        });
        const failed = diagnostics.some(({ severity }) => severity === 'error');
        expect(chart === undefined).toBe(failed);
      }),
    );
  });
});

describe('whatever the model answers', () => {
  test(
    'a turn keeps its limits, takes declared exits, speaks once, and commits nothing if it fails',
    { timeout },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          soundGraph,
          fc.array(answer, { minLength: 3, maxLength: 40 }),
          fc.record({
            maxTransitionsPerTurn: fc.integer({ min: 1, max: 12 }),
            maxVisitsPerState: fc.integer({ min: 1, max: 4 }),
          }),
          async (definition, answers, limits) => {
            const hasCircle = compile(JSON.stringify(definition), {
              formats: [contextGraph],
              options: { graphs: { child } },
            }).diagnostics.some(({ severity }) => severity === 'error');
            fc.pre(!hasCircle);
            const ways = declaredWays(definition);
            const { actor, events } = play(definition, limits, answers);
            actor.start();
            for (let turn = 0; turn < 4; turn += 1) {
              const standing = actor.getSnapshot();
              const before = standing.context as GraphContext;
              const sent = standing.hasTag('failed') ? 'turn.retry' : 'message.received';
              if (turn > 0) actor.send({ type: sent, text: 'so' } as never);
              const snapshot = await settled(actor);
              const after = snapshot.context as GraphContext;
              const found = events.splice(0);
              const spoken = found.filter(({ type }) => type === 'message.sent').length;
              const failures = found.filter(({ type }) => type === 'turn.failed').length;
              expect([spoken, failures]).toEqual(failures > 0 ? [0, 1] : [1, 0]);
              expect(after.inbox).toEqual([]);
              const { state, knowledge } = failures > 0 ? before : after;
              expect(after).toMatchObject({ state, knowledge });
              for (const event of found) {
                if (event.type !== 'traversal.completed') continue;
                judge(event, ways, limits);
              }
              if (snapshot.status !== 'active') break;
            }
            const { status } = actor.getSnapshot();
            expect(['active', 'done']).toContain(status);
            actor.stop();
          },
        ),
        { numRuns: scaled(300) },
      );
    },
  );
});

function judge(
  { trace, transitions }: GraphEmitted & { type: 'traversal.completed' },
  ways: ReadonlySet<string>,
  limits: { maxTransitionsPerTurn: number; maxVisitsPerState: number },
): void {
  expect(trace).toMatch(/^\[A\] /);
  expect(trace).toMatch(
    /^(?:\[[ACDNRST]\] \S+ -> )*(?:\[A\] \S+ !A\d+|\[[ACDNRST]\] \S+ !__(?:human|end)__)$/,
  );
  const taken = transitions.filter(({ refused, type }) => !refused && type !== 'fallback');
  // The last move of a turn may lead out of it, or to the beginning.
  expect(taken.length).toBeLessThanOrEqual(limits.maxTransitionsPerTurn + 1);
  const visits = new Map<string, number>();
  for (const { type, from, to, exit: by } of taken) {
    visits.set(to, (visits.get(to) ?? 0) + 1);
    const way = `${from}${by === undefined ? '' : ` ${by}`} > ${to}`;
    expect(type === 'jumpback' || ways.has(way)).toBe(true);
  }
  // A state of the child counts separately in each of the two calls.
  for (const [state, count] of visits)
    expect(count).toBeLessThanOrEqual(
      limits.maxVisitsPerState * (state.includes('.') ? 2 : 1) + Number(state === 'hub'),
    );
  expect(transitions.filter(({ type }) => type === 'fallback').length).toBeLessThanOrEqual(1);
}

describe('snapshots', () => {
  test('restore without a change in the middle of a turn', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(
        soundGraph,
        fc.array(answer, { minLength: 3, maxLength: 12 }),
        async (definition, answers) => {
          const { machine } = compile(JSON.stringify(definition), {
            formats: [contextGraph],
            options: { graphs: { child } },
          });
          fc.pre(machine !== undefined);
          let calls = 0;
          const never = new Promise<never>(() => {});
          const provided = providePorts(machine, {
            recall: () => ({ memories: [] }),
            choose: () => (calls++ < answers.length ? { option: answers[calls - 1]! } : never),
            reply: () => ({ text: 'So.' }),
          });
          const actor = createActor(provided).start();
          await setImmediate();
          const stored = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as never;
          actor.stop();
          const restored = createActor(provided, { snapshot: stored }).start();
          expect(JSON.parse(JSON.stringify(restored.getPersistedSnapshot()))).toEqual(stored);
          restored.stop();
        },
      ),
      { numRuns: scaled(100) },
    );
  });

  test('do not grow with the conversation', { timeout }, async () => {
    const answers = ['E1', 'thought', 'E2', 'A1'];
    const { actor } = play(loop, {}, [...answers, 'So.']);
    actor.start();
    const sizes: number[] = [];
    for (let turn = 0; turn < 400; turn += 1) {
      await settled(actor);
      if (turn === 200 || turn === 399)
        sizes.push(JSON.stringify(actor.getPersistedSnapshot()).length);
      actor.send({ type: 'message.received', text: 'so' } as never);
    }
    await settled(actor);
    actor.stop();
    expect(Math.abs(sizes[1]! - sizes[0]!)).toBeLessThan(100);
  });
});

test('a graph of 3,000 states compiles and runs', { timeout }, async ({ skip }) => {
  skip(!runsAll);
  const count = 3_000;
  const definition = graphOf(
    ...Array.from({ length: count }, (_, index) =>
      action(`s${index}`, ['Talk'], index + 1 < count ? [exit(`s${index + 1}`)] : []),
    ),
  );
  const { actor, events } = play(definition, {}, ['E1', 'E1', 'E1', 'E1', 'E1', 'A1', 'So.']);
  actor.start();
  await settled(actor);
  expect(events.some(({ type }) => type === 'turn.failed' || type === 'message.sent')).toBe(true);
  actor.stop();
});
