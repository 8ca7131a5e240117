import type { JsonObject, PortInput } from '@dramaturg/compiler';
import type { NpcContext } from '../context.ts';
import { followUp } from '../definition.ts';
import { currentScenario, type NpcScope } from './meta.ts';
import { offers } from './offer.ts';
import {
  evaluatePrompt,
  extractPrompt,
  replyPrompt,
  stageDirection,
  summaryPrompt,
} from './prompt.ts';
import { fillIn } from './template.ts';
import { callKey, sessionId } from './turn.ts';

/** What the ports are asked. Everything is made when the call begins and stored with it. */

function evaluate(scope: NpcScope, { attempt }: { attempt: 1 | 2 }): PortInput<'choose'> {
  const all = offers(scope);
  // A message that decides nothing is in doubt, or else beside the point.
  const fallback = all.some(({ id }) => id === followUp) ? followUp : 'redirect';
  return {
    ...conversation(scope.context, attempt === 1 ? 'evaluate' : 'evaluate-again'),
    prompt: evaluatePrompt(scope, attempt),
    options: all.map(({ id, description }) => ({ id, description: fillIn(description, scope) })),
    ...(all.some(({ id }) => id === fallback) ? { fallback } : {}),
  };
}

function reply(scope: NpcScope): PortInput<'reply'> {
  return {
    ...conversation(scope.context, 'reply'),
    prompt: replyPrompt(scope),
    asks: [],
    directions: [{ text: stageDirection(scope) }],
    tools: [],
  };
}

function summarise(scope: NpcScope): PortInput<'think'> {
  return { ...conversation(scope.context, 'summarise'), prompt: summaryPrompt(scope) };
}

function extract(scope: NpcScope): PortInput<'extract'> {
  const { output_variables } = currentScenario(scope);
  const properties: Record<string, JsonObject> = Object.fromEntries(
    output_variables.map(({ key, extraction_prompt = '' }) => [
      key,
      { type: 'string', description: fillIn(extraction_prompt, scope) },
    ]),
  );
  return {
    ...conversation(scope.context, 'extract'),
    prompt: extractPrompt(scope),
    schema: { type: 'object', properties, additionalProperties: false },
  };
}

function conversation(
  context: NpcContext,
  port: string,
): Pick<PortInput<'reply'>, 'key' | 'transcript' | 'message'> {
  const { messages, message } = context;
  return {
    key: callKey(context, port),
    transcript: { conversation: sessionId(context), length: messages },
    ...(message === null ? {} : { message }),
  };
}

export const inputs = { evaluate, reply, summarise, extract };
