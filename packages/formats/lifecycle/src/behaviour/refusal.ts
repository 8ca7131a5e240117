import type { NodeMeta } from '@dramaturg/compiler/chart';
import type { LifecycleContext } from '../context.ts';
import type { EventRefused } from '../events.ts';
import { messageProblem, receivedProblem, type Refusal, replyProblem, shown } from './message.ts';
import { acceptedIn, type AnyEvent, type LifecycleAction } from './scope.ts';
import { delayProblem, todoProblem, toolProblem, turnProblem } from './turn.ts';

/** An event that is not accepted changes nothing and is answered with `event.refused`. */

/** Refuses only requests: not events raised by a row, and not the answer of an obsolete timer. */
const refuse: LifecycleAction = ({ context, event, meta }) =>
  event.type.startsWith('xstate.') || event['raised'] === true
    ? {}
    : { emit: [{ ...refusalOf(context, event, meta) }] };

function refusalOf(
  context: LifecycleContext,
  event: AnyEvent,
  meta: ReadonlyMap<string, NodeMeta>,
): EventRefused {
  const { state } = context;
  const accepted = acceptedIn(meta, state);
  const accepts = accepted.map(({ event: name }) => name);
  const known = accepted.find(({ event: name }) => name === event.type);
  const refusal = known
    ? whyNot(context, event, known.guards ?? [])
    : {
        code: 'event/not-accepted',
        because: `An instance in "${state}" does not accept "${shown(event.type)}". It accepts ${listed(accepts)}.`,
      };
  return { type: 'event.refused', event: shown(event.type), state, ...refusal, accepts };
}

/** The first problem of the event, in the order of the guards. */
function whyNot(context: LifecycleContext, event: AnyEvent, guards: readonly string[]): Refusal {
  for (const guard of guards) {
    const problem = problems.get(guard)?.(context, event);
    if (problem !== undefined) return problem;
  }
  return {
    code: 'event/not-now',
    because: `"${shown(event.type)}" is accepted in "${context.state}" under a condition, which does not hold now.`,
  };
}

type ProblemOf = (context: LifecycleContext, event: AnyEvent) => Refusal | undefined;

const problems: ReadonlyMap<string, ProblemOf> = new Map<string, ProblemOf>([
  ['currentTurn', turnProblem],
  ['endWasAsked', turnProblem],
  ['helpWasAsked', turnProblem],
  ['messagesWait', turnProblem],
  ['somethingWasSent', turnProblem],
  ['contactBegins', turnProblem],
  ['failedForGood', turnProblem],
  ['failuresUsedUp', turnProblem],
  ['openTurn', toolProblem],
  ['soundReply', (context, event) => toolProblem(context, event) ?? replyProblem(event)],
  ['soundDelay', delayProblem],
  ['knownTodo', todoProblem],
  ['soundMessage', (_, event) => messageProblem(event)],
  ['newMessage', receivedProblem],
]);

const mostListed = 30;

function listed(events: readonly string[]): string {
  if (events.length === 0) return 'nothing';
  const rest = events.length - mostListed;
  return `${events.slice(0, mostListed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export const refusalActions = { refuse };
