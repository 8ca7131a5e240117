import {
  compile,
  type EventObject,
  type Json,
  type JsonObject,
  type PortInput,
  type Ports,
  providePorts,
} from '@dramaturg/compiler';
import { changedByFailures } from '@dramaturg/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnyActor, createActor, waitFor } from 'xstate';
import { plan, type PlanContext } from '../src/index.ts';
import { edges, goal, loose, optional, planOf, state, strict, task, to, when } from './build.ts';
import { soundPlan } from './sound-plan.ts';
import { sampled, scaled } from '../../../../.config/scaled.ts';

/** Generous, so that a busy machine does not fail these tests. In milliseconds. */
const timeout = 300_000;

function machineOf(definition: JsonObject) {
  const { machine, diagnostics } = compile(JSON.stringify(definition), {
    formats: [plan],
    format: 'plan',
  });
  if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return machine;
}

const say = (text: string): EventObject => ({ type: 'message.received', text });

/** A number from 0 to 999 that depends only on the text. */
function chance(text: string): number {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return hash % 1_000;
}

/** Uses every message as the answer to the first question, so that a second extraction of it would show. */
function greedy({ schema, message = '' }: PortInput<'extract'>): { value: JsonObject } {
  const { deliverables } = schema['properties'] as Record<string, JsonObject>;
  const [key] = Object.keys((deliverables?.['properties'] ?? {}) as JsonObject);
  return { value: key === undefined ? {} : { deliverables: { [key]: message } } };
}

/** Three questions, one for each state. */
const threeQuestions = planOf(
  state('ask_name', loose(task('name', 'name')), edges(to('ask_city'))),
  state('ask_city', loose(task('city', 'city')), edges(to('ask_colour'))),
  state('ask_colour', loose(task('colour', 'colour'))),
);

describe('a turn that fails after its extraction', () => {
  const run = async (send: (actor: AnyActor) => void) => {
    let calls = 0;
    let isDown = true;
    const actor = createActor(
      providePorts(machineOf(threeQuestions), {
        reply: () => {
          calls += 1;
          if (calls === 2 && isDown) throw new Error('limit of calls');
          return { text: 'So.' };
        },
        extract: greedy,
      }),
    ).start();
    await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
    actor.send(say('Maria'));
    const failed = await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    expect([...failed.tags].toSorted()).toEqual(['failed', 'resting', 'waiting']);
    isDown = false;
    send(actor);
    const snapshot = await waitFor(actor, ({ tags }) => tags.has('waiting') && !tags.has('failed'));
    actor.stop();
    const { deliverables, state: at, inbox, turn } = snapshot.context as PlanContext;
    return {
      values: Object.fromEntries(
        Object.entries(deliverables).map(([key, { value }]) => [key, value]),
      ),
      at,
      inbox,
      turn,
    };
  };
  const once = { values: { name: 'Maria' }, at: 'ask_city', inbox: [], turn: 1 };

  test('uses the message for one question only when it is retried', async () => {
    expect(await run((actor) => actor.send({ type: 'turn.retry' }))).toEqual(once);
  });

  test('uses the message for one question only when the message is sent again', async () => {
    expect(await run((actor) => actor.send(say('Maria')))).toEqual(once);
  });

  test('is finished before another message is handled', async () => {
    expect(await run((actor) => actor.send(say('Berlin')))).toEqual({
      values: { name: 'Maria', city: 'Berlin' },
      at: 'ask_colour',
      inbox: [],
      turn: 2,
    });
  });
});

describe('while a turn has failed', () => {
  /** An actor whose calls of a port fail. */
  const failedIn = async (
    port: 'extract' | 'reply',
    definition: JsonObject,
    extract: Ports['extract'] = () => ({ value: {} }),
  ) => {
    const asked: string[] = [];
    let isDown = false;
    const answer = <Output>(name: string, output: Output) => {
      asked.push(name);
      if (isDown && name === port) throw new Error('no network');
      return output;
    };
    const actor = createActor(
      providePorts(machineOf(definition), {
        reply: () => answer('reply', { text: 'So.' }),
        extract: (question, call) => answer('extract', extract(question, call)),
      }),
    ).start();
    await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
    isDown = true;
    actor.send(say('Maria'));
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    asked.length = 0;
    return { actor, asked, mend: () => (isDown = false) };
  };

  test('an invalid message is refused, and no port is called', async () => {
    const { actor, asked } = await failedIn('reply', threeQuestions);
    const refused: unknown[] = [];
    actor.on('message.refused', (event) => refused.push(event));
    actor.send({ type: 'message.received', text: 7 });
    expect(refused).toHaveLength(1);
    expect([actor.getSnapshot().hasTag('failed'), asked]).toEqual([true, []]);
  });

  test('an update is recorded, and the reply is about the state after it', async () => {
    const { actor, mend } = await failedIn('reply', threeQuestions);
    actor.send({ type: 'plan.update', deliverables: { name: 'Ada' } });
    const { context, tags } = actor.getSnapshot();
    expect([(context as PlanContext).state, tags.has('failed')]).toEqual(['ask_city', true]);
    mend();
    const sent = new Promise((resolve) => actor.on('message.sent', resolve));
    actor.send({ type: 'turn.retry' });
    expect(await sent).toMatchObject({ state: 'ask_city' });
  });

  test.each(['extract', 'reply'] as const)(
    'an update that ends the plan ends the conversation, after a failed %s',
    async (port) => {
      const { actor } = await failedIn(port, planOf(state('only', loose(task('t', 'x')))));
      actor.send({ type: 'plan.update', deliverables: { x: '1' } });
      expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: { state: 'only' } });
    },
  );

  test('a failed last reply is still made after any update', async () => {
    const only = planOf(state('only', loose(task('t', 'x'))));
    const { actor, mend } = await failedIn('reply', only, greedy);
    expect((actor.getSnapshot().context as PlanContext).state).toBe('__end__');
    actor.send({ type: 'plan.update', deliverables: { x: 'Ada' } });
    expect(actor.getSnapshot().hasTag('failed')).toBe(true);
    mend();
    const sent = new Promise((resolve) => actor.on('message.sent', resolve));
    actor.send({ type: 'turn.retry' });
    expect(await sent).toMatchObject({ text: 'So.' });
    expect((await waitFor(actor, ({ status }) => status === 'done')).output).toMatchObject({
      outcome: 'completed',
    });
  });

  test('it can be cancelled', async () => {
    const { actor } = await failedIn('extract', threeQuestions);
    actor.send({ type: 'cancel' });
    expect(actor.getSnapshot()).toMatchObject({
      status: 'done',
      output: { outcome: 'cancelled' },
    });
  });
});

