import type { Guard } from '@dramaturg/compiler/format';
import { type Decision, whyRefused } from '@dramaturg/compiler/machine';
import {
  openApproval,
  OpenApproval,
  remindersBehaviour,
} from '../../behaviour/approval-reminders.ts';
import { callKey } from '../../behaviour/call-key.ts';
import { composed } from '../../behaviour/part.ts';
import type {
  StateAction,
  StateInputMaker,
  StateParams,
  WorkflowScope,
} from '../../behaviour/state-at-work.ts';
import { continueState, enterState, leaveState } from '../../behaviour/state-steps.ts';
import { progressOf, visitOf, withVisit, type WorkflowContext } from '../../context.ts';
import { StatesError } from '../../data/states-error.ts';
import { parseDuration } from '../../data/timestamp.ts';
import { type Approval, approvingOption, rejectingOption } from '../../definition/index.ts';
import type { ApprovalVisit } from '../../flow/approval-work.ts';
import type { ApprovalProgram } from './program.ts';

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
