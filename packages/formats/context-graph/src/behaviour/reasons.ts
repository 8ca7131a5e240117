import type { GuardReason, ReasonMaker } from '@dramaturg/compiler/format';
import { end } from '@dramaturg/conversation';
import type { GraphContext } from '../context.ts';
import { pickedOption, writtenAnswer } from './answer.ts';
import { mayEnter, type Move } from './guards.ts';
import {
  currentState,
  type GraphScope,
  outputOf,
  rootMeta,
  stateMeta,
  traversalOf,
} from './meta.ts';

type GraphReason<Params = unknown> = ReasonMaker<GraphContext, GraphScope['event'], Params>;

/** The chosen option in its own words, and the reason for it. */
function choice(scope: GraphScope): GuardReason {
  const { actions = [], exits = [] } = currentState(scope);
  const answer = writtenAnswer(scope);
  const option = [...actions, ...exits].find(({ id }) => id === pickedOption(scope));
  const { reason } = Object(outputOf(scope)) as { readonly reason?: unknown };
  const chosen = option
    ? `"${option.description}" was chosen`
    : `"${answer}" was answered, which is not an option`;
  return {
    text: typeof reason === 'string' && reason !== '' ? `${chosen} (${reason})` : chosen,
    values: { option: answer },
  };
}

/** The limits of a turn do not allow a move. */
function limited(scope: GraphScope, { to }: Move): GuardReason | undefined {
  if (to === undefined || mayEnter(scope, to)) return undefined;
  const { maxTransitionsPerTurn = 0, maxVisitsPerState = 0 } = rootMeta(scope.meta);
  return {
    text: `the limits of a turn (${maxTransitionsPerTurn} moves, ${maxVisitsPerState} visits of a state) do not allow to enter "${stateMeta(scope.meta, to).title}"`,
  };
}

const picks: GraphReason<{ option: string } & Move> = (scope, params) =>
  (pickedOption(scope) === params.option ? limited(scope, params) : undefined) ?? choice(scope);

const picksOption: GraphReason = (scope) => choice(scope);

const entersOnly: GraphReason<Move> = (scope, params) => limited(scope, params);

const endsConversation: GraphReason = (scope, _params, result) => {
  if (!result) return undefined;
  const isExit = traversalOf(scope).selected === end;
  return { text: isExit ? 'an exit led to the end' : 'the agent ended the conversation' };
};

const isStoppedByLimit: GraphReason = (_scope, _params, result) =>
  result ? { text: 'a limit of the instance stopped the call' } : undefined;

export const reasons: Readonly<Record<string, ReasonMaker>> = {
  picks,
  picksExit: picksOption,
  picksAction: picksOption,
  mayEnter: entersOnly,
  endsConversation,
  isStoppedByLimit,
};
