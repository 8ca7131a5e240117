import type { EventObject } from '@dramaturg/compiler';
import type { Guard } from '@dramaturg/compiler/format';
import { withVisit, type WorkflowContext } from '../context.ts';
import { parseDuration } from '../data/timestamp.ts';
import type { ApprovalVisit } from '../flow/approval-work.ts';
import type { Address, Reminder } from '../flow/reminders.ts';
import { callKey } from './call-key.ts';
import { OpenApproval } from './open-approval.ts';
import type { BehaviourPart } from './part.ts';
import type { StateAction, StateInputMaker, StateParams } from './state-at-work.ts';
import { continueState } from './state-steps.ts';

const hasReminder: Guard<WorkflowContext, unknown, StateParams> = (scope, params) =>
  new OpenApproval(scope, params).pendingReminders.length > 0;

const reminderTimer: StateInputMaker = (scope, params) => {
  const { work, pendingReminders } = new OpenApproval(scope, params);
  return {
    key: callKey(scope.context, params.machine, `reminder/${work.remindersEmitted}`),
    at: work.askedAt + pendingReminders[0]!.after,
  };
};

/** The next step of the escalation approves. */
const isApprovedByNow: Guard<WorkflowContext, unknown, StateParams> = (scope, params) =>
  new OpenApproval(scope, params).pendingReminders[0]?.approves === true;

/** The next step adds an approver, so the question has to be asked again. */
const widensApprovers: Guard<WorkflowContext, unknown, StateParams> = (scope, params) => {
  const { pendingReminders, definition } = new OpenApproval(scope, params);
  return pendingReminders[0]?.to !== undefined && definition.Policy?.Approvers !== undefined;
};

const remind: StateAction = (scope, params) =>
  continueState(scope, params, () => {
    const open = new OpenApproval(scope, params);
    const [reminder] = open.pendingReminders;
    const remindersEmitted = open.work.remindersEmitted + 1;
    return open.change({ remindersEmitted }, reminderEvents(open, reminder!));
  });

const widenApprovers: StateAction = (scope, params) =>
  continueState(scope, params, () => {
    const open = new OpenApproval(scope, params);
    const { remindersEmitted, timesAsked } = open.work;
    const events = reminderEvents(open, open.pendingReminders[0]!);
    const next = { remindersEmitted: remindersEmitted + 1, timesAsked: timesAsked + 1 };
    return open.change(next, events);
  });

/** The timeout can be extended once. */
const mayWaitAgain: Guard<WorkflowContext, unknown, StateParams> = (scope, params) =>
  new OpenApproval(scope, params).work.extended !== true;

/** Extends the timeout by its own length, and emits the next step of the escalation now. Tutorial 8 */
const waitAgain: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const open = new OpenApproval(scope, params);
    const { pendingReminders, work } = open;
    const step = pendingReminders.findIndex(({ level }) => level !== undefined);
    const due = step < 0 ? pendingReminders : pendingReminders.slice(0, step + 1);
    const now = state.world.now();
    const approval = {
      ...work,
      extended: true as const,
      remindersEmitted: work.remindersEmitted + due.length,
      timesAsked: work.timesAsked + 1,
      // Later reminders keep their distance from those that are emitted now.
      askedAt: now - (due.at(-1)?.after ?? now - work.askedAt),
    };
    const timeoutAt = now + parseDuration(open.definition.Timeout!)!;
    return state.effects(
      withVisit<ApprovalVisit>(progress, { approval, timeoutAt }),
      due.flatMap((reminder) => reminderEvents(open, reminder)),
    );
  });

/** One event for a step of the escalation, and one for each address. */
function reminderEvents(
  open: OpenApproval,
  { level, notify, message, to }: Reminder,
): EventObject[] {
  const { flow } = open.program;
  const run = open.edited;
  const text =
    message === undefined ? open.work.prompt : open.flow.text(run, flow.select(run), message);
  const identity = open.identity();
  const notified = notify.map((address: Address): EventObject => ({
    type: 'decision.notified',
    ...identity,
    ...address,
    text,
  }));
  if (level === undefined) return notified;
  const addresses = notify.map((address) => address.to);
  return [
    {
      type: 'decision.escalated',
      ...identity,
      level,
      notify: addresses,
      ...(to !== undefined && { to }),
      text,
    },
    ...notified,
  ];
}

export const remindersBehaviour = {
  guards: { hasReminder, isApprovedByNow, widensApprovers, mayWaitAgain },
  actions: { remind, widenApprovers, waitAgain },
  inputs: { reminderTimer },
} satisfies BehaviourPart;
