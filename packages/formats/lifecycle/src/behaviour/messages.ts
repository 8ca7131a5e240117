import type { QuietWindow } from '../definition.ts';
import { mostSeen } from '../limits.ts';
import { fallback, idOf, messageProblem, receivedProblem, textField } from './message.ts';
import type { LifecycleAction } from './scope.ts';

/** Messages of the contact and of people who write by hand. Messages of the agent belong to its turn. */

/** Records a message, which then waits for the next turn. */
const recordMessage: LifecycleAction<{ settle?: QuietWindow }> = (
  { context, event, world },
  { settle },
) => {
  if (receivedProblem(context, event) !== undefined) return {};
  const message_counter = context.message_counter + 1;
  const id = idOf(event, `${context.instance}/received-${message_counter}`);
  const { unsaid, told = [] } = context;
  const last = world.now();
  const isFirst = context.inbox_count === 0;
  const inbox_at = { first: (!isFirst && context.inbox_at?.first) || last, last };
  return {
    context: {
      message_counter,
      ...(settle && { inbox_at }),
      inbox_count: context.inbox_count + 1,
      seen: [...context.seen, id].slice(-mostSeen),
      ...(unsaid && { unsaid: null, told: [...told, unsaid.cause] }),
    },
    emit: [
      { type: 'message.recorded', role: 'contact', id, ...textField(event) },
      ...(unsaid ? [fallback(unsaid)] : []),
    ],
  };
};

/** Requests sending. Nothing changes until the channel has accepted the message. */
const sendManually: LifecycleAction = ({ context, event }) => {
  if (messageProblem(event) !== undefined) return {};
  const message_counter = context.message_counter + 1;
  const id = idOf(event, `${context.instance}/manual-${message_counter}`);
  return {
    context: { message_counter },
    emit: [{ type: 'message.send.requested', role: 'manual', id, ...textField(event) }],
  };
};

/** Records a message that a person has sent by hand. */
const recordManual: LifecycleAction = ({ context, event }) => {
  // The channel already has the message, so it cannot be refused; invalid parts are left out.
  const message_counter = context.message_counter + 1;
  const id = idOf(event, `${context.instance}/manual-${message_counter}`);
  return {
    context: { message_counter, addressed: true, ...(context.unsaid && { unsaid: null }) },
    emit: [{ type: 'message.recorded', role: 'manual', id, ...textField(event) }],
  };
};

/** Drops the waiting messages: they were answered by other means. */
const clearInbox: LifecycleAction = ({ context: { inbox_count: messages } }) =>
  messages === 0
    ? {}
    : { context: { inbox_count: 0 }, emit: [{ type: 'inbox.cleared', messages }] };

export const messageActions = { recordMessage, sendManually, recordManual, clearInbox };
