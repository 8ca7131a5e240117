import type { PortInput } from '@dramaturg/compiler';
import { callInput, callKey } from '@dramaturg/conversation';
import { extractionSchema } from './extraction.ts';
import { validate } from './checks.ts';
import { work } from './work.ts';
import type { PlanScope } from './meta.ts';
import { outlineOf } from './outline.ts';
import { extractPrompt, replyPrompt } from './prompt.ts';
import { lastQuestion, asks, directions, known, tools } from './questions.ts';

/** What the ports are asked. Everything is made when the call begins and stored with it. */

function extract(scope: PlanScope): PortInput<'extract'> {
  const outline = outlineOf(scope.meta);
  const { visit, early } = scope.context;
  // Nothing was asked for in a state in which the agent has not spoken yet.
  const question = visit.spoken && !early ? lastQuestion(scope) : undefined;
  return {
    ...callInput(scope.context, callKey(scope.context, 'extract')),
    prompt: extractPrompt(scope),
    schema: extractionSchema(scope),
    ...(outline ? { constantSchema: outline.schema } : {}),
    ...(question ? { asked: question } : {}),
  };
}

function reply(scope: PlanScope): PortInput<'reply'> {
  const outline = outlineOf(scope.meta);
  return {
    ...callInput(scope.context, callKey(scope.context, 'reply')),
    prompt: replyPrompt(scope),
    asks: scope.context.handOver === undefined ? asks(scope) : [],
    known: known(scope),
    directions: directions(scope),
    tools: tools(scope),
    ...(outline ? { constantTools: outline.tools } : {}),
  };
}

export const inputs = { extract, reply, validate, work };
