import type { PortInput } from '@dramaturg/compiler';
import type { PlanContext } from '../context.ts';
import type { PlanScope } from './meta.ts';
import { extractPrompt, replyPrompt } from './prompt.ts';
import { asked, asks, directions, extractionSchema, known, tools } from './questions.ts';
import { replyKey } from './turn.ts';

/** What the ports are asked. Everything is made when the call begins and stored with it. */

function extract(scope: PlanScope): PortInput<'extract'> {
  // Nothing was asked for in a state in which the agent has not spoken yet.
  const question = scope.context.visit.spoken ? asked(scope) : undefined;
  return {
    ...conversation(scope.context, `${scope.context.conversation}/${scope.context.turn}/extract`),
    prompt: extractPrompt(scope),
    schema: extractionSchema(scope),
    ...(question ? { asked: question } : {}),
  };
}

function reply(scope: PlanScope): PortInput<'reply'> {
  return {
    ...conversation(scope.context, replyKey(scope.context)),
    prompt: replyPrompt(scope),
    asks: asks(scope),
    known: known(scope),
    directions: directions(scope),
    tools: tools(scope),
  };
}

function conversation(
  { conversation: id, messages, message }: PlanContext,
  key: string,
): Pick<PortInput<'reply'>, 'key' | 'transcript' | 'message'> {
  return {
    key,
    transcript: { conversation: id, length: messages },
    ...(message === null ? {} : { message }),
  };
}

export const inputs = { extract, reply };
