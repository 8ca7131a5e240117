import { compile, type JsonObject, providePorts } from '@dramaturg/compiler';
import fc from 'fast-check';
import { type AnyActor, createActor, waitFor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { npc, type NpcContext, type NpcEmitted, type Scenario } from '../src/index.ts';
import { soundScenario } from './sound-scenario.ts';
import { runsAll, scaled } from '../../../../.config/scaled.ts';

/** Names that JavaScript, XState or this format reserve, and ordinary ones. */
const oddName = fc.constantFrom(
  'a',
  'b',
  'a.b',
  '#a',
  '#',
  '.',
  ' ',
  '1',
  '007',
  '__proto__',
  'constructor',
  'toString',
  'follow_up',
  'conversing',
  'closed',
  'a/b',
  '%2E',
  '{{a}}',
  'pass:a',
  '🙂',
  'region:scene',
  'state:a',
);
const odd = fc.oneof(oddName, fc.string(), fc.jsonValue());

const anyState = fc.record(
  {
    state_key: oddName,
    label: odd,
    prompt_instruction: odd,
    is_initial_state: fc.constantFrom(true, false, 'yes'),
    is_terminal_state: fc.boolean(),
    display_order: fc.constantFrom(0, 0.5, 'first'),
    evaluation_criteria: fc.oneof(odd, fc.dictionary(oddName, odd, { maxKeys: 3 })),
    terminal_outcome: fc.constantFrom('ACCEPT', 'reject', 'MAYBE', null),
    redirect_limit: fc.constantFrom(null, 0, 3, -1, 1.5, 'many'),
  },
  { requiredKeys: ['state_key'] },
);

const anyRow = fc.record(
  {
    from_state_key: oddName,
    to_state_key: oddName,
    decision_type: fc.constantFrom('pass', 'redirect', 'reject', 'kick_out', 'follow_up', 7),
    score_delta: fc.constantFrom(0, 3, -5, 1e308, 0.5),
    priority: fc.constantFrom(0, 1, -1, 'high'),
    condition: odd,
  },
  { requiredKeys: ['from_state_key', 'to_state_key'] },
);

const anyScenario = fc.record(
  {
    machine_key: oddName,
    scoring_mode: fc.constantFrom('scoring', 'Pass/Fail', 'points', null),
    pass_threshold: fc.constantFrom(3, -9, 0.5),
    early_fail_bound: fc.constantFrom(-3, 0, 'low'),
    follow_up_limit: fc.constantFrom(0, 2, -1),
    output_variables: fc.oneof(odd, fc.array(fc.record({ key: oddName, extraction_prompt: odd }))),
    states: fc.oneof(fc.array(anyState, { maxLength: 5 }), odd),
    transitions: fc.array(anyRow, { maxLength: 6 }),
  },
  { requiredKeys: ['states'] },
);

const anyNpc = fc.oneof(
  fc.record(
    {
      persona: fc.oneof(fc.record({ name: odd, persona_identity_prompt: odd }), odd),
      machines: fc.array(anyScenario, { maxLength: 3 }),
      variables: fc.oneof(odd, fc.array(fc.record({ key: oddName, value: odd }))),
      machine_links: fc.array(
        fc.record({
          source_machine_key: oddName,
          target_machine_key: oddName,
          condition_type: fc.constantFrom('outcome', 'score_gte', 'always', 'never'),
          condition_value: fc.constantFrom('ACCEPT', 3, null, 'three'),
          is_auto_advance: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: ['machines'] },
  ),
  anyScenario,
  fc.array(anyState, { maxLength: 4 }),
  fc.jsonValue(),
);

describe('whatever the definition', () => {
  test('compile never throws', () => {
    fc.assert(
      fc.property(anyNpc, (definition) => {
        const { chart, diagnostics } = compile(JSON.stringify(definition), {
          formats: [npc],
          format: 'npc',
        });
        const failed = diagnostics.some(({ severity }) => severity === 'error');
        expect(chart === undefined).toBe(failed);
      }),
      { numRuns: scaled(1_500) },
    );
  });
});

/** Possible answers of an evaluator: verdicts, rows of any state, nonsense, or nothing. */
const answer = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('pass', 'redirect', 'reject', 'kick_out', 'follow_up') },
  fc.constantFrom(
    'pass:won',
    'pass:#1',
    'reject:s.0',
    'pass:__human__',
    'pass:__restart__',
    'PASS',
    '',
    '__proto__',
    'constructor',
  ),
  fc.constantFrom(new Error('no network'), { option: 7 }, null),
);

const step = fc.oneof(
  { weight: 10, arbitrary: fc.constant({ type: 'message.received', text: 'Hm.' }) },
  fc.constantFrom<{ type: string; [field: string]: unknown }>(
    { type: 'message.received', text: ' ' },
    { type: 'message.received' },
    { type: 'scenario.start' },
    { type: 'scenario.start', machine_key: 'nowhere' },
  ),
);

/** The calls and emitted events between two messages of the player. */
interface Turn {
  evaluations: number;
  options: readonly string[];
  readonly events: NpcEmitted[];
}

describe('whatever the evaluator answers', () => {
  test('each message is judged once, moves once, is answered once, and no limit is exceeded', async () => {
    await fc.assert(
      fc.asyncProperty(
        soundScenario,
        fc.array(step, { maxLength: 16 }),
        fc.array(answer, { minLength: 1, maxLength: 12 }),
        async (scenario, steps, answers) => {
          const { machine, definition, diagnostics } = compile(JSON.stringify(scenario), {
            formats: [npc],
            format: 'npc',
          });
          expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
          const [compiled] = (definition as { scenarios: Scenario[] }).scenarios;
          let turn: Turn = { evaluations: 0, options: [], events: [] };
          let asked = 0;
          const provided = providePorts(machine!, {
            reply: () => ({ text: 'So.' }),
            choose: ({ options }) => {
              turn.evaluations += 1;
              turn.options = options.map(({ id }) => id);
              const given = answers[asked++ % answers.length];
              if (given instanceof Error) throw given;
              return (typeof given === 'string' ? { option: given } : given) as { option: string };
            },
          });
          const actor = createActor(provided);
          actor.on('*', (event) => turn.events.push(event as NpcEmitted));
          actor.start();
          await rest(actor);
          for (const event of steps) {
            if (actor.getSnapshot().status !== 'active') break;
            const before = actor.getSnapshot().context as NpcContext;
            turn = { evaluations: 0, options: [], events: [] };
            actor.send(event);
            await rest(actor);
            checkTurn(turn, event, before, actor, compiled!);
          }
          const snapshot = actor.getSnapshot();
          expect(['active', 'done']).toContain(snapshot.status);
          const stored = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as never;
          actor.stop();
          const restored = createActor(provided, { snapshot: stored }).start();
          expect(JSON.parse(JSON.stringify(restored.getPersistedSnapshot()))).toEqual(stored);
          restored.stop();
        },
      ),
      { numRuns: scaled(400) },
    );
  });
});

async function rest(actor: AnyActor): Promise<void> {
  await waitFor(actor, ({ status, tags }) => status !== 'active' || tags.has('waiting'));
}

function checkTurn(
  turn: Turn,
  event: { readonly type: string; readonly [field: string]: unknown },
  before: NpcContext,
  actor: AnyActor,
  scenario: Scenario,
): void {
  const after = actor.getSnapshot().context as NpcContext;
  const count = (type: string) => turn.events.filter((one) => one.type === type).length;
  const isMessage = event.type === 'message.received' && event['text'] === 'Hm.';
  const restarts = event.type === 'scenario.start' && event['machine_key'] === undefined;

  // A second answer is requested only if the first was not an offered option.
  expect(turn.evaluations).toBeLessThanOrEqual(isMessage ? 2 : 0);
  expect(count('verdict.reached')).toBeLessThanOrEqual(isMessage ? 1 : 0);
  expect(count('state.entered')).toBeLessThanOrEqual(isMessage || restarts ? 1 : 0);
  expect(count('score.changed')).toBeLessThanOrEqual(1);
  expect(count('message.sent')).toBe(isMessage ? count('verdict.reached') : Number(restarts));
  expect(count('verdict.reached') + count('turn.failed')).toBe(Number(isMessage));

  const state = scenario.states.find(({ state_key }) => state_key === after.state)!;
  expect(after.redirects).toBeLessThanOrEqual(state.redirect_limit ?? 0);
  expect(after.probes).toBeLessThanOrEqual(state.follow_up_limit);
  const mayProbe = before.probes < scenario.follow_up_limit;
  expect(turn.options.includes('follow_up') && !mayProbe).toBe(false);
  const isScored = scenario.scoring_mode === 'scoring';
  expect(after.score !== 0 && !isScored).toBe(false);
  const hasFailed = isScored && after.score <= scenario.early_fail_bound;
  expect(hasFailed && after.outcome === null).toBe(false);
  expect(after.outcome !== null).toBe(actor.getSnapshot().status === 'done');
  expect(after.inbox).toEqual([]);
  expect(JSON.stringify(after).length).toBeLessThan(3_000);
}

describe('large scenarios', () => {
  const large = (count: number, mistake = '') =>
    JSON.stringify({
      persona: { name: 'N', persona_identity_prompt: 'P' },
      machine_key: 'm',
      scoring_mode: 'pass_fail',
      states: Array.from({ length: count }, (_, index) => ({
        state_key: `state.${index}`,
        is_initial_state: index === 0,
        is_terminal_state: index === count - 1,
      })),
      transitions: Array.from({ length: count - 1 }, (_, index) => ({
        from_state_key: `state.${index}`,
        to_state_key: `state.${index + 1}${mistake}`,
        decision_type: 'pass',
      })),
    });

  test('5,000 states compile and run', async ({ skip }) => {
    skip(!runsAll);
    const { machine, diagnostics } = compile(large(5_000), { formats: [npc] });
    expect(diagnostics).toEqual([]);
    const actor = createActor(
      providePorts(machine!, {
        reply: () => ({ text: 'So.' }),
        choose: () => ({ option: 'pass' }),
      }),
    ).start();
    for (let index = 0; index < 5; index += 1) {
      await rest(actor);
      actor.send({ type: 'message.received', text: 'Hm.' });
    }
    await rest(actor);
    expect((actor.getSnapshot().context as NpcContext).state).toBe('state.5');
    actor.stop();
  });

  test('the snapshot is as small after 300 messages as after 3', async () => {
    const scenario: JsonObject = {
      machine_key: 'm',
      redirect_limit: null,
      follow_up_limit: 1_000,
      states: [
        {
          state_key: 'a',
          is_initial_state: true,
          evaluation_criteria: { follow_up: 'Unclear.' },
        },
        { state_key: 'b', is_terminal_state: true },
      ],
      transitions: [{ from_state_key: 'a', to_state_key: 'b', decision_type: 'pass' }],
    };
    const { machine } = compile(JSON.stringify(scenario), { formats: [npc] });
    for (const verdict of ['redirect', 'follow_up']) {
      const actor = createActor(
        providePorts(machine!, {
          reply: () => ({ text: 'So.' }),
          choose: () => ({ option: verdict }),
        }),
      ).start();
      const sizes: number[] = [];
      for (let index = 0; index < 300; index += 1) {
        await rest(actor);
        sizes.push(JSON.stringify(actor.getPersistedSnapshot()).length);
        actor.send({ type: 'message.received', text: 'Hm.' });
      }
      // Only counters have more digits.
      expect(sizes.at(-1)! - sizes[20]!).toBeLessThan(20);
      actor.stop();
    }
  });
});
