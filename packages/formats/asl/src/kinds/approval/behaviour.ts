import type { EventObject } from '@dramaturg/compiler';
import type { Guard } from '@dramaturg/compiler/format';
import { type Decision, type Question, shortCode, whyRefused } from '@dramaturg/compiler/machine';
import {
  callKey,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
  type StateParams,
  visitKey,
  type WorkflowScope,
} from '../../behaviour/state-at-work.ts';
import { type BehaviourPart, composed } from '../../behaviour/part.ts';
import { continueState, enterState, leaveState } from '../../behaviour/state-steps.ts';
import {
  type Progress,
  progressOf,
  visitOf,
  withVisit,
  type WorkflowContext,
} from '../../context.ts';
import { StatesError } from '../../data/states-error.ts';
import { parseDuration } from '../../data/timestamp.ts';
import type { Run } from '../../flow/run.ts';
import { type Approval, approvingOption, rejectingOption } from './definition.ts';
import type { ApprovalProgram } from './program.ts';
import type { Address, ApprovalVisit, ApprovalWork, Reminder } from './question.ts';

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

const remindersBehaviour = {
  guards: { hasReminder, isApprovedByNow, widensApprovers, mayWaitAgain },
  actions: { remind, widenApprovers, waitAgain },
  inputs: { reminderTimer },
} satisfies BehaviourPart;

