import type { EventObject } from '@dramaturg/compiler';
import { end, helpRequested, human, turnFailed } from '@dramaturg/conversation';
import { freshKnowledge, noTools, type TransitionRecord, type Traversal } from '../context.ts';
import { type Address, internal, shownState } from '../names.ts';
import { exitPicked } from './answer.ts';
import {
  change,
  currentState,
  type GraphAction,
  type GraphActions,
  type GraphScope,
  stateMeta,
  traversalOf,
} from './meta.ts';
import { initialState, type Roles } from './start.ts';

/** Actions that move from state to state within a turn. */

export interface Move {
  readonly to: Address;
  readonly exit?: string;
}

export const moveActions = {
  follow: (scope, { to, exit }: Move) => go(scope, to, recordOf(scope, to, exit)),

  /** Follows the only exit: nobody was asked. */
  followAlone: (scope, { to }: Move) =>
    go(scope, to, { ...recordOf(scope, to, 'E1'), automatic: true }),

  /** Follows the author's last exit, because the model named none. */
  followLast: (scope, { to }: Move) => {
    const last = currentState(scope).exits?.at(-1)?.id;
    return go(scope, to, recordOf(scope, to, last));
  },

  /** Leaves a referenced graph for the state that its caller named. */
  comeBack: (scope, { to }: Move) => go(scope, to, { ...recordOf(scope, to), type: 'jumpback' }),

  /** The state has what it needs: its answer leads on. */
  moveOn: ({ event }) => ({ raise: [{ type: internal.next, output: event['output'] }] }),

  /** Begins again, with nothing known. Exits cannot be chosen for the rest of the turn. */
  restart: (scope, roles: Roles) => {
    const to = initialState(scope.context.returning, roles);
    const more = { knowledge: freshKnowledge, masked: true };
    const { context, ...effects } = go(scope, to, recordOf(scope, to), more);
    return { ...effects, context: { ...context, summary: undefined } };
  },

  /** Asks for a person. The latest action state says so, and stays. */
  handOver: (scope, { exit, reason }: { exit?: string; reason?: string }) => {
    const { emit = [], ...effects } = leaving(scope, human, { exit });
    const { action } = traversalOf(scope);
    return { ...effects, emit: [...emit, helpRequested(reason, shownState(action))] };
  },

  /** The latest action state says goodbye, and the conversation ends. */
  leave: (scope, params: { exit?: string; outcome?: string }) => leaving(scope, end, params),

  /** A limit does not allow the move: returns to the latest action state, where the exits are masked. */
  refuseMove: (scope, { to, as }: Partial<Move> & { as?: string }) =>
    fallingBack(scope, [refusedRecord(scope, to, as)]),

  /** Falls back, because the model named no exit of a decision. */
  fallBack: (scope) => fallingBack(scope, []),

  failAtLimit: (scope, { to, as }: Partial<Move> & { as?: string }) => {
    const { from, to: refusedState } = refusedRecord(scope, to, as);
    return failure(
      scope,
      'context-graph/limit',
      `The turn has gone as far as it may: "${from}" cannot lead to "${refusedState}" any more.`,
    );
  },

  failWithoutExit: (scope) =>
    failure(
      scope,
      'context-graph/no-exit',
      `The model named no exit of "${currentState(scope).title}".`,
    ),
} satisfies GraphActions;

function recordOf(scope: GraphScope, to: Address, exit?: string): TransitionRecord {
  const { state, performed } = traversalOf(scope);
  const { type } = currentState(scope);
  return {
    type,
    from: shownState(state),
    to: shownState(to),
    ...(exit === undefined ? {} : { exit }),
    ...(type === 'recall' ? { queries: performed ?? [] } : {}),
  };
}

function leaving(
  scope: GraphScope,
  to: string,
  { exit, outcome }: { readonly exit?: string | undefined; readonly outcome?: string },
): ReturnType<GraphAction> {
  const { transitions, state, action } = traversalOf(scope);
  return {
    ...change(scope, {
      ...settled,
      state: action,
      selected: to,
      transitions: [...transitions, recordOf(scope, to, exit)],
      ...(outcome !== undefined && { outcome }),
    }),
    emit: state === action ? [] : [stateEntered(scope, action)],
    raise: [{ type: internal.need('engaging') }],
  };
}

function stateEntered(scope: GraphScope, to: Address): EventObject {
  const { title, type } = stateMeta(scope.meta, to);
  const from = shownState(traversalOf(scope).state);
  return { type: 'state.entered', state: title, title, as: type, from };
}

function go(
  scope: GraphScope,
  to: Address,
  record: TransitionRecord,
  more: Partial<Traversal> = {},
): ReturnType<GraphAction> {
  const { transitions, visits, action } = traversalOf(scope);
  const { type, silent, needs } = stateMeta(scope.meta, to);
  return {
    ...change(scope, {
      ...settled,
      state: to,
      transitions: [...transitions, record],
      visits: [...visits, to],
      action: type === 'action' && !silent ? to : action,
      ...more,
    }),
    emit: [stateEntered(scope, to)],
    raise: needs ? [{ type: internal.need(needs) }] : [],
  };
}

/** Clears the data of the question that a state has asked a model. */
const settled: Partial<Traversal> = {
  refused: null,
  wanted: [],
  performed: null,
  tools: noTools,
  arguments: {},
};

function refusedRecord(scope: GraphScope, to: Address | undefined, as?: string): TransitionRecord {
  const exit = to === undefined ? exitPicked(scope) : undefined;
  const record = recordOf(scope, to ?? exit?.to ?? '', exit?.id);
  return { ...record, ...(as === 'comeBack' ? { type: 'jumpback' } : {}), refused: true };
}

function fallingBack(scope: GraphScope, refused: TransitionRecord[]): ReturnType<GraphAction> {
  const { transitions, state, action } = traversalOf(scope);
  const record: TransitionRecord = {
    type: 'fallback',
    from: shownState(state),
    to: shownState(action),
  };
  return {
    ...change(scope, {
      ...settled,
      state: action,
      masked: true,
      transitions: [...transitions, ...refused, record],
    }),
    emit: [stateEntered(scope, action)],
    raise: [{ type: internal.need('selecting') }],
  };
}

/** Records that the current turn has failed. */
export function failure(
  scope: GraphScope,
  code: string,
  message: string,
  port?: string,
): { readonly emit: readonly EventObject[] } {
  const state = shownState(traversalOf(scope).from);
  const failed = { ...(port !== undefined && { port }), code, message, state };
  return { emit: [turnFailed(scope.context, failed)] };
}
