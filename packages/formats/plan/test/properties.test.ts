import { check, compile, type JsonObject, providePorts } from '@dramaturg/compiler';
import fc from 'fast-check';
import { createActor, waitFor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { plan, type PlanContext } from '../src/index.ts';
import { soundPlan } from './sound-plan.ts';
import { runsAll, scaled } from '../../../../.config/scaled.ts';

/** Names that JavaScript or XState reserve, and ordinary ones. */
const oddName = fc.constantFrom(
  'a',
  'b',
  'c',
  'a.b',
  '#a',
  '#',
  '.',
  '',
  ' ',
  '1',
  '2',
  '007',
  '__proto__',
  'constructor',
  'toString',
  'done',
  'open',
  '__end__',
  '%',
  '%2E',
  'é',
  '🙂',
  'plan',
  'state:a',
  'region:plan',
);
const value = fc.oneof(
  fc.constantFrom('yes', 'no', 'a', '', ' A ', '7', 7, 0, -1, 1e308, true, false, null),
  fc.string(),
  fc.jsonValue(),
);

const deliverable = fc.record(
  {
    key: oddName,
    type: fc.constantFrom('string', 'number', 'boolean', 'enum', 'text', 7),
    required: fc.constantFrom(true, false, 'yes'),
    enum_values: fc.array(fc.constantFrom('a', 'b', 7, true), { maxLength: 3 }),
  },
  { requiredKeys: ['key'] },
);

const task = fc.record(
  {
    id: oddName,
    description: fc.string(),
    required: fc.boolean(),
    deliverables: fc.array(deliverable, { maxLength: 3 }),
  },
  { requiredKeys: ['id'] },
);

const { condition } = fc.letrec<{ condition: JsonObject }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    fc.record({
      condition_type: fc.constantFrom(
        'all_tasks_complete',
        'goal_achieved',
        'deliverable_exists',
        'deliverable_value',
        'deliverable_value_in',
        'turn_count_exceeded',
        'nonsense',
      ),
      condition_config: fc.record(
        {
          deliverable_key: oddName,
          expected_value: value,
          values: fc.array(value, { maxLength: 2 }),
          turns: fc.constantFrom(0, 1, '2', -1, 'x'),
        },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      condition_type: fc.constant('deliverable_value_numeric'),
      condition_config: fc.record({
        key: oddName,
        operator: fc.constantFrom('gt', '<=', 'range', 'x'),
        value: fc.integer(),
        min: fc.integer(),
        max: fc.integer(),
      }),
    }),
    fc.record({
      condition_type: fc.constantFrom('all_of', 'any_of', 'compound'),
      condition_config: fc.record({
        operator: fc.constantFrom('and', 'or', 'xor'),
        conditions: fc.array(tie('condition'), { maxLength: 3 }),
      }),
    }),
  ) as unknown as fc.Arbitrary<JsonObject>,
}));

const transition = fc
  .tuple(
    fc.record(
      { target_state_id: oddName, priority: fc.constantFrom(0, 1, 2, 99, '3', 'high') },
      { requiredKeys: ['target_state_id'] },
    ),
    condition,
  )
  .map(([edge, guard]) => ({ ...edge, ...guard }));

const state = fc.record(
  {
    id: oddName,
    title: fc.string(),
    type: fc.constantFrom('strict', 'loose', 'goal', 'sequential', 'odd'),
    tasks: fc.array(task, { maxLength: 4 }),
    transitions: fc.array(transition, { maxLength: 4 }),
    goal: fc.record({
      objective: fc.string(),
      deliverables: fc.array(deliverable, { maxLength: 2 }),
    }),
  },
  { requiredKeys: ['id'] },
);

const anyPlan = fc.record(
  {
    id: oddName,
    initial_state_id: oddName,
    states: fc.array(state, { maxLength: 6 }),
    session_context: fc.jsonValue(),
    metadata: fc.jsonValue(),
  },
  { requiredKeys: ['states'] },
);

const step = fc.oneof(
  fc.record({
    type: fc.constant('plan.update' as const),
    deliverables: fc.dictionary(
      fc.constantFrom('x', 'y', 'z', 'constructor', '__goal_achieved__', 'insight', '__proto__'),
      value,
      { maxKeys: 3 },
    ),
    complete: fc.array(fc.constantFrom('t0', 't1', 't2', 'nothing'), { maxLength: 3 }),
    skip: fc.array(fc.constantFrom('t0', 't1', 't2'), { maxLength: 2 }),
    skipState: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('message.received' as const),
    text: fc.oneof(fc.string(), fc.constantFrom(7, null)),
  }),
);

