import type { EventObject } from '@dramaturg/compiler';
import {
  callKey,
  end,
  ended,
  endedByAgent,
  errorCode,
  errorMessage,
  type HandledEvent,
  hear,
  helpRequested,
  human,
  inbox,
  isOtherTarget,
  messageSent,
  readReply,
  replied,
  summaryBehaviour,
  tellingLines,
  turnFailed,
} from '@dramaturg/conversation';
import {
  freshKnowledge,
  freshTraversal,
  type GraphContext,
  initialState,
  latest,
  noTools,
  type Roles,
  type TransitionRecord,
  type Traversal,
} from '../context.ts';
import type { GraphOutput } from '../events.ts';
import { type Address, internal, jumpbacksOf, type Need, shownState } from '../names.ts';
import { letters, type StateType } from '../shape.ts';
import {
  exitPicked,
  longestPersisted,
  offeredTools,
  pickedOption,
  resultOf,
  thoughtsIn,
  writtenAnswer,
} from './answer.ts';
import {
  change,
  currentState,
  type GraphAction,
  type GraphActions,
  type GraphScope,
  rootMeta,
  stateMeta,
  type ToolList,
  traversalOf,
} from './meta.ts';

/**
 * Owns the turn: `turn`, `message`, `messages`, `inbox` and `traversal` of the context. A turn is waiting, running (`traversal`
 * is set), failed (`traversal` is kept, and the last call is repeated) or void (its new knowledge is dropped). The new knowledge
 * of a turn counts once `speak` has run; until then `state` and `knowledge` do not change.
 */

function listenTo(scope: GraphScope, event: HandledEvent): ReturnType<GraphAction> {
  const heard = hear(scope.context, event, undefined);
  // Without the question, a bare "yes" supports no exit.
  const masked = heard.early === true && tellingLines(heard.message ?? '', undefined) === '';
  return beginIn(scope, heard, masked);
}

/** Begins a turn in the current state, which gets what it needs. */
function beginIn(
  { context, meta }: GraphScope,
  changes: Partial<GraphContext>,
  masked: boolean,
): ReturnType<GraphAction> {
  const { state, knowledge, turn } = context;
  const { needs, returns } = stateMeta(meta, state);
  const isAnswered = returns === true && 'message' in changes;
  return {
    context: {
      turn: turn + 1,
      ...changes,
      traversal: { ...freshTraversal(state, knowledge), masked },
    },
    raise: [{ type: isAnswered ? internal.next : internal.need(needs!) }],
  };
}

const questionOf = ({ context: { state } }: Pick<GraphScope, 'context'>) => ({ id: state });

const hearing = inbox<GraphContext>({ listen: listenTo, questionOf });

export const turnGuards = hearing.guards;

