import {
  type EventObject,
  type JsonObject,
  type Question,
  readDecision,
  whyRefused,
} from '@dramaturg/compiler';
import type { OpenCall } from '../xstate/open-call.ts';
import { decisionId } from './open-decisions.ts';

/**
 * A person has decided: on the one question that is open, or on the one that is named. It is taken once, and as the question
 * allows.
 *
 * @returns why it is refused; undefined when it was taken
 */
export function decide(
  open: readonly OpenCall[],
  { key, id, ...given }: EventObject,
): NotDecided | undefined {
  const question = questionFor(open, key, id);
  if ('because' in question) return question;
  const decision = readDecision(given);
  if (typeof decision === 'string') return { code: 'decision/unreadable', because: decision };
  const because = whyRefused(question.input as unknown as Question, decision);
  if (because !== undefined) return { code: 'decision/not-allowed', because };
  question.answer(decision);
  return undefined;
}

/** Why a decision is not taken. */
export interface NotDecided {
  readonly code: string;
  readonly because: string;
}

/** Nobody waits for the decision. */
export const decisionNotOpen = 'decision/not-open';

/** Why a decision is refused that nobody waits for. */
export function notOpen(name: string): NotDecided {
  return {
    code: decisionNotOpen,
    because: `Nothing waits for the decision ${JSON.stringify(name)}.`,
  };
}

/** The question that is meant, or why none is. */
function questionFor(open: readonly OpenCall[], key: unknown, id: unknown): OpenCall | NotDecided {
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
