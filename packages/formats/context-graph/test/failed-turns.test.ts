import {
  compile,
  type EventObject,
  type JsonObject,
  PortError,
  type PortInput,
  providePorts,
} from '@dramaturg/compiler';
import { toMermaid } from '@dramaturg/compiler/chart';
import { changedByFailures } from '@dramaturg/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { contextGraph, type GraphContext } from '../src/index.ts';
import { action, exit, graphOf, recall, sideEffect, tool, toolCall } from './build.ts';
import { all, child as intake, childWithSpelling, med, parent, spell } from './graphs.ts';
import { child, soundGraph } from './sound-graph.ts';
import { runsAll, sampled, scaled } from '../../../../.config/scaled.ts';

/** Generous, so that a busy machine does not fail these tests. In milliseconds. */
const timeout = 300_000;

function compiledOf(definition: JsonObject, options: JsonObject = {}) {
  return compile(JSON.stringify(definition), {
    formats: [contextGraph],
    format: 'context-graph',
    options,
  });
}

function machineOf(definition: JsonObject, options: JsonObject = {}) {
  const { machine, diagnostics } = compiledOf(definition, options);
  if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return machine;
}

const say = (text: string): EventObject => ({ type: 'message.received', text });

describe('while a turn has failed', () => {
  test('the conversation does not change, and nothing is committed', async () => {
    let isDown = true;
    const actor = createActor(
      providePorts(machineOf(med), {
        recall: () => ({ memories: [{ text: 'Takes nitrates.' }] }),
        choose: ({ key }) => {
          if (key.includes('check_chest_pain')) return { option: 'E2' };
          return { option: key.includes('/decide/') ? 'E1' : 'A1' };
        },
        think: () => ({ text: 'Hm.' }),
        reply: () => {
          if (isDown) throw new Error('no network');
          return { text: 'So.' };
        },
      }),
      { input: { opening: 'person' } },
    ).start();
    const before = actor.getSnapshot().context as GraphContext;
    actor.send(say('It hurts'));
    const failed = await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    const { state, knowledge, messages, message, traversal } = failed.context as GraphContext;
    expect({ state, knowledge }).toEqual({ state: before.state, knowledge: before.knowledge });
    expect([messages, message]).toEqual([before.messages + 1, 'It hurts']);
    expect(traversal?.transitions).toHaveLength(3);
    isDown = false;
    const completed = new Promise((resolve) => actor.on('traversal.completed', resolve));
    actor.send({ type: 'turn.retry' });
    expect(await completed).toMatchObject({
      trace:
        '[A] check_chest_pain -> [R] reflect_on_session_data -> [D] determine_exercise_clearance -> [A] summarize_recommendations_approved !A1',
    });
    actor.stop();
  });

  test('a tool that a limit refused is called later; the failure of a tool is its result', async () => {
    const graph = graphOf(
      action('ask', ['Ask'], [exit('look')]),
      toolCall('look', 'tell'),
      action('tell', ['Tell', 'Ask back'], [exit('end')]),
      action('end', ['Say goodbye']),
    );
    const run = async (error: Error) => {
      let tries = 0;
      const actor = createActor(
        providePorts(machineOf(graph), {
          recall: () => ({ memories: [] }),
          choose: ({ key }) => ({ option: key.includes('/ask/') ? 'E1' : 'A1' }),
          extract: () => ({ value: { arguments: {} } }),
          callTool: () => {
            tries += 1;
            if (tries === 1) throw error;
            return { result: 'found' };
          },
          reply: () => ({ text: 'So.' }),
        }),
        { input: { opening: 'person' } },
      ).start();
      actor.send(say('so'));
      const { tags } = await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
      actor.send({ type: 'turn.retry' });
      const snapshot = await waitFor(
        actor,
        (each) => each.hasTag('waiting') && !each.hasTag('failed'),
      );
      actor.stop();
      const { results } = (snapshot.context as GraphContext).knowledge;
      return { failed: tags.has('failed'), tries, results: results.map(({ text }) => text) };
    };
    const limit = new PortError('port/limit-reached', 'callTool', 'The limit of calls is reached.');
    expect(await run(limit)).toEqual({ failed: true, tries: 2, results: ['found'] });
    expect(await run(new Error('out of order'))).toEqual({
      failed: false,
      tries: 1,
      results: ['The tool failed: The port "callTool" failed: out of order'],
    });
  });

  test('turn.retry changes nothing unless a turn has failed', async () => {
    const actor = createActor(machineOf(all), { input: { opening: 'person' } }).start();
    const before = actor.getSnapshot();
    actor.send({ type: 'turn.retry' });
    expect(actor.getSnapshot()).toBe(before);
    actor.stop();
  });
});

