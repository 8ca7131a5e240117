import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import type { ChatRequest, ModelAnswer } from '@dramaturg/langchain/testing';
import { Script } from '../prompts/script.ts';
import { checkInInLangGraph } from './langgraph-check-in.ts';
import { npcInLangGraph } from './langgraph-npc.ts';
import { planInLangGraph } from './langgraph-plan.ts';
import { type Cost, meteredServer } from './metered-server.ts';

/** Programs in LangGraph of the definitions that are measured, by their names. */
const programs = {
  plan: planInLangGraph,
  NPC: npcInLangGraph,
  'context graph': checkInInLangGraph,
};

export type ProgramName = keyof typeof programs;

/**
 * Plays a conversation with a program in LangGraph. Its model says what ours says, and moves on with the same messages.
 *
 * @returns what it has cost, and the last state of the thread
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
