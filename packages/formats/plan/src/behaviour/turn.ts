import {
  type Action,
  agentRequests,
  type EventObject,
  isRecord,
  refusedFields,
  type ToolCall,
} from '@dramaturg/compiler';
import { goalMarker } from '../definition.ts';
import type { PlanContext } from '../context.ts';
import { internal } from '../names.ts';
import { completesByAnswer } from './completion.ts';
import { messageProblem } from './guards.ts';
import { currentState, planMeta, type PlanScope } from './meta.ts';
import { result } from './outputs.ts';
import {
  eventsOf,
  extractionFields,
  readUpdate,
  refusals,
  refuse,
  refused,
  type Update,
} from './update.ts';

/** Actions of the turn region: messages in, port answers taken, replies out. */

type PlanAction<Params = unknown> = Action<PlanContext, PlanScope['event'], Params>;

const takeMessage: PlanAction = (scope) => listenTo(scope, scope.event['text'] as string);

const takeFromInbox: PlanAction = (scope) => {
  const [text = '', ...inbox] = scope.context.inbox;
  const { context, ...effects } = listenTo(scope, text);
  return { ...effects, context: { ...context, inbox } };
};

/** A person's message begins a turn. Where their answer alone completes the state, the plan moves on before listening. */
function listenTo(scope: PlanScope, text: string): ReturnType<PlanAction> {
  const { context } = scope;
  const { visit } = context;
  const isEnough = completesByAnswer(scope);
  return {
    context: {
      message: text,
      turn: context.turn + 1,
      messages: context.messages + 1,
      visited: [],
      noted: 'nothing',
      visit: { ...visit, answered: visit.answered || isEnough, turns: visit.turns + 1 },
    },
    raise: [{ type: isEnough ? internal.evaluate : internal.settled }],
  };
}

const putInInbox: PlanAction = ({ context, event }) => ({
  context: { inbox: [...context.inbox, event['text'] as string] },
});

const refuseMessage: PlanAction = ({ context, event }) => ({
  emit: [{ type: 'message.refused', because: messageProblem(context, event['text']) ?? '' }],
});

/** Notes which state a port is asked about. */
const address: PlanAction = ({ context }) => ({ context: { addressed: context.state } });

const takeExtraction: PlanAction = (scope) => {
  const value = (scope.event['output'] as { value: Record<string, unknown> }).value;
  const found = readUpdate(value, extractionFields);
  const said = value['goal_achieved'] ?? false;
  const achieved = said === false ? {} : { [goalMarker]: said };
  const applied = apply(
    scope,
    { ...found, deliverables: { ...withoutNothing(found.deliverables), ...achieved } },
    'message',
  );
  const known = [...Object.values(extractionFields), 'goal_achieved'];
  return {
    ...applied,
    emit: [
      ...refusals(scope, found),
      ...refusedFields(value, known, scope.context.state),
      ...(applied.emit ?? []),
    ],
  };
};

/** Models write null for "not said". */
function withoutNothing(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );
}

const takeNothing: PlanAction = () => ({ raise: [{ type: internal.end, of: 'message' }] });

/** The reply is out; the tools it called say which tasks it has done by speaking. */
const takeReply: PlanAction = (scope) => {
  const { context, event } = scope;
  const { text, toolCalls } = event['output'] as PortAnswer;
  const { ending, events } = agentRequests(toolCalls, offered, context.addressed);
  const named = (tool: string) =>
    toolCalls.flatMap(({ name, arguments: given }) =>
      name === tool && typeof given['task_id'] === 'string' ? [given['task_id']] : [],
    );
  const nameless = toolCalls.flatMap(({ name, arguments: given }) =>
    offered.includes(name) && typeof given['task_id'] !== 'string' ? [name] : [],
  );
  const update = readUpdate({ complete: named('complete_task'), skip: named('skip_task') });
  // An agent may end the conversation without another word.
  const isSent = ending === undefined || text.trim() !== '';
  const spoken: Partial<PlanContext> = {
    message: null,
    messages: context.messages + (isSent ? 1 : 0),
    refused: [],
    cameFrom: null,
    noted: 'nothing',
    visit: {
      ...context.visit,
      spoken: context.visit.spoken || context.addressed === context.state,
    },
  };
  const applied = apply({ ...scope, context: { ...context, ...spoken } }, update, 'reply');
  const sent = { type: 'message.sent', text, key: replyKey(context), state: context.addressed };
  return {
    context: { ...spoken, ...applied.context },
    raise: ending
      ? [...(applied.raise ?? []).slice(0, -1), { type: internal.ended, ...ending }]
      : (applied.raise ?? []),
    emit: [
      ...(isSent ? [sent] : []),
      ...events,
      ...nameless.map((tool) =>
        refused(context, tool, `The tool "${tool}" needs a "task_id" that is a text.`),
      ),
      ...(applied.emit ?? []),
    ],
  };
};