export const turnActions = {
  ...hearing.actions,
  ...summaryBehaviour.actions,

  begin: ({ context: { state }, meta }) => {
    const { title, type } = stateMeta(meta, state);
    return { emit: [{ type: 'state.entered', state: title, title, as: type }] };
  },

  /** Begins a turn without a message: the agent speaks first. */
  beginLine: (scope) => beginIn(scope, {}, false),

  /** Begins a turn without a message: the state speaks again. */
  resumeTurn: (scope) => beginIn(scope, {}, true),

  /** Counts calls. The count is part of the next call's key, so that two calls of one turn never share a key. */
  countCall: (scope) => change(scope, { calls: traversalOf(scope).calls + 1 }),

  /** Refuses an answer that names no option. The next prompt says so when the model is asked again. */
  refuseAnswer: (scope, { again }: { again?: Need } = {}) => {
    const answer = writtenAnswer(scope);
    return {
      ...change(scope, { refused: answer.slice(0, longestAnswer), tools: noTools }),
      emit: [{ type: 'answer.refused', state: currentState(scope).title, answer }],
      raise: again ? [{ type: internal.need(again) }] : [],
    };
  },

  selectAction: (scope) => select(scope, pickedOption(scope)),

  selectFirst: (scope) => select(scope, currentState(scope).actions?.[0]?.id),

  /** Sends the message. From now on, the knowledge of the turn counts. */
  speak: (scope) => {
    const { context } = scope;
    const traversal = traversalOf(scope);
    const { knowledge, selected, transitions, state, events, tools } = traversal;
    const shown = shownState(state);
    const offered = offeredTools(scope, 'action_tools').map(({ name }) => name);
    const { text, silent, requests, ...said } = readReply(scope.event, offered, shown);
    const ending = said.ending ?? traversal.ending ?? undefined;
    const reply = { text, ending, silent };
    // The conversation has moved to a state without exits: this is the end of the graph.
    const isReached = transitions.length > 0 && currentState(scope).exits?.length === 0;
    return {
      context: {
        state,
        knowledge: {
          ...knowledge,
          selected: silent
            ? knowledge.selected
            : latest([...knowledge.selected, { state: shown, action: selected }], 10),
          // The reply that follows does not use the same tools again.
          ...(silent === 'superseded' && {
            results: latest([...new Set([...knowledge.results, ...tools.results])]),
          }),
        },
        ...replied({ ...context, messages: context.messages + thoughtsIn(events) }, reply, {
          id: state,
        }),
        reason: ending?.reason ?? null,
        ...(ending && !isReached && { outcome: endedByAgent }),
        ...(selected === end && { outcome: traversal.outcome ?? 'completed' }),
        traversal: null,
      },
      emit: [
        ...events,
        {
          type: 'traversal.completed',
          trace: traceOf(scope),
          transitions,
          state: shown,
          action: selected,
          jumpbacks: jumpbacksOf(state),
        },
        ...messageSent(reply, graphCallKey(scope, 'engage'), shown),
        ...requests,
      ],
    };
  },

  complete: ({ context }) => ({
    context: { outcome: context.outcome ?? 'completed' },
  }),

  cancel: () => ({
    context: { outcome: 'cancelled', traversal: null, message: null },
  }),

  /** Reports that a call failed. The call is not counted, so that the repeated call has the same key. */
  failTurn: (scope, { port }: { port: string }) => ({
    ...change(scope, { calls: traversalOf(scope).calls - 1 }),
    ...failure(scope, errorCode(scope.event), errorMessage(scope.event), port),
  }),

  failTooLong: (scope, { tools }: { tools: ToolList }) => {
    const { tool, text } = resultOf(scope, tools);
    return failure(
      scope,
      'context-graph/result-too-long',
      `The result of "${tool.name}" has ${text.length} characters; a persisted one may have ${longestPersisted}.`,
      'callTool',
    );
  },

  /** Drops the knowledge of the turn and the message. The person may say something else. */
  voidTurn: ({ context }) => ({
    context: {
      message: null,
      messages: context.messages - (context.message === null ? 0 : 1),
      traversal: null,
    },
    raise: [{ type: internal.void }],
  }),

  announceEnd: ({ context, meta }) => {
    const output = result({ context });
    const { outcome, state, reason = null } = output;
    return { emit: ended(context, output, rootMeta(meta).on_end, { outcome, state, reason }) };
  },

  // Moves from state to state within a turn

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

const longestAnswer = 200;

function select(scope: GraphScope, selected = '') {
  return {
    ...change(scope, { selected, refused: null, tools: noTools }),
    raise: [{ type: internal.need('engaging') }],
  };
}

/** `[A] greeting -> [D] route_issue -> [A] hardware_support !A1`. Spec: docs/formats/context-graph.md#trace */
function traceOf(scope: GraphScope): string {
  const { from, transitions, visits, selected } = traversalOf(scope);
  const types = new Map<string, StateType>(
    visits.map((state) => [shownState(state), stateMeta(scope.meta, state).type]),
  );
  const node = (state: string) => `[${letters[types.get(state) ?? 'action']}] ${state}`;
  const taken = transitions.filter(
    ({ refused, to }: TransitionRecord) => !refused && !isOtherTarget(to),
  );
  return `${[shownState(from), ...taken.map(({ to }) => to)].map(node).join(' -> ')} !${selected}`;
}

/**
 * The idempotency key of a call: conversation, turn, state, purpose, and the number of the call in its turn. A message after
 * a void turn begins another turn, with other keys.
 */
export function graphCallKey(scope: Pick<GraphScope, 'context'>, purpose: string): string {
  const { state, calls } = traversalOf(scope);
  return callKey(scope.context, state, purpose, calls);
}

/** The result of a conversation: the actor's output, and the last event that it emits. */
export function result({ context }: { readonly context: GraphContext }): GraphOutput {
  const { outcome, state, reason } = context;
  return {
    outcome: outcome ?? 'completed',
    state: shownState(state),
    ...(reason === null ? {} : { reason }),
  };
}

export interface Move {
  readonly to: Address;
  readonly exit?: string;
}

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
function failure(
  scope: GraphScope,
  code: string,
  message: string,
  port?: string,
): { readonly emit: readonly EventObject[] } {
  const state = shownState(traversalOf(scope).from);
  const failed = { ...(port !== undefined && { port }), code, message, state };
  return { emit: [turnFailed(scope.context, failed)] };
}