describe('whatever the definition', () => {
  test('compile never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyPlan, fc.jsonValue()), (definition) => {
        const { chart, diagnostics } = compile(JSON.stringify(definition), {
          formats: [plan],
          format: 'plan',
        });
        const failed = diagnostics.some(({ severity }) => severity === 'error');
        expect(chart === undefined).toBe(failed);
      }),
    );
  });
});

describe('whatever happens in a conversation', () => {
  test('the actor never fails, never loops, and its snapshot is JSON that restores to itself', async () => {
    await fc.assert(
      fc.asyncProperty(
        soundPlan,
        fc.array(step, { maxLength: 12 }),
        fc.array(fc.jsonValue(), { maxLength: 3 }),
        async (definition, steps, extractions) => {
          const { machine, diagnostics } = compile(JSON.stringify(definition), {
            formats: [plan],
            format: 'plan',
          });
          expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
          let call = 0;
          const provided = providePorts(machine!, {
            reply: ({ directions }) => ({
              text: 'So.',
              toolCalls: directions.flatMap(({ done }) => done ?? []),
            }),
            extract: () => ({
              value: (extractions[call++ % Math.max(1, extractions.length)] ?? {}) as JsonObject,
            }),
          });
          const ids = [...definition.states.map(({ id }) => id), '__end__'];
          let moves = 0;
          const actor = createActor(provided);
          actor.on('state.entered', () => (moves += 1));
          actor.start();
          for (const event of steps) {
            await waitFor(
              actor,
              (snapshot) => snapshot.status !== 'active' || snapshot.hasTag('waiting'),
            );
            if (actor.getSnapshot().status !== 'active') break;
            const before = moves;
            actor.send(event);
            // A chain enters no state twice; a message may chain when it arrives, after its extraction and after the reply.
            expect(moves - before).toBeLessThanOrEqual(3 * ids.length);
          }
          const snapshot = await waitFor(
            actor,
            ({ status, tags }) => status !== 'active' || tags.has('waiting'),
          );
          expect(['active', 'done']).toContain(snapshot.status);
          expect(ids).toContain((snapshot.context as PlanContext).state);
          const stored = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as never;
          actor.stop();
          const restored = createActor(provided, { snapshot: stored }).start();
          expect(JSON.parse(JSON.stringify(restored.getPersistedSnapshot()))).toEqual(stored);
          restored.stop();
        },
      ),
      { numRuns: scaled(150) },
    );
  });
});

describe('large plans', () => {
  const large = (count: number) =>
    JSON.stringify({
      title: 'Large',
      states: Array.from({ length: count }, (_, index) => ({
        id: `state.${index}`,
        title: 'S',
        tasks: [{ id: 't', description: 'T', deliverables: [{ key: `k${index}` }] }],
        transitions: [{ target_state_id: index + 1 < count ? `state.${index + 1}` : '__end__' }],
      })),
    });

  const states = scaled(10_000);

  test(`${states} states compile and run`, async () => {
    const { machine, diagnostics } = compile(large(states), { formats: [plan] });
    expect(diagnostics.map(({ code }) => code)).toEqual(['plan/shared-task-id']);
    const actor = createActor(
      providePorts(machine!, { reply: () => ({ text: 'So.' }), extract: () => ({ value: {} }) }),
    ).start();
    await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
    for (let index = 0; index < 5; index += 1)
      actor.send({ type: 'plan.update', deliverables: { [`k${index}`]: 'v' } });
    expect((actor.getSnapshot().context as PlanContext).state).toBe('state.5');
    actor.stop();
  });

  test(`the same mistake in each of ${states} states is reported once`, ({ skip }) => {
    skip(!runsAll);
    const definition = large(states).replaceAll(
      '"target_state_id":"state.',
      '"target_state_id":"stage.',
    );
    const { diagnostics } = check(definition, { formats: [plan] });
    const counted = (code: string) =>
      diagnostics.filter((diagnostic) => diagnostic.code === code).length;
    expect(counted('plan/unknown-target')).toBe(500);
    expect(counted('format/too-many-findings')).toBe(1);
  });
});
