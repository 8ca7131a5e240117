import type { EventObject } from '@dramaturg/compiler';
import { end, helpRequested, human } from '@dramaturg/conversation';
import { freshKnowledge, noTools, type TransitionRecord, type Traversal } from '../context.ts';
import { type Address, shownState } from '../names.ts';
import { exitPicked } from './answer.ts';
import {
  change,
  currentState,
  type GraphAction,
  type GraphScope,
  stateMeta,
  traversalOf,
} from './meta.ts';

/** Actions that move from state to state within a turn. */

export interface Move {
  readonly to: Address;
  readonly exit?: string;
}

const follow: GraphAction<Move> = (scope, { to, exit }) => go(scope, to, recordOf(scope, to, exit));

/** Follows the only exit: nobody was asked. */
const followAlone: GraphAction<Move> = (scope, { to }) =>
  go(scope, to, { ...recordOf(scope, to, 'E1'), automatic: true });

/** Follows the author's last exit, because the model named none. */
const followLast: GraphAction<Move> = (scope, { to }) => {
  const last = currentState(scope).exits?.at(-1)?.id;
  return go(scope, to, recordOf(scope, to, last));
};

/** Leaves a referenced graph for the state that its caller named. */
const comeBack: GraphAction<Move> = (scope, { to }) =>
  go(scope, to, { ...recordOf(scope, to), type: 'jumpback' });

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

/** Begins again, with nothing known. Exits cannot be chosen for the rest of the turn. */
const restart: GraphAction<Move> = (scope, { to }) => {
  const more = { knowledge: freshKnowledge, masked: true };
  const { context, ...effects } = go(scope, to, recordOf(scope, to), more);
  return { ...effects, context: { ...context, summary: undefined } };
};

/** Asks for a person. The latest action state says so, and stays. */
const handOver: GraphAction<{ exit?: string; reason?: string }> = (scope, { exit, reason }) => {
  const { context, emit = [] } = leaving(scope, human, { exit });
  const { action } = traversalOf(scope);
  return {
    ...(context && { context }),
    emit: [...emit, helpRequested(reason, shownState(action))],
  };
};

/** The latest action state says goodbye, and the conversation ends. */
const leave: GraphAction<{ exit?: string; outcome?: string }> = (scope, params) =>
  leaving(scope, end, params);

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
  const { type, silent } = stateMeta(scope.meta, to);
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

/** A limit does not allow the move: returns to the latest action state, where the exits are masked. */
const refuseMove: GraphAction<Partial<Move> & { as?: string }> = (scope, { to, as }) =>
  fallingBack(scope, [refusedRecord(scope, to, as)]);

function refusedRecord(scope: GraphScope, to: Address | undefined, as?: string): TransitionRecord {
  const exit = to === undefined ? exitPicked(scope) : undefined;
  const record = recordOf(scope, to ?? exit?.to ?? '', exit?.id);
  return { ...record, ...(as === 'comeBack' ? { type: 'jumpback' } : {}), refused: true };
}

/** Falls back, because the model named no exit of a decision. */
const fallBack: GraphAction = (scope) => fallingBack(scope, []);

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
  };
}

const failAtLimit: GraphAction<Partial<Move> & { as?: string }> = (scope, { to, as }) => {
  const { from, to: refusedState } = refusedRecord(scope, to, as);
  return failure(
    scope,
    'context-graph/limit',
    `The turn has gone as far as it may: "${from}" cannot lead to "${refusedState}" any more.`,
  );
};

const failWithoutExit: GraphAction = (scope) =>
  failure(
    scope,
    'context-graph/no-exit',
    `The model named no exit of "${currentState(scope).title}".`,
  );

/** Records that the current turn has failed. */
export function failure(
  scope: GraphScope,
  code: string,
  message: string,
  port?: string,
): { readonly emit: readonly EventObject[] } {
  const { message: unanswered } = scope.context;
  const failed = {
    type: 'turn.failed',
    ...(port === undefined ? {} : { port }),
    code,
    message,
    state: shownState(traversalOf(scope).from),
    ...(unanswered === null ? {} : { unanswered }),
  };
  return { emit: [failed] };
}

export const moveActions = {
  follow,
  followAlone,
  followLast,
  comeBack,
  restart,
  handOver,
  leave,
  refuseMove,
  fallBack,
  failAtLimit,
  failWithoutExit,
};