/** The open question of an Approval, as its actions see it. */
class OpenApproval extends StateAtWork<ApprovalProgram> {
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
function openApproval(scope: WorkflowScope, params: StateParams, progress: Progress): OpenApproval {
  const context = { ...scope.context, [params.machine]: progress };
  return new OpenApproval({ ...scope, context }, params);
}

/*
 * The visit owns the open question (`approval`): its text, approvals and edits so far, and how many reminders were
 * emitted. The host owns the pending call with the question, under a key that counts how often it was asked. States of
 * an Approval:
 *
 *     asked → (a refused decision, an added approver or an extended timeout: asked again, with a new key)
 *           → collecting (one of several approvals; an edit makes it a new question, with a new id) → asked
 *           → decided → finished
 *           → undecided, when the timeout ends → finished, or failed
 */

/** Spec: Agent 2 §Approval State */
const prepareApproval: StateAction = (scope, params) =>
  enterState<ApprovalProgram>(scope, params, (state, progress) => {
    const { flow, approval, state: definition } = state.program;
    const { Timeout: authored } = definition as Approval;
    const run = state.run(progress);
    const work = approval.begin(run, flow.select(run));
    const timeoutMs = authored === undefined ? undefined : parseDuration(authored);
    const timeout = timeoutMs === undefined ? {} : { timeoutAt: state.world.now() + timeoutMs };
    const withQuestion = withVisit<ApprovalVisit>(progress, { approval: work, ...timeout });
    const open = openApproval(scope, params, withQuestion);
    return open.change({}, [open.requestedEvent]);
  });

const decisionCall: StateInputMaker = (scope, params) => new OpenApproval(scope, params).question;

interface Decided {
  readonly output: Decision;
}

type DecisionGuard = Guard<WorkflowContext, Decided, StateParams>;

const isDecided: DecisionGuard = (scope, params) =>
  whyRefused(new OpenApproval(scope, params).question, scope.event.output) === undefined;

/** The decision is an approval, and not the last one that is required. */
const needsAnother: DecisionGuard = (scope, params) => {
  const open = new OpenApproval(scope, params);
  const { output } = scope.event;
  return (
    open.flow.needsAnother(open.run(open.progress), open.work, output) &&
    whyRefused(open.question, output) === undefined
  );
};

/** Stops a client that keeps sending invalid decisions. */
const timesAskedMax = 200;

const mayAskAgain: Guard<WorkflowContext, unknown, StateParams> = (scope, params) =>
  new OpenApproval(scope, params).work.timesAsked < timesAskedMax;

const giveUpAsking: StateAction = (scope, params) =>
  failApproval(scope, params, 'States.ValidationError', `${timesAskedMax} decisions were invalid.`);

/** An invalid decision decides nothing. The same question is asked again, with a new key. */
const refuseDecision: StateAction<Decided> = (scope, params) => {
  const open = new OpenApproval(scope, params);
  const { output } = scope.event;
  const { decision, by } = output;
  const because = whyRefused(open.question, output)!;
  return open.change({ timesAsked: open.work.timesAsked + 1 }, [
    {
      type: 'decision.refused',
      ...open.identity(),
      decision,
      ...(by !== undefined && { by }),
      because,
    },
  ]);
};

/** Adds one of several required approvals. The next person is asked about the data with its edits. Agent 6 §Policy */
const collectApproval: StateAction<Decided> = (scope, params) =>
  continueState(scope, params, (state) => {
    const open = new OpenApproval(scope, params);
    const { output } = scope.event;
    const { decision, by } = output;
    const work = open.flow.collect(open.run(open.progress), open.work, output);
    if (work.timesAsked > timesAskedMax) {
      const cause = `After ${timesAskedMax} decisions not enough people agree.`;
      throw new StatesError('States.ValidationError', cause);
    }
    const required = open.definition.Policy!.RequiredApprovals;
    const approvals = work.approvals.length;
    const recorded = {
      type: 'decision.recorded',
      ...open.identity(),
      decision,
      by,
      approvals,
      required,
    };
    if (work.revisions === open.work.revisions) return open.change(work, [recorded]);
    const { edited } = open.changed(work);
    const next = open.changed({
      ...work,
      ...open.flow.ask(edited, state.program.flow.select(edited)),
    });
    return next.change({}, [recorded, next.requestedEvent]);
  });

const takeDecision: StateAction<Decided> = (scope, params) =>
  decide(new OpenApproval(scope, params), scope.event.output);

/** Nobody has decided in time, and the definition has an answer for that case. */
const approveByItself: StateAction = (scope, params) => decideByItself(scope, params, true);
const rejectByItself: StateAction = (scope, params) => decideByItself(scope, params, false);

function decideByItself(scope: WorkflowScope, params: StateParams, approves: boolean) {
  const open = new OpenApproval(scope, params);
  const option = approves ? approvingOption(open.definition) : rejectingOption(open.definition);
  return decide(open, { decision: option, by: 'system', comment: 'Nobody has decided in time.' });
}

function decide(open: OpenApproval, decision: Decision) {
  const { decision: option, by = 'user', comment, data } = decision;
  return open.change({ ...open.flow.add(open.run(open.progress), open.work, decision), decision }, [
    {
      type: 'decision.made',
      ...open.identity(),
      decision: option,
      by,
      ...(comment !== undefined && { comment }),
      ...(data && { data }),
    },
  ]);
}

const finishApproval: StateAction = (scope, params) =>
  continueState<ApprovalProgram>(scope, params, (state, progress) => {
    const { flow, approval } = state.program;
    const work = visitOf<ApprovalVisit>(progress).approval!;
    const { decision } = work.decision!;
    const run = state.run(progress);
    const stored = approval.store(run, approval.record(work, state.world.now()), work.edits);
    const way = approval.choose(run, stored, decision);
    return leaveState(state, progress, flow.finish(run, stored), way);
  });

/** Nobody has decided in time: the unchanged input goes to the `Default`. */
const passUndecided: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) =>
    leaveState(state, progress, { output: progress.input, variables: progress.variables }),
  );

/** Nobody has decided in time, and there is no `Default`. */
const failUndecided: StateAction = (scope, params) =>
  failApproval(scope, params, 'States.Timeout', 'Nobody has decided in time.');

function failApproval(
  { context }: WorkflowScope,
  { machine }: StateParams,
  error: string,
  cause: string,
) {
  const failure = { error, cause };
  return { context: { [machine]: { ...progressOf(context, machine), failure } } };
}

const approvalTimer: StateInputMaker = (scope, params) => {
  const progress = progressOf(scope.context, params.machine);
  const { timeoutAt, approval } = visitOf<ApprovalVisit>(progress);
  const call = approval?.extended ? 'timeout/again' : 'timeout';
  return { key: callKey(scope.context, params.machine, call), at: timeoutAt! };
};

export const approvalBehaviour = composed(remindersBehaviour, {
  guards: { isDecided, needsAnother, mayAskAgain },
  actions: {
    prepareApproval,
    refuseDecision,
    collectApproval,
    takeDecision,
    approveByItself,
    rejectByItself,
    giveUpAsking,
    finishApproval,
    passUndecided,
    failUndecided,
  },
  inputs: { decisionCall, approvalTimer },
});
