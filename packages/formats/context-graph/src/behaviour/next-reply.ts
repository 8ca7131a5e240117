import type { NextReply } from '@dramaturg/compiler';
import { currentState, type GraphScope, toolsOf } from './meta.ts';
import { engagePrompt, selectPrompt } from './prompt.ts';

/** Predicts the message for each action. In a state whose message may use tools first, the reply is asked for as usual. */
export function nextReply(scope: GraphScope): NextReply | undefined {
  const { actions = [] } = currentState(scope);
  if (toolsOf(scope, 'action_tools').length > 0) return undefined;
  const known = new Set(selectPrompt(scope).map(({ title, text }) => `${title}\n${text}`));
  const prompt = engagePrompt(scope).filter(({ title, text }) => !known.has(`${title}\n${text}`));
  const cases = actions.map(({ id, description }) => ({
    id,
    prompt: [],
    asks: [],
    directions: [{ text: description }],
  }));
  return { prompt, tools: [], cases };
}