test('a drawing does not show the ways back to each action state', () => {
  const { chart } = compiledOf(all);
  expect(JSON.stringify(chart)).toContain('flow:back');
  expect(toMermaid(chart!, { detail: 'full' })).not.toMatch(/"back"|_back\b/);
});

describe('a failed call does not change the conversation', () => {
  const steps = ['Hello', 'It is broken', 'Yes', 'No', 'Red', 'Bye'].map(say);

  const heldWith = (
    definition: JsonObject,
    seed: string,
    options: JsonObject,
    input: JsonObject = {},
  ) => {
    const { machine } = compiledOf(definition, options);
    if (!machine) return undefined;
    return changedByFailures({
      machine,
      input,
      steps,
      answer: (port, asked) => answerOf(seed, port, asked as never) as never,
      // The failure of a tool is its result, unless the option lets it fail the turn.
      takesFailure: (port) => port === 'callTool' && options['onToolError'] !== 'abort-turn',
    });
  };

  const email = {
    ...graphOf(
      action('ask', ['Ask', 'Wait'], [exit('look'), exit('find')]),
      toolCall('look', 'mail', 'persisted-preferred', { tool_call_specs: [tool('ephemeral')] }),
      recall('find', 'mail', { requested_information: 'What is known' }),
      sideEffect('mail', 'tell', { type: 'send-email', subject: 'Hi', recipients: ['a@b.c'] }),
      action('tell', ['Tell', 'Ask back'], [exit('ask'), exit('end')], {
        action_tool_call_specs: [tool('persisted-preferred')],
      }),
      action('end', ['Say goodbye']),
    ),
  };

  test.each(sampled(['a', 'b']))(
    'in the graphs of the cases, seed %s',
    { timeout },
    async (seed) => {
      const abort = { onToolError: 'abort-turn' };
      const graphs = { intake: childWithSpelling, spell };
      const cases = [
        [all, abort],
        [med, {}],
        [email, abort],
        [email, {}],
        [parent(), { graphs: { intake } }],
        [parent(), { graphs, childTerminal: 'speak' }],
      ] as const;
      for (const [definition, options] of runsAll ? cases : cases.slice(0, 1)) {
        const input = { opening: seed === 'a' ? 'agent' : 'person' };
        expect(await heldWith(definition, seed, options, input)).toEqual([]);
      }
    },
  );

  test('in any graph', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(
        soundGraph,
        fc.string(),
        fc.record({
          maxTransitionsPerTurn: fc.integer({ min: 2, max: 8 }),
          onLimit: fc.constantFrom('fallback', 'error'),
          onNoExit: fc.constantFrom('fallback', 'last-exit', 'error'),
          onToolError: fc.constantFrom('continue', 'abort-turn'),
        }),
        async (definition, seed, options) => {
          const changed = await heldWith(definition, seed, { graphs: { child }, ...options });
          fc.pre(changed !== undefined);
          expect(changed).toEqual([]);
        },
      ),
      { numRuns: scaled(8) },
    );
  });
});

/** A number from 0 to 999 that depends only on the text. */
function chance(text: string): number {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return hash % 1_000;
}

/** Answers of a model, a memory or a tool. The same question always gets the same answer. */
function answerOf(
  seed: string,
  port: string,
  asked: PortInput<'choose'> | PortInput<'reply'>,
): unknown {
  const number = chance(seed + asked.key);
  const [offered] = asked.tools ?? [];
  const toolCalls =
    offered && number % 3 === 0
      ? [1, 2].map((count) => ({ name: offered.name, arguments: { count } }))
      : [];
  switch (port) {
    case 'choose': {
      const { options } = asked as PortInput<'choose'>;
      // Sometimes not an option, so that the model is asked again.
      const option = number < 150 ? 'nowhere' : options[number % options.length]!.id;
      return { option, toolCalls };
    }
    case 'extract':
      return { value: { arguments: { number }, queries: [`q${number}`] }, toolCalls };
    case 'recall':
      return { memories: [{ text: `Memory ${number}` }] };
    case 'callTool':
      // Sometimes longer than the limit for persisted results: then the turn is void.
      return { result: number < 100 ? 'x'.repeat(6_000) : `Result ${number}` };
    default:
      return { text: `So. ${number}`, toolCalls };
  }
}
