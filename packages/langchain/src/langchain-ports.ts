import type { Ports } from '@dramaturg/compiler';
import { runAgentPort } from './agents/run-agent.ts';
import { ClosedAnswers } from './answer/closed-answers.ts';
import { recallPort } from './memory/recall.ts';
import { Model } from './model/model.ts';
import type { LangchainOptions } from './options.ts';
import { choosePort } from './ports/choose.ts';
import { extractPort } from './ports/extract.ts';
import { replyPort } from './ports/reply.ts';
import { thinkPort } from './ports/think.ts';
import { Composer } from './prompt/composer.ts';
import { callToolPort } from './tools/call-tool.ts';

export type LangchainPorts = Pick<
  Ports,
  'reply' | 'choose' | 'extract' | 'think' | 'recall' | 'callTool' | 'runAgent'
>;

/**
 * Answers the calls of machines with a LangChain chat model, tools, agents and a memory. LangChain is loaded at the first
 * call that needs it.
 */
export function langchainPorts(options: LangchainOptions): LangchainPorts {
  const model = new Model(options);
  const closedAnswers = new ClosedAnswers(model);
  const composer = new Composer(options);
  const ports = {
    reply: replyPort(model, composer),
    choose: choosePort(closedAnswers, composer),
    extract: extractPort(closedAnswers, composer),
    think: thinkPort(model, composer),
    recall: recallPort(options),
    callTool: callToolPort(options),
  };
  return { ...ports, runAgent: runAgentPort(options, model, ports) };
}
