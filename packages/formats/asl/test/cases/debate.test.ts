import type { Json, JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { type Agent, failure, only, outputOf, run } from '../run.ts';

function debate(...parts: JsonObject[]): JsonObject {
  return Object.assign(
    { Type: 'Debate', Agents: ['A', 'B', 'C'], Topic: 'tea', Rounds: 1 },
    ...parts,
  );
}

const speaks: Agent = () => ({ response: 'tea' });
const all = { A: speaks, B: speaks, C: speaks };

/** Speaks, and votes for this option. */
const votes =
  (vote: Json): Agent =>
  ({ prompt }: { prompt: string }) =>
    prompt.startsWith('Vote') ? { vote } : { response: 'so be it' };

test('in a simultaneous debate all agents of a round are called at once', async () => {
  let open = 0;
  let most = 0;
  const slow: Agent = async () => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return { response: 'at once' };
  };
  const workflow = only(debate({ Rounds: 2, Communication: { Style: 'simultaneous' } }));
  const { calls, output } = await run(workflow, { agents: { A: slow, B: slow, C: slow } });
  expect(most).toBe(3);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(6);
  expect(output).toMatchObject({ output: { rounds: 2, responses: Array(6).fill('at once') } });
});

test('an agent can pass, and the debate ends when all others have passed', async () => {
  const workflow = only(debate({ Rounds: 9, Communication: { Style: 'reactive' } }));
  const once: Agent = (_, { calls }) => (calls === 1 ? { response: 'once' } : { pass: true });
  const { calls, output } = await run(workflow, {
    agents: { A: once, B: () => ({ pass: true }), C: once },
  });
  expect(calls.map(({ agent }) => agent)).toEqual(['A', 'B', 'C', 'A', 'B']);
  expect(output).toMatchObject({
    output: { rounds: 2, history: [{ agent: 'A' }, { agent: 'C', round: 1 }] },
  });
});

test('a vote ends a debate early, and the result lists the dissent', async () => {
  const { output, events } = await run(
    only(debate({ Rounds: 3, Consensus: { Method: 'voting' } })),
    { agents: { A: votes('Tea'), B: votes('tea'), C: votes('coffee') } },
  );
  expect(output).toMatchObject({
    output: {
      rounds: 1,
      decision: 'Tea',
      consensus: true,
      votes: [{ agent: 'A', vote: 'Tea' }, { agent: 'B' }, { agent: 'C' }],
      dissent: [{ agent: 'C', position: 'coffee' }],
    },
  });
  expect(events.filter(({ type }) => type === 'debate.voted')).toHaveLength(3);
});

test('the tie breaker decides after the last round', async () => {
  const { calls, output } = await run(
    only(
      debate({
        Agents: ['A', 'B'],
        Consensus: { Method: 'voting', TieBreaker: 'J', MaxRoundsForConsensus: 2 },
      }),
    ),
    { agents: { A: votes('tea'), B: votes('coffee'), J: () => ({ decision: 'coffee' }) } },
  );
  expect(calls.map(({ agent }) => agent).join('')).toBe('ABABABABJ');
  expect(output).toMatchObject({
    output: { decision: 'coffee', consensus: false, dissent: [{ agent: 'A', position: 'tea' }] },
  });
});

test('a vote needs the required majority', async () => {
  const consensus = { Method: 'voting', RequiredMajority: 0.75 };
  const agents = { A: votes('tea'), B: votes('tea'), C: votes('coffee') };
  const output = await outputOf(only(debate({ Consensus: consensus })), { agents });
  expect(output).toMatchObject({ decision: null, consensus: false });
});

test('an arbiter with a threshold judges after every round until there is enough agreement', async () => {
  const arbiter: Agent = (_, { calls }) => ({
    decision: `draft ${calls}`,
    agreement: calls * 0.4,
    dissent: ['price'],
  });
  const { calls, output } = await run(
    only(
      debate({
        Agents: ['A', 'B', 'J'],
        Rounds: 5,
        Consensus: { Required: true, Arbiter: 'J', Threshold: 0.8 },
      }),
    ),
    { agents: { ...all, J: arbiter } },
  );
  expect(calls.map(({ agent }) => agent).join('')).toBe('ABJABJ');
  expect(output).toMatchObject({
    output: { rounds: 2, decision: 'draft 2', consensus: true, dissent: ['price'] },
  });
});

test('one failed agent ends a round, and the usage of the others counts', async () => {
  const workflow = only(debate({ Communication: { Style: 'simultaneous' } }));
  const { output } = await run(workflow, {
    agents: {
      A: () => ({ response: 'tea', _tokens: 5 }),
      B: () => Promise.reject(failure('Agent.ModelError', 'down')),
      C: () => new Promise<never>(() => {}),
    },
  });
  expect(output).toMatchObject({
    status: 'failed',
    error: 'Agent.ModelError',
    usage: { tokens: 5 },
  });
});

test('a retry of the Debate repeats the failed round', async () => {
  const workflow = only(
    debate({
      Communication: { Style: 'simultaneous' },
      Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 1 }],
    }),
  );
  const flaky: Agent = (_, { calls }) => {
    if (calls === 1) throw failure('Agent.ModelError');
    return { response: 'tea' };
  };
  const output = await outputOf(workflow, { agents: { ...all, B: flaky } });
  expect(output).toMatchObject({ rounds: 1, responses: ['tea', 'tea', 'tea'] });
});
