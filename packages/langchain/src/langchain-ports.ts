import type { Ports } from '@dramaturg/compiler';
import type { PortWishes } from '@dramaturg/compiler/machine';
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
import { Judge } from './written/judge.ts';
import { ReplyStore } from './written/reply-store.ts';

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
