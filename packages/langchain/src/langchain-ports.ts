import type { Port, Ports } from '@dramaturg/compiler';
import type { PortWishes } from '@dramaturg/compiler/machine';
import { callToolPort as plainPort } from '@dramaturg/host/tools';
import { runAgentPort } from './agents/run-agent.ts';
import { ClosedAnswers, ToolAnswers } from './answer/closed-answers.ts';
import { OfferedTools } from './answer/tool-calls.ts';
import { recallPort } from './memory/recall.ts';
import { paidPort } from './model/asking.ts';
import { unusableAnswer } from './model/model-errors.ts';
import { Model } from './model/model.ts';
import type { LangchainOptions } from './options.ts';
import { choosePort } from './ports/choose.ts';
import { extractPort } from './ports/extract.ts';
import { replyPort } from './ports/reply.ts';
import { Composer } from './prompt/composer.ts';
import { plainTools } from './tools/plain-tools.ts';
import { Judge, ReplyStore } from './written/judge.ts';

export type LangchainPorts = Pick<
  Ports,
  'reply' | 'choose' | 'extract' | 'think' | 'recall' | 'callTool' | 'runAgent'
> &
  PortWishes;

/**
 * Answers the calls of machines with a LangChain chat model, tools, agents and a memory. LangChain is loaded at the first
 * call that needs it.
 */
export function langchainPorts(options: LangchainOptions): LangchainPorts {
  const model = new Model(options);
  const composer = new Composer(options);
  const replies = options.combineReplies === true ? new ReplyStore() : undefined;
  const judge = new Judge(new ClosedAnswers(model), composer, replies);
  const ports = {
    reply: replyPort(model, composer, replies),
    choose: choosePort(judge),
    extract: extractPort(judge),
    think: thinkPort(model, composer),
    recall: recallPort(options),
    callTool: callToolPort(options),
  };
  const runAgent = runAgentPort(options, model, ports);
  return { ...ports, runAgent, ...(replies && { wantsNextReplies: true }) };
}

/** Runs tools of LangChain and plain functions. */
function callToolPort({
  tools,
  toolLimits = {},
}: Pick<LangchainOptions, 'tools' | 'toolLimits'>): Port<'callTool'> {
  let port: Promise<Port<'callTool'>> | undefined;
  const load = async () => plainPort({ tools: await plainTools(tools), toolLimits });
  return async (input, call) => (await (port ??= load()))(input, call);
}

/** Writes a text that only the chart sees. */
function thinkPort(model: Model, composer: Composer): Port<'think'> {
  const toolAsking = new ToolAnswers(model);
  return paidPort('think', async (input, asking) => {
    const offered = new OfferedTools(input.tools ?? []);
    const messages = await composer.judging(input, asking.call, {
      form: '# The answer\nWrite the result as plain text. The person does not see it.',
      now: [],
    });
    const completion = await toolAsking.ask('ask', messages, offered, asking);
    const toolCalls = offered.closedCalls(completion.toolCalls);
    if (completion.text.trim() === '' && toolCalls.length === 0)
      throw unusableAnswer(model.contextOf(asking), 'it is empty');
    return { text: completion.text.trim(), toolCalls };
  });
}
