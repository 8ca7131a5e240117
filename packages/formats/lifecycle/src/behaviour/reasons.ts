import type { GuardReason, ReasonMaker } from '@dramaturg/compiler/format';
import { counted } from '@dramaturg/compiler/text';
import type { LifecycleContext } from '../context.ts';
import type { Scalar } from '../definition.ts';
import { type BehaviourName, behaviourName, type GuardWord, guardWords } from '../vocabulary.ts';
import { receivedProblem, type Refusal, replyProblem } from './message.ts';
import type { AnyEvent } from './scope.ts';
import { delayProblem, todoProblem, toolProblem, turnProblem } from './turn.ts';

type LifecycleReason<Params = unknown> = ReasonMaker<LifecycleContext, AnyEvent, Params>;

/** For guards without further details, the reason is the word itself: `no turn`, `not: no turn`. */
const worded = Object.fromEntries(
  guardWords.map((word) => {
    const words = word.replaceAll('_', ' ');
    const reason: LifecycleReason = (_scope, _params, result) => ({
      text: result ? words : `not: ${words}`,
    });
    return [behaviourName(word), reason];
  }),
);

/** A guard that holds unless there is a problem. */
function unless(problemOf: (context: LifecycleContext, event: AnyEvent) => Refusal | undefined) {
  const reason: LifecycleReason = ({ context, event }) => {
    const problem = problemOf(context, event);
    return problem ? { text: problem.because.replace(/\.$/, '') } : undefined;
  };
  return reason;
}

const counts = {
  messagesWait: ({ context: { inbox_count } }) => messages(inbox_count),
  unattendedMessages: ({ context: { inbox_count, turn } }) =>
    turn ? { text: 'a turn of the agent runs' } : messages(inbox_count),
  unansweredMessages: ({ context: { inbox_count, turn } }) =>
    messages(inbox_count + (turn?.message_count ?? 0)),
  somethingWasSent: ({ context: { turn } }) => ({
    text: `the turn has sent ${counted(turn?.sent ?? 0, 'message')}`,
  }),
  failuresUsedUp: ({ context: { failure_streak } }, { most }: { most: number }) => ({
    text: `${failure_streak + 1} of ${counted(most, 'failure')} in a row`,
    values: { failures: failure_streak + 1 },
  }),
  followUpsUsedUp: ({ context: { follow_up_count, heartbeat_config } }) => ({
    text: `${follow_up_count} of ${counted(heartbeat_config.max_followups, 'follow-up')} sent`,
    values: { follow_ups: follow_up_count },
  }),
} satisfies Partial<Record<BehaviourName<GuardWord>, LifecycleReason<{ most: number }>>>;

function messages(count: number): GuardReason {
  if (count === 0) return { text: 'no message waits' };
  return { text: `${counted(count, 'message')} ${count === 1 ? 'waits' : 'wait'} for an answer` };
}

const eventHas: LifecycleReason<{ fields: Readonly<Record<string, Scalar>> }> = (
  { event },
  { fields },
) => {
  const values = Object.keys(fields).map((field) => {
    const value = Object.hasOwn(event, field) ? event[field] : undefined;
    return [field, value === undefined ? 'missing' : JSON.stringify(value)] as const;
  });
  return { text: values.map(([field, value]) => `${field} is ${value}`).join(', ') };
};

export const reasons: Readonly<Record<string, ReasonMaker>> = {
  ...worded,
  currentTurn: unless(turnProblem),
  openTurn: unless(toolProblem),
  soundReply: unless((context, event) => toolProblem(context, event) ?? replyProblem(event)),
  soundDelay: unless(delayProblem),
  knownTodo: unless(todoProblem),
  newMessage: unless(receivedProblem),
  ...counts,
  eventHas,
};
