import type { PortInput } from '@dramaturg/compiler';
import {
  callInput,
  callKey,
  quotedIn,
  replyInput,
  summaryBehaviour,
} from '@dramaturg/conversation';
import { end } from '../definition.ts';
import { extractionSchema } from './extraction.ts';
import { validate } from './checks.ts';
import { work } from './work.ts';
import { currentState, type PlanScope } from './meta.ts';
import { outlineOf } from './outline.ts';
import { extractPrompt, ofPeople, replyPrompt } from './prompt.ts';
import { askedQuestion, asks, directions, known, tools } from './questions.ts';

/** The inputs of the ports. An input is created when the call begins and is stored with it. */

function extract(scope: PlanScope): PortInput<'extract'> {
  const outline = outlineOf(scope.meta);
  const question = askedQuestion(scope);
  const prompt = extractPrompt(scope);
  return {
    ...callInput(scope.context, callKey(scope.context, 'extract')),
    ...quotedIn({ prompt }, ofPeople(scope)),
    prompt,
    schema: extractionSchema(scope),
    ...(outline ? { constantSchema: outline.schema } : {}),
    ...(question ? { asked: question } : {}),
  };
}

function reply(scope: PlanScope): PortInput<'reply'> {
  const outline = outlineOf(scope.meta);
  const prompt = replyPrompt(scope);
  return {
    ...replyInput(scope.context, callKey(scope.context, 'reply')),
    ...quotedIn({ prompt }, ofPeople(scope)),
    prompt,
    asks: scope.context.handOver === undefined ? asks(scope) : [],
    known: known(scope),
    directions: directions(scope),
    tools: tools(scope),
    ...(outline ? { constantTools: outline.tools } : {}),
    ...((scope.context.state === end || currentState(scope).terminal) && { ends: true }),
  };
}

export const inputs = { extract, reply, validate, work, ...summaryBehaviour.inputs };
