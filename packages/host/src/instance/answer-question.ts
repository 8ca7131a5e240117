import type { EventObject, JsonObject } from '@dramaturg/compiler';
import { type Question, readDecision, whyRefused } from '@dramaturg/compiler/machine';
import type { OpenCall } from '../xstate/open-call.ts';
import { decisionId } from './open-decisions.ts';

/**
 * Answers a question with a person's decision: the question with the given key or id, or the only open one. A question is
 * answered once.
 *
 * @param onAnswer called before the answer has any effect
 * @returns why the decision is refused; undefined when it was accepted
 */
export function answerQuestion(
  open: readonly OpenCall[],
  { key, id, ...given }: EventObject,
  onAnswer: (question: OpenCall, decision: object) => void,
): DecisionProblem | undefined {
  const question = questionFor(open, key, id);
  if ('because' in question) return question;
  const decision = readDecision(given);
  if (typeof decision === 'string') return { code: 'decision/unreadable', because: decision };
  const because = whyRefused(question.input as unknown as Question, decision);
  if (because !== undefined) return { code: 'decision/not-allowed', because };
  onAnswer(question, decision);
  question.answer(decision);
  return undefined;
}

/** Why a decision is refused. */
export interface DecisionProblem {
  readonly code: string;
  readonly because: string;
}

export const decisionNotOpen = 'decision/not-open';

/** The problem of a decision whose question is not open. */
export function notOpen(name: string): DecisionProblem {
  return {
    code: decisionNotOpen,
    because: `Nothing waits for the decision ${JSON.stringify(name)}.`,
  };
}

/** The question that the decision is for, or why there is none. */
function questionFor(
  open: readonly OpenCall[],
  key: unknown,
  id: unknown,
): OpenCall | DecisionProblem {
  if (key !== undefined || id !== undefined) {
    const named = (call: OpenCall) => (key === undefined ? nameOf(call) === id : call.key === key);
    return open.find(named) ?? notOpen(String(id ?? key));
  }
  const [only] = open;
  if (!only) return { code: decisionNotOpen, because: 'Nothing waits for a decision.' };
  if (open.length === 1) return only;
  const names = open.slice(0, 10).map(nameOf);
  const shown = names.join(', ') + (open.length > names.length ? ' ...' : '');
  return {
    code: 'decision/unnamed',
    because: `${open.length} decisions are open. Name one of them by its "id": ${shown}.`,
  };
}

function nameOf({ key, input }: OpenCall): string {
  return decisionId({ key, id: (input as JsonObject)['id'] });
}
