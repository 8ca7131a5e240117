import {
  callKey,
  end,
  ended,
  endedByAgent,
  errorCode,
  errorMessage,
  type HandledEvent,
  hear,
  inbox,
  isOtherTarget,
  messageSent,
  readReply,
  replied,
  summaryBehaviour,
  tellingLines,
} from '@dramaturg/conversation';
import {
  freshTraversal,
  type GraphContext,
  latest,
  noTools,
  type TransitionRecord,
} from '../context.ts';
import { letters, type StateType } from '../definition.ts';
import type { GraphOutput } from '../events.ts';
import { internal, jumpbacksOf, type Need, shownState } from '../names.ts';
import { pickedOption, thoughtsIn, writtenAnswer } from './answer.ts';
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
import { failure } from './move.ts';
import { longestPersisted, offeredTools, resultOf } from './tool-use.ts';

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
