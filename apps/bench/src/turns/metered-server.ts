import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChatRequest,
  type ModelAnswer,
  modelServer,
  type ModelServer,
  PromptCache,
  usageFor,
} from '@dramaturg/langchain/testing';

/** What the requests of a conversation have cost. Four characters count as a token. */
export interface Cost {
  readonly requests: number;
  readonly inputTokens: number;
  /** Those that were not the beginning of an earlier request. */
  readonly newTokens: number;
  readonly outputTokens: number;
}

/** How long the model takes, in milliseconds: about a twentieth of what a hosted one takes. */
const [beforeFirstToken, perToken] = [20, 0.5];

const charactersOfToken = 4;

/** Starts a model on this machine that counts what it is asked and takes its time to answer. */
export async function meteredServer(
  answer: (request: ChatRequest) => ModelAnswer,
): Promise<{ readonly server: ModelServer; readonly cost: Cost }> {
  const cache = new PromptCache();
  const cost = { requests: 0, inputTokens: 0, newTokens: 0, outputTokens: 0 };
  const server = await modelServer(async (request) => {
    const given = answer(request);
    const { input, cached } = cache.count(request);
    const output = outputTokens(given);
    cost.requests += 1;
    cost.inputTokens += input;
    cost.newTokens += input - cached;
    cost.outputTokens += output;
    await sleep(beforeFirstToken + perToken * output);
    return { ...given, usage: { ...usageFor({ input, cached }), completion_tokens: output } };
  });
  return { server, cost };
}

function outputTokens({ text = '', toolCalls = [] }: ModelAnswer): number {
  const calls = toolCalls.length === 0 ? '' : JSON.stringify(toolCalls);
  return Math.ceil((text.length + calls.length) / charactersOfToken);
}