test('turn.retry changes nothing unless a turn has failed', async () => {
  const actor = createActor(
    providePorts(machineOf(threeQuestions), { reply: () => ({ text: 'So.' }), extract: greedy }),
  ).start();
  const replying = actor.getSnapshot();
  actor.send({ type: 'turn.retry' });
  expect(actor.getSnapshot().value).toEqual(replying.value);
  const before = await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
  actor.send({ type: 'turn.retry' });
  expect(actor.getSnapshot()).toBe(before);
  actor.stop();
});

const farewell = {
  ...planOf(
    state('hello', loose(task('greet')), edges(to('facts'))),
    state(
      'facts',
      strict(task('one', 'a'), optional(task('two', 'b')), task('three', 'c')),
      edges(to('aim')),
    ),
    state(
      'aim',
      goal([{ key: 'd' }]),
      edges(when('end', 'goal_achieved'), when('end', 'turn_count_exceeded', { turns: 2 })),
    ),
    state('end', loose(optional(task('bye')))),
  ),
  metadata: { farewell_message: 'Farewell.' },
};

describe('a failed call does not change the conversation', () => {
  const steps: EventObject[] = [
    say('Hello'),
    say('Maria'),
    { type: 'plan.update', deliverables: { y: 'yes' }, complete: ['t0'] },
    say('from Lisbon'),
    say('green'),
    say('no more'),
    { type: 'plan.update', skipState: true },
    say('bye'),
  ];

  const heldWith = (definition: JsonObject, seed: string) =>
    changedByFailures({
      machine: machineOf(definition),
      steps,
      answer: (port, asked) => answerOf(seed, port, asked as never) as never,
    });

  test('with an extractor that uses every message as the answer', { timeout }, async () => {
    for (const mode of ['always_on', 'on_demand'])
      expect(await heldWith({ ...threeQuestions, agent_spawn_mode: mode }, 'greedy')).toEqual([]);
  });

  test('in a strict state, a goal state and a farewell', { timeout }, async () => {
    for (const seed of sampled(['greedy', 'one', 'two', 'three']))
      expect(await heldWith(farewell, seed)).toEqual([]);
  });

  test('in any plan', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(soundPlan, fc.string(), async (definition, seed) => {
        expect(await heldWith(definition as unknown as JsonObject, seed)).toEqual([]);
      }),
      { numRuns: scaled(10) },
    );
  });
});

/** Answers of a model. The same question always gets the same answer. */
function answerOf(
  seed: string,
  port: string,
  asked: PortInput<'extract'> | PortInput<'reply'>,
): unknown {
  if (!('schema' in asked)) {
    const done = asked.directions.flatMap((direction) => direction.done ?? []);
    return { text: `So. ${chance(seed + asked.key)}`, toolCalls: done };
  }
  if (seed === 'greedy') return greedy(asked);
  const { properties = {} } = asked.schema as { properties?: Record<string, JsonObject> };
  const keys = Object.keys((properties['deliverables']?.['properties'] ?? {}) as JsonObject);
  const found = keys.filter((key) => chance(seed + asked.key + key) < 500);
  const value = (key: string): Json => (chance(key + seed) < 300 ? 'yes' : (asked.message ?? ''));
  return {
    value: {
      deliverables: Object.fromEntries(found.map((key) => [key, value(key)])),
      ...(chance(`${seed}skip${asked.key}`) < 200 ? { skip_state: true } : {}),
      ...(chance(`${seed}goal${asked.key}`) < 200 ? { goal_achieved: true } : {}),
    },
  };
}