type PortAnswer = { readonly text: string; readonly toolCalls: readonly ToolCall[] };

/** Tools of a reply that name a task. */
const offered = ['complete_task', 'skip_task'];

/** Names the call, and the message that comes of it: the same after a crash. */
export function replyKey({ conversation, turn }: PlanContext): string {
  return `${conversation}/${turn}/reply`;
}

/** Hands out an update, unless the plan has moved on since it was asked for: then its parts mean another state. */
function apply(scope: PlanScope, update: Update, of: 'message' | 'reply'): ReturnType<PlanAction> {
  const { context } = scope;
  const events = eventsOf(scope, update);
  const last: EventObject = { type: internal.end, of };
  if (events.length === 0 || context.addressed === context.state)
    return { raise: [...events, last] };
  const because = `The conversation has moved on from "${context.addressed}".`;
  return { ...refuse(context, context.addressed, because), raise: [last] };
}

/** Whether the transitions are to be tried now that an update is recorded. Spec: docs/formats/plan.md#transitions */
const endUpdate: PlanAction = (scope) => {
  const { context, event } = scope;
  const isMessage = event['of'] === 'message';
  const { visit, noted } = context;
  const idle = isMessage && noted === 'nothing';
  const terminal = event['of'] === 'reply' && currentState(scope).terminal === true;
  const evaluate = noted === 'progress' || idle || terminal;
  const answered = visit.answered || (isMessage && visit.spoken);
  return {
    context: { visit: { ...visit, answered, idleTurns: visit.idleTurns + (idle ? 1 : 0) } },
    raise: [{ type: evaluate ? internal.evaluate : internal.settled }],
  };
};

const settle: PlanAction = () => ({ raise: [{ type: internal.settled }] });

const sayFarewell: PlanAction = ({ context, meta }) => ({
  context: { message: null, messages: context.messages + 1, cameFrom: null, refused: [] },
  emit: [
    {
      type: 'message.sent',
      text: planMeta(meta).farewell_message ?? '',
      key: `${context.conversation}/${context.turn}/farewell`,
      state: context.state,
    },
  ],
});

/** Says that a call failed. The context stays as it is, so that the call can be made again with the same input. */
const failTurn: PlanAction<{ port: string }> = ({ context, event }, { port }) => {
  const error: unknown = event['error'];
  const fields = isRecord(error) ? error : {};
  return {
    emit: [
      {
        type: 'turn.failed',
        port,
        code: typeof fields['code'] === 'string' ? fields['code'] : 'port/failed',
        message: error instanceof Error ? error.message : String(fields['message'] ?? error),
        ...(context.message === null ? {} : { unanswered: context.message }),
      },
    ],
  };
};

const cancel: PlanAction = ({ context }) => ({
  context: {
    outcome: 'cancelled',
    ...(context.outcome === null ? { lastState: context.state } : {}),
  },
});

/** The agent has said its last words: the author's farewell is not said as well. */
const endByAgent: PlanAction = ({ context, event: { reason } }) => ({
  context: {
    outcome: 'completed',
    reason: typeof reason === 'string' ? reason : null,
    ...(context.outcome === null ? { lastState: context.state } : {}),
  },
});

const announceEnd: PlanAction = ({ context }) => ({
  emit: [
    ...context.inbox.map(() => ({ type: 'message.refused', because: conversationIsOver })),
    { type: 'conversation.ended', ...result({ context }) },
  ],
});

const conversationIsOver = 'The conversation is over.';

export const turnActions = {
  takeMessage,
  takeFromInbox,
  putInInbox,
  refuseMessage,
  address,
  takeExtraction,
  takeNothing,
  takeReply,
  endUpdate,
  settle,
  sayFarewell,
  failTurn,
  cancel,
  endByAgent,
  announceEnd,
};
