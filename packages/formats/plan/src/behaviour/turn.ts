import type { ToolCall } from '@dramaturg/compiler';
import {
  callKey,
  ended,
  endedByAgent,
  type HandledEvent,
  hear,
  inbox,
  isSent,
  messageSent,
  readReply,
  replied,
  summaryBehaviour,
} from '@dramaturg/conversation';
import { noDigressions, type PlanContext, result } from '../context.ts';
import { internal } from '../names.ts';
import { isCurrent } from './guards.ts';
import { fulfilledBy, openQuestion, taskTools } from './questions.ts';
import {
  completesByAnswer,
  currentState,
  isComplete,
  type PlanAction,
  type PlanActions,
  planMeta,
  type PlanScope,
} from './state.ts';
import { apply, readUpdate, refused } from './update.ts';
import { correctionActions, repeatDecisions } from './visit.ts';
import { workActions } from './work.ts';

/**
 * Owns the turn: `turn`, `message`, `messages`, `inbox`, `addressed`, `noted` and `refused` of the context. A turn is waiting,
 * extracting, settling (the plan moves on), replying or failed. The region `plan` owns states, tasks and deliverables. The two
 * regions exchange the events of names.ts.
 */

/** A person's message begins a turn. If the answer alone completes the state, the plan moves on before the extraction. */
function listenTo(scope: PlanScope, event: HandledEvent): ReturnType<PlanAction> {
  const { context } = scope;
  const { visit } = context;
  const heard = hear(context, event, openQuestion(scope));
  const isEnough = !heard.early && completesByAnswer(scope);
  const turns = visit.turns + (heard.early ? 0 : 1);
  return {
    context: {
      ...heard,
      visited: [],
      ...(context.tried && { tried: {} }),
      // The lifecycle already knows about an update that has handed over.
      ...(context.handOver !== undefined && { handOver: undefined }),
      noted: 'nothing',
      visit: { ...visit, answered: visit.answered || isEnough, turns },
    },
    raise: [{ type: isEnough ? internal.evaluate : internal.settled }],
  };
}

const hearing = inbox<PlanContext>({
  listen: listenTo,
  questionOf: openQuestion,
  takesFacts: true,
});

export const turnGuards = hearing.guards;

