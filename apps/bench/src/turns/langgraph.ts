import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChatRequest,
  type ModelAnswer,
  modelServer,
  type ModelServer,
  PromptCache,
  usageFor,
} from '@dramaturg/langchain/testing';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { Script } from '../prompts/script.ts';
import { checkInInLangGraph } from './langgraph-check-in.ts';
import { npcInLangGraph } from './langgraph-npc.ts';
import { planInLangGraph } from './langgraph-plan.ts';

/** The measured definitions as LangGraph programs, by name. */
const programs = {
  plan: planInLangGraph,
  NPC: npcInLangGraph,
  'context graph': checkInInLangGraph,
};

export type ProgramName = keyof typeof programs;

/**
 * Plays a conversation with a program in LangGraph. Its model gives the same answers as ours, and moves on with the same
 * messages.
 *
 * @returns its cost, and the last state of the thread
 */
export async function playInLangGraph(
  name: ProgramName,
  turns: number,
  pace: number,
): Promise<{ readonly cost: Cost; readonly state: Readonly<Record<string, unknown>> }> {
  const script = new Script(pace);
  const { server, cost } = await meteredServer((request) => answerTo(request, script));
  const program = programs[name](
    new ChatOpenAI({
      model: 'measured',
      apiKey: 'key-of-the-test-server',
      configuration: { baseURL: server.baseUrl },
      maxRetries: 0,
    }),
  );
  const config = { configurable: { thread_id: 'measured' } };
  await program.invoke({ messages: [] }, config);
  for (let turn = 1; turn <= turns; turn += 1)
    await program.invoke({ messages: [new HumanMessage(script.personSays(turn))] }, config);
  const { values } = await program.getState(config);
  await server[Symbol.asyncDispose]();
  return { cost, state: values as Readonly<Record<string, unknown>> };
}

function answerTo({ response_format: form, messages }: ChatRequest, script: Script): ModelAnswer {
  const last = messages.at(-1)?.content ?? '';
  const json = (value: object) => ({ text: JSON.stringify(value) });
  switch (form?.json_schema?.name) {
    case 'extraction': {
      const [, wanted] = /Missing: (\w+)/.exec(last) ?? [];
      if (!script.moves || wanted === undefined) return json({});
      return json({ [wanted]: wanted === 'issue_type' ? 'billing' : 'since Monday evening' });
    }
    case 'verdict':
      return json({ verdict: script.moves ? 'pass' : 'redirect', reason: 'So it seems.' });
    case 'choice': {
      const [, listed = ''] = /Options: (.*)\)/.exec(last) ?? [];
      const [stays, moves] = listed.split(', ');
      const choice = script.moves && stays === 'stay' ? moves : stays;
      return json({ choice, reason: 'So it seems.' });
    }
    default:
      return last.endsWith('(Think.)') ? script.think() : script.reply({ directions: [] });
  }
}

/** The cost of the requests of a conversation. Four characters count as a token. */
export interface Cost {
  readonly requests: number;
  readonly inputTokens: number;
  /** Tokens that are not in a shared prefix with an earlier request. */
  readonly newTokens: number;
  readonly outputTokens: number;
}

/** The latency of the model, in milliseconds: about a twentieth of that of a hosted one. */
const [beforeFirstToken, perToken] = [20, 0.5];

const charactersOfToken = 4;

/** Starts a model on this machine that counts its requests and answers with latency. */
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
