import type { JsonObject } from '@dramaturg/compiler';
import type { GuardReason, ReasonMaker } from '@dramaturg/compiler/format';
import { end, errorCode, summaryBehaviour } from '@dramaturg/conversation';
import type { GraphContext } from '../context.ts';
import type { Address } from '../names.ts';
import {
  exitPicked,
  newQueries,
  pickedOption,
  preparedCall,
  requestsIn,
  resultOf,
  wantedTools,
  writtenAnswer,
} from './answer.ts';
import {
  currentState,
  type GraphGuard,
  type GraphScope,
  outputOf,
  rootMeta,
  stateMeta,
  type ToolList,
  traversalOf,
} from './meta.ts';

export interface Move {
  readonly to?: Address;
}

/** Spec: docs/formats/context-graph.md#limits */
function mayEnter(scope: GraphScope, to: Address): boolean {
  const { maxTransitionsPerTurn = 0, maxVisitsPerState = 0 } = rootMeta(scope.meta);
  const { transitions, visits } = traversalOf(scope);
  const visited = visits.filter((state) => state === to).length;
  return transitions.length < maxTransitionsPerTurn && visited < maxVisitsPerState;
}

export const guards = {
  personOpens: ({ context }) => context.opening === 'person',

  mayEnter: (scope, { to }: { to: Address }) => mayEnter(scope, to),
  picks: (scope, { option, to }: { option: string } & Move) =>
    (to === undefined || mayEnter(scope, to)) && pickedOption(scope) === option,
  /** Tried after the candidates of all exits: an exit was picked, and the limits do not allow it. */
  picksExit: (scope) => exitPicked(scope) !== undefined,
  picksAction: (scope) => {
    const picked = pickedOption(scope);
    return currentState(scope).actions?.some(({ id }) => id === picked) === true;
  },
  mayAskAgain: (scope) => traversalOf(scope).refused === null,

  /** Nothing is to be selected. */
  hasOneOption: (scope) => {
    const { actions = [], exits = [] } = currentState(scope);
    return actions.length === 1 && (exits.length === 0 || traversalOf(scope).masked);
  },
  isRemembered: (scope) => {
    const { remembered, state } = traversalOf(scope);
    return remembered.includes(state);
  },
  hasNothingNew: (scope) => newQueries(scope).length === 0,
  /** Whether the state is the current one of the turn, or between two turns. */
  isIn: ({ context }, { state }: { state: Address }) =>
    (context.traversal ?? context).state === state,
  ...summaryBehaviour.guards,
  /** The terminal state ends a conversation that has moved to it; a conversation that begins in it continues. */
  hasReachedEnd: (scope) =>
    currentState(scope).ends === true && traversalOf(scope).transitions.length > 0,

  endsConversation: (scope) => {
    const { ending, selected } = traversalOf(scope);
    return requestsIn(scope).ending !== undefined || ending !== null || selected === end;
  },

  hasArguments: (scope) => preparedCall(scope).problems.length === 0,
  wantsTools: (scope, { tools }: { tools: ToolList }) => wantedTools(scope, tools).length > 0,
  hasMoreTools: (scope) => traversalOf(scope).tools.pending.length > 1,
  isTooLong: (scope, params: JsonObject) =>
    resultOf(scope, params['tools'] as ToolList).fate === 'too long',

  isStoppedByLimit: (scope) => errorCode(scope.event) === 'port/limit-reached',
} satisfies Readonly<Record<string, GraphGuard>>;

type GraphReason = ReasonMaker<GraphContext, GraphScope['event']>;

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

/** Why a guard holds or not. */
export const reasons: Readonly<Record<string, GraphReason>> = {
  picks: (scope, params: { option: string } & Move) =>
    (pickedOption(scope) === params.option ? limited(scope, params) : undefined) ?? choice(scope),
  picksExit: choice,
  picksAction: choice,
  mayEnter: limited,
  endsConversation: (scope, _params, result) => {
    if (!result) return undefined;
    const isExit = traversalOf(scope).selected === end;
    return { text: isExit ? 'an exit led to the end' : 'the agent ended the conversation' };
  },
  isStoppedByLimit: (_scope, _params, result) =>
    result ? { text: 'a limit of the instance stopped the call' } : undefined,
};
