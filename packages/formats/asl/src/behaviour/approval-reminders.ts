import type { EventObject } from '@dramaturg/compiler';
import type { Guard } from '@dramaturg/compiler/format';
import { type Question, shortCode } from '@dramaturg/compiler/machine';
import { type Progress, visitOf, withVisit, type WorkflowContext } from '../context.ts';
import { parseDuration } from '../data/timestamp.ts';
import type { Approval } from '../definition/index.ts';
import type { ApprovalVisit, ApprovalWork } from '../flow/approval-work.ts';
import type { ApprovalProgram } from '../kinds/approval/program.ts';
import type { Address, Reminder } from '../flow/reminders.ts';
import type { Run } from '../flow/run.ts';
import { callKey, visitKey } from './call-key.ts';
import type { BehaviourPart } from './part.ts';
import {
  type StateAction,
  StateAtWork,
  type StateInputMaker,
  type StateParams,
  type WorkflowScope,
} from './state-at-work.ts';
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
      // Later reminders keep their distance from the reminders that are emitted now.
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

/** The open question of an Approval, as its actions see it. */
export class OpenApproval extends StateAtWork<ApprovalProgram> {
  readonly #params: StateParams;
  readonly #key: string;
  readonly #id: string;

  constructor(scope: WorkflowScope, params: StateParams) {
    super(scope, params);
    this.#params = params;
    this.#key = callKey(scope.context, params.machine, 'decision');
    const visit = visitKey(scope.context, params.machine);
    const { revisions } = this.work;
    // A changed question has a new id, so that an answer to the old question does not decide the new one.
    this.#id = shortCode(revisions === 0 ? visit : `${visit}/changed/${revisions}`);
  }

  get definition(): Approval {
    return this.program.state as Approval;
  }

  get flow() {
    return this.program.approval;
  }

  get work(): ApprovalWork {
    return visitOf<ApprovalVisit>(this.progress).approval!;
  }

  get question(): Question {
    const { timeoutAt } = visitOf<ApprovalVisit>(this.progress);
    return {
      key: `${this.#key}/${this.work.timesAsked}`,
      id: this.#id,
      ...this.flow.question(this.work, this.edited.input, timeoutAt),
    };
  }

  /** The run with all edits so far. */
  get edited(): Run {
    return this.flow.edited(this.run(this.progress), this.work);
  }

  get requestedEvent(): EventObject {
    const { timeoutAt } = visitOf<ApprovalVisit>(this.progress);
    return {
      type: 'decision.requested',
      ...this.identity(),
      prompt: this.work.prompt,
      ...(this.work.details && { details: this.work.details }),
      options: this.definition.Options,
      ...(timeoutAt !== undefined && { until: new Date(timeoutAt).toISOString() }),
    };
  }

  /** The reminders that were not emitted yet. */
  get pendingReminders(): readonly Reminder[] {
    return this.flow.reminders.slice(this.work.remindersEmitted);
  }

  /** The fields that name the question in events. */
  identity(): { readonly state: string; readonly id: string } {
    return { ...this.where(), id: this.#id };
  }

  /** The same question after a change. */
  changed(work: Partial<ApprovalWork>): OpenApproval {
    const approval = { ...this.work, ...work };
    const progress = withVisit<ApprovalVisit>(this.progress, { approval });
    return openApproval(this.scope, this.#params, progress);
  }

  change(work: Partial<ApprovalWork>, emit: readonly EventObject[] = []) {
    return this.effects(this.changed(work).progress, emit);
  }
}

/** @param progress of the machine, in place of the one in the context */
export function openApproval(
  scope: WorkflowScope,
  params: StateParams,
  progress: Progress,
): OpenApproval {
  const context = { ...scope.context, [params.machine]: progress };
  return new OpenApproval({ ...scope, context }, params);
}