export const turnActions = {
  ...hearing.actions,
  ...summaryBehaviour.actions,
  ...correctionActions,
  ...workActions,

  /** Notes which state a port is asked about. */
  address: ({ context }) => ({ context: { addressed: context.state } }),

  takeNothing: () => ({ raise: [{ type: internal.end, of: 'message' }] }),

  /** Sends the reply. Its tool calls say which tasks are done by speaking. */
  takeReply: (scope) => {
    const { context, event } = scope;
    const answer = readReply(event, offered, context.addressed);
    const { toolCalls, ending, requests, silent } = answer;
    const calls = toolCalls.filter(({ name }) => offered.includes(name));
    const taskOf = ({ arguments: { task_id: id } }: ToolCall) => (typeof id === 'string' ? id : []);
    const named = (tool: string) => calls.filter(({ name }) => name === tool).flatMap(taskOf);
    const nameless = calls.filter((call) => typeof taskOf(call) !== 'string');
    const isHere = isSent(answer) && context.addressed === context.state;
    const update = readUpdate({
      deliverables: isHere ? fulfilledBy(scope, answer.text) : {},
      complete: named('complete_task'),
      skip: named('skip_task'),
    });
    const { visit } = context;
    const spoken = visit.spoken || context.addressed === context.state;
    // A reply that ends tasks and asks nothing is followed by the question of the next state.
    const hasDone = update.complete.length > 0 || Object.keys(update.deliverables).length > 0;
    const leads = hasDone && !silent && !isQuestion.test(answer.text);
    const updatedIn = leads ? context.state : undefined;
    const told: Partial<PlanContext> = {
      ...((leads || context.updatedIn !== undefined) && { updatedIn }),
      handOver: undefined,
      ...(context.worked && { worked: undefined }),
      ...(context.resumed && { resumed: undefined }),
      noted: 'nothing',
      ...(!silent && { refused: [], cameFrom: null, visit: { ...visit, spoken } }),
    };
    const place = { ...scope, context: { ...context, ...told } };
    const applied = apply(place, update, 'reply');
    return {
      context: { ...told, ...replied(context, answer, openQuestion(place)), ...applied.context },
      raise: ending
        ? [...(applied.raise ?? []).slice(0, -1), { type: internal.ended, ...ending }]
        : (applied.raise ?? []),
      emit: [
        ...messageSent(answer, callKey(context, 'reply'), context.addressed),
        ...requests,
        ...nameless.map(({ name }) =>
          refused(context, name, `The tool "${name}" needs a "task_id" that is a text.`),
        ),
        ...(applied.emit ?? []),
      ],
    };
  },

  /** Decides whether to try the transitions after an update is recorded. Spec: docs/formats/plan.md#transitions */
  endUpdate: (scope) => {
    const { context, event } = scope;
    const isMessage = event['of'] === 'message';
    const { visit, noted, early } = context;
    const idle = isMessage && noted === 'nothing' && !early;
    const terminal = event['of'] === 'reply' && currentState(scope).terminal === true;
    const evaluate = noted === 'progress' || idle || terminal;
    const answered = visit.answered || (isMessage && visit.spoken && !early);
    const repeated = repeatDecisions(scope);
    const { all, idle: recent } = visit.digressions ?? noDigressions;
    const digressions = idle &&
      isQuestion.test(context.message ?? '') && { digressions: { all: all + 1, idle: recent + 1 } };
    const handed = context.handed?.filter((occasion) => isCurrent(scope, occasion));
    return {
      context: {
        visit: { ...visit, answered, idleTurns: visit.idleTurns + (idle ? 1 : 0), ...digressions },
        ...(handed && { handed }),
        ...repeated?.context,
      },
      raise: repeated?.raise ?? [{ type: evaluate ? internal.evaluate : internal.settled }],
      emit: repeated?.emit ?? [],
    };
  },

  /** The message is recorded. The reply follows after the next message. */
  forgetMessage: () => ({ context: { message: null } }),

  /** Begins a turn without a message, after an update. */
  beginLine: ({ context }) => ({
    context: { turn: context.turn + 1 },
    raise: [{ type: internal.settled }],
  }),

  /** Begins a turn without a message: a person has returned the conversation. Failed agents are called again. */
  resumeTurn: ({ context }) => ({
    context: {
      turn: context.turn + 1,
      visited: [],
      handOver: undefined,
      resumed: true,
      ...(context.tried && { tried: {} }),
    },
    raise: [{ type: internal.evaluate }],
  }),

  settle: () => ({ raise: [{ type: internal.settled }] }),

  sayFarewell: ({ context, meta }) => ({
    context: { message: null, messages: context.messages + 1, cameFrom: null, refused: [] },
    emit: messageSent(
      { text: planMeta(meta).farewell_message ?? '', ending: undefined },
      callKey(context, 'farewell'),
      context.state,
    ),
  }),

  cancel: ({ context }) => ({
    context: {
      outcome: 'cancelled',
      ...(context.outcome === null ? { lastState: context.state } : {}),
    },
  }),

  /** The agent has said goodbye, so the author's farewell is not sent. If the plan has reached its end, its own outcome is kept. */
  endByAgent: (scope) => {
    const { context, event } = scope;
    const { reason } = event;
    const isReached = currentState(scope).terminal === true && isComplete(scope);
    return {
      context: {
        outcome: context.outcome ?? (isReached || context.endless ? 'completed' : endedByAgent),
        reason: typeof reason === 'string' ? reason : null,
        ...(context.outcome === null ? { lastState: context.state } : {}),
      },
    };
  },

  announceEnd: ({ context, meta }) => {
    const output = result({ context });
    return { emit: ended(context, output, planMeta(meta).on_end, output.deliverables) };
  },
} satisfies PlanActions;

/** Tools of a reply that name a task. */
const offered = Object.keys(taskTools);

/** The end of a sentence that is a question, and not a part of an address. */
const isQuestion = /[?？؟](?![\p{L}\p{N}_=&])/u;
