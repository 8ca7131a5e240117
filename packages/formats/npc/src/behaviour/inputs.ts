import type { JsonObject, PortInput } from '@dramaturg/compiler';
import { callInput, callKey, quotedIn, replyInput } from '@dramaturg/conversation';
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
import { fillIn, ofPeople } from './template.ts';
import { inSession } from './turn.ts';

/** The inputs of the ports. An input is created when the call begins and is stored with it. */

function evaluate(scope: NpcScope, { attempt }: { attempt: 1 | 2 }): PortInput<'choose'> {
  const all = offers(scope);
  // The fallback for an undecided message: a follow-up, or without one a redirect.
  const { early } = scope.context;
  const isInDoubt = all.some(({ id }) => id === followUp);
  const fallback = early ? noVerdict.id : isInDoubt ? followUp : 'redirect';
  const asked = {
    prompt: evaluatePrompt(scope, attempt),
    options: [
      ...all.map(({ id, description }) => ({ id, description: fillIn(description, scope) })),
      ...(early ? [noVerdict] : []),
    ],
  };
  return {
    ...call(scope.context, attempt === 1 ? 'evaluate' : 'evaluate-again'),
    ...quotedIn(asked, ofPeople(scope.context)),
    ...asked,
    ...(early || all.some(({ id }) => id === fallback) ? { fallback } : {}),
  };
}

/** For a message that came before the question: it is not judged. */
const noVerdict = { id: 'none', description: 'Anything else: the message is not judged.' };

function reply(scope: NpcScope): PortInput<'reply'> {
  const session = inSession(scope.context);
  const asked = { prompt: replyPrompt(scope), directions: [{ text: stageDirection(scope) }] };
  return {
    ...replyInput(session, callKey(session, 'reply')),
    ...quotedIn(asked, ofPeople(session)),
    ...asked,
    asks: [],
    tools: [],
    ...(session.outcome !== null && { ends: true }),
  };
}

function summarise(scope: NpcScope): PortInput<'think'> {
  const prompt = summaryPrompt(scope);
  const quoted = quotedIn({ prompt }, ofPeople(scope.context));
  return { ...call(scope.context, 'summarise'), ...quoted, prompt };
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
    ...call(scope.context, 'extract'),
    prompt: extractPrompt(scope),
    schema: { type: 'object', properties, additionalProperties: false },
  };
}

function call(context: NpcContext, purpose: string) {
  const session = inSession(context);
  return callInput(session, callKey(session, purpose));
}

export const inputs = { evaluate, reply, summarise, extract };
