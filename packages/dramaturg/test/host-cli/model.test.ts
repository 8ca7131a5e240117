import { type ModelAnswer, modelServer } from '@dramaturg/langchain/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { dramaturg } from '../command.ts';
import { newStore, serve, until } from './processes.ts';

/** Serves a store with a model that answers in one way. */
async function served(answer: ModelAnswer): Promise<string> {
  const server = await modelServer(() => answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const store = await newStore();
  const model = ['--model', 'openai:test-model', '--base-url', server.baseUrl];
  await serve(store, '--definition', 'customer-intake.plan.json', ...model);
  await dramaturg(['start', store, 'customer-intake', '--id', 'a', '--contact', 'ada']);
  return store;
}

test('while a model is down, ps says that its calls are made again, and why', async ({ skip }) => {
  skip(!runsAll);
  const store = await served({ status: 503 });
  const ps = () => dramaturg(['ps', store]);
  await until(async () => (await ps()).stdout.includes('is made again'));
  expect((await ps()).stdout).toMatch(
    /\n✗ a: a call has failed and is made again (in \d+ s|now) \(attempt 2\)\. For the model "openai:test-model", the server at \S+ failed with status 503: try again later\.\n$/,
  );
  const { retries } = JSON.parse((await dramaturg(['ps', store, '--json'])).stdout) as {
    retries: unknown[];
  };
  expect(retries).toMatchObject([{ id: 'a', attempt: 2, at: expect.any(Number) }]);
});

test('a key that the provider does not accept needs a person at once', async () => {
  const store = await served({ status: 401 });
  const show = () => dramaturg(['show', store, 'a']);
  await until(async () => (await show()).stdout.includes('NEEDS_HUMAN_INTERVENTION'));
  expect((await show()).stdout).toContain('does not accept the key');
});

test('what was read from a cache is counted, and shown through the host', async () => {
  const usage = { prompt_tokens: 1_000, prompt_tokens_details: { cached_tokens: 900 } };
  const store = await served({ text: 'What may I call you?', usage });
  const show = () => dramaturg(['show', store, 'a']);
  await until(async () => (await show()).stdout.includes('from a cache'));
  expect((await show()).stdout).toMatch(/1,000 tokens in \(900 from a cache\)/);
  const { used } = JSON.parse((await dramaturg(['show', store, 'a', '--json'])).stdout) as {
    used: { cachedInputTokens: number };
  };
  expect(used.cachedInputTokens).toBe(900);
});
