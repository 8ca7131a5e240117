import type { BehaviourPart } from './part.ts';
import {
  codeOf,
  type Decision,
  type EventObject,
  type Guard,
  type Question,
  whyRefused,
} from '@dramaturg/compiler';
import { type Progress, progressOf, type WorkflowContext } from '../context.ts';
import { type Approval, approvingOption, rejectingOption } from '../definition/index.ts';
import { StatesError } from '../data/states-error.ts';
import { parseDuration } from '../data/timestamp.ts';
import type { ApprovalWork } from '../flow/approval.ts';
import type { Address, Reminder } from '../flow/reminders.ts';
import type { Run } from '../flow/run.ts';
import { callKey, visitKey } from './call-key.ts';
import {
  entering,
  StateAtWork,
  type StateAction,
  type StateInputMaker,
  type StateParams,
  visitOf,
  within,
  type WorkflowScope,
} from './state-at-work.ts';

/** An Approval as its actions see it: the question, and how far it has come. */
class OpenApproval extends StateAtWork {
  readonly #params: StateParams;
  readonly #key: string;
  readonly #id: string;

  constructor(scope: WorkflowScope, params: StateParams) {
    super(scope, params);
    this.#params = params;
    this.#key = callKey(scope.context, params.machine, 'decision');
    const visit = visitKey(scope.context, params.machine);
    const { changed } = this.work;
    // Whoever has read the question as it was does not answer another one.
    this.#id = codeOf(changed === 0 ? visit : `${visit}/changed/${changed}`);
  }

  get definition(): Approval {
    return this.program.state as Approval;
  }

  get flow() {
    return this.program.approval!;
  }

  get work(): ApprovalWork {
    return visitOf(this.progress).approval!;
  }

  get question(): Question {
    const { timeoutAt } = visitOf(this.progress);
    return {
      key: `${this.#key}/${this.work.asked}`,
      id: this.#id,
      ...this.flow.question(this.work, this.edited.input, timeoutAt),
    };
  }

  /** What the question is asked of. */
  get edited(): Run {
    return this.flow.edited(this.run(this.progress), this.work);
  }

  /** That a question is asked. */
  get requested(): EventObject {
    const { timeoutAt } = visitOf(this.progress);
    return {
      type: 'decision.requested',
      ...this.named(),
      prompt: this.work.prompt,
      options: this.definition.Options,
      ...(timeoutAt !== undefined && { until: new Date(timeoutAt).toISOString() }),
    };
  }

  /** Those that have not been told. */
  get reminders(): readonly Reminder[] {
    return this.flow.reminders.slice(this.work.told);
  }

  /** The question as events name it. */
  named(): { readonly state: string; readonly id: string } {
    return { ...this.where(), id: this.#id };
  }

  /** The same with other work. */
  at(work: Partial<ApprovalWork>): OpenApproval {
    return openWith(this.scope, this.#params, {
      ...this.progress,
      visit: { ...visitOf(this.progress), approval: { ...this.work, ...work } },
    });
  }

  with(work: Partial<ApprovalWork>, emit: readonly EventObject[] = []) {
    return this.effects(this.at(work).progress, emit);
  }
}

function openWith(scope: WorkflowScope, params: StateParams, progress: Progress): OpenApproval {
  const context = { ...scope.context, [params.machine]: progress };
  return new OpenApproval({ ...scope, context }, params);
}

/** Spec: Agent 2 §Approval State */
export const prepareApproval: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, approval, state: definition } = state.program;
    const { Timeout: timeout } = definition as Approval;
    const run = state.run(progress);
    const work = approval!.begin(run, flow.select(run));
    const wait = timeout === undefined ? undefined : parseDuration(timeout);
    const timeoutAt = wait === undefined ? {} : { timeoutAt: state.world.now() + wait };
    const asked = { ...progress, visit: { attempts: [], approval: work, ...timeoutAt } };
    const open = openWith(scope, params, asked);
    return open.with({}, [open.requested]);
  });

export const decisionCall: StateInputMaker = (scope, params) =>
  new OpenApproval(scope, params).question;

interface Decided {
  readonly output: Decision;
}

type DecidedGuard = Guard<WorkflowContext, Decided, StateParams>;

export const isDecided: DecidedGuard = (scope, params) =>
  whyRefused(new OpenApproval(scope, params).question, scope.event.output) === undefined;

/** It is an approval, and not the last one that is required. */
export const needsAnother: DecidedGuard = (scope, params) => {
  const open = new OpenApproval(scope, params);
  const { output } = scope.event;
  return (
    open.flow.needsAnother(open.run(open.progress), open.work, output) &&
    whyRefused(open.question, output) === undefined
  );
};

/** Whoever keeps answering beside the question is no person. */
const mostAsked = 200;

export const mayAskAgain: Guard<WorkflowContext, unknown, StateParams> = (scope, params) =>
  new OpenApproval(scope, params).work.asked < mostAsked;

export const giveUpAsking: StateAction = ({ context }, { machine }) => {
  const cause = `${mostAsked} decisions were none that could be taken.`;
  const failure = { error: 'States.ValidationError', cause };
  return { context: { [machine]: { ...progressOf(context, machine), failure } } };
};

/** A decision that cannot be taken decides nothing: the question stands, under a key of its own. */
export const refuseDecision: StateAction<Decided> = (scope, params) => {
  const open = new OpenApproval(scope, params);
  const { output } = scope.event;
  const { decision, by } = output;
  const because = whyRefused(open.question, output)!;
  return open.with({ asked: open.work.asked + 1 }, [
    {
      type: 'decision.refused',
      ...open.named(),
      decision,
      ...(by !== undefined && { by }),
      because,
    },
  ]);
};

/** One of several approvals that are required. What it edits, the next person is asked about. Agent 6 §Policy */
export const collectApproval: StateAction<Decided> = (scope, params) =>
  within(scope, params, (state) => {
    const open = new OpenApproval(scope, params);
    const { output } = scope.event;
    const { decision, by } = output;
    const work = open.flow.collect(open.run(open.progress), open.work, output);
    if (work.asked > mostAsked) {
      const cause = `After ${mostAsked} decisions not enough people agree.`;
      throw new StatesError('States.ValidationError', cause);
    }
    const required = open.definition.Policy!.RequiredApprovals;
    const approvals = work.approvals.length;
    const recorded = {
      type: 'decision.recorded',
      ...open.named(),
      decision,
      by,
      approvals,
      required,
    };
    if (work.changed === open.work.changed) return open.with(work, [recorded]);
    const { edited } = open.at(work);
    const next = open.at({
      ...work,
      ...open.flow.ask(edited, state.program.flow.select(edited)),
    });
    return next.with({}, [recorded, next.requested]);
  });

export const takeDecision: StateAction<Decided> = (scope, params) =>
  decided(new OpenApproval(scope, params), scope.event.output);

/** Nobody has decided, and the definition says what that comes to. */
export const approveByItself: StateAction = (scope, params) => decideByItself(scope, params, true);
export const rejectByItself: StateAction = (scope, params) => decideByItself(scope, params, false);

function decideByItself(scope: WorkflowScope, params: StateParams, approves: boolean) {
  const open = new OpenApproval(scope, params);
  const option = approves ? approvingOption(open.definition) : rejectingOption(open.definition);
  return decided(open, { decision: option, by: 'system', comment: 'Nobody has decided in time.' });
}

function decided(open: OpenApproval, decision: Decision) {
  const { decision: option, by = 'user', comment } = decision;
  return open.with({ ...open.flow.edit(open.work, decision), decision }, [
    {
      type: 'decision.made',
      ...open.named(),
      decision: option,
      by,
      ...(comment !== undefined && { comment }),
    },
  ]);
}

export const finishApproval: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { flow, approval } = state.program;
    const work = visitOf(progress).approval!;
    const { decision } = work.decision!;
    const run = state.run(progress);
    const stored = approval!.store(run, approval!.record(work, state.world.now()), work.edited);
    const way = approval!.choose(run, stored, decision);
    const {
      Choices: rules,
      Default: fallback,
      Next: next,
      End: end,
    } = state.program.state as Approval;
    if (
      rules.length > 0 &&
      way === undefined &&
      fallback === undefined &&
      next === undefined &&
      !end
    ) {
      throw new StatesError(
        'States.NoChoiceMatched',
        `No rule of the Approval is about the decision "${decision}", and it has no "Default".`,
      );
    }
    const passed = flow.finish(run, stored);
    return state.left(progress, passed, way);
  });

/** Nobody has decided in time: the input goes on as it is, to the `Default`. */
export const passUndecided: StateAction = (scope, params) =>
  within(scope, params, (state, progress) =>
    state.left(progress, { output: progress.input, variables: progress.variables }),
  );

/** Nobody has decided in time, and there is no `Default`. */
export const failUndecided: StateAction = ({ context }, { machine }) => {
  const failure = { error: 'States.Timeout', cause: 'Nobody has decided in time.' };
  return { context: { [machine]: { ...progressOf(context, machine), failure } } };
};

export const approvalTimer: StateInputMaker = (scope, params) => {
  const { timeoutAt, approval } = visitOf(progressOf(scope.context, params.machine));
  const call = approval?.extended ? 'timeout/again' : 'timeout';
  return { key: callKey(scope.context, params.machine, call), at: timeoutAt! };
};

/** Somebody is still to be told. */
export const hasReminder: Guard<WorkflowContext, unknown, StateParams> = (scope, params) =>
  new OpenApproval(scope, params).reminders.length > 0;

export const reminderTimer: StateInputMaker = (scope, params) => {
  const { work, reminders } = new OpenApproval(scope, params);
  return {
    key: callKey(scope.context, params.machine, `reminder/${work.told}`),
    at: work.askedAt + reminders[0]!.after,
  };
};

/** The next step of the escalation is to approve. */
export const isApprovedByNow: Guard<WorkflowContext, unknown, StateParams> = (scope, params) =>
  new OpenApproval(scope, params).reminders[0]?.approves === true;

/** The next step lets somebody else decide, so that the question is another one. */
export const widensApprovers: Guard<WorkflowContext, unknown, StateParams> = (scope, params) => {
  const { reminders, definition } = new OpenApproval(scope, params);
  return reminders[0]?.to !== undefined && definition.Policy?.Approvers !== undefined;
};

export const remind: StateAction = (scope, params) =>
  within(scope, params, () => {
    const open = new OpenApproval(scope, params);
    const [reminder] = open.reminders;
    const told = open.work.told + 1;
    return open.with({ told }, tellingOf(open, reminder!));
  });

export const widenApprovers: StateAction = (scope, params) =>
  within(scope, params, () => {
    const open = new OpenApproval(scope, params);
    const { told, asked } = open.work;
    const events = tellingOf(open, open.reminders[0]!);
    return open.with({ told: told + 1, asked: asked + 1 }, events);
  });

/** Once, when the time is up. */
export const mayWaitAgain: Guard<WorkflowContext, unknown, StateParams> = (scope, params) =>
  new OpenApproval(scope, params).work.extended !== true;

/** The next step of the escalation is told now, and the question stands as long again. Tutorial 8 */
export const waitAgain: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const open = new OpenApproval(scope, params);
    const step = open.reminders.findIndex(({ level }) => level !== undefined);
    const skipped = step < 0 ? open.reminders : open.reminders.slice(0, step + 1);
    const { told, asked, askedAt } = open.work;
    const wait = parseDuration(open.definition.Timeout!)!;
    const now = state.world.now();
    const approval: ApprovalWork = {
      ...open.work,
      extended: true,
      told: told + skipped.length,
      asked: asked + 1,
      // What is to be told later keeps its distance from what is told now.
      askedAt: now - (skipped.at(-1)?.after ?? now - askedAt),
    };
    const visit = { ...visitOf(progress), approval, timeoutAt: now + wait };
    return state.effects(
      { ...progress, visit },
      skipped.flatMap((reminder) => tellingOf(open, reminder)),
    );
  });

/** What is said of a reminder: one event for the step, and one for each address. */
function tellingOf(open: OpenApproval, { level, notify, message, to }: Reminder): EventObject[] {
  const { flow: data } = open.program;
  const run = open.edited;
  const text =
    message === undefined ? open.work.prompt : open.flow.text(run, data.select(run), message);
  const named = open.named();
  const notified = notify.map((address: Address): EventObject => ({
    type: 'decision.notified',
    ...named,
    ...address,
    text,
  }));
  if (level === undefined) return notified;
  const addresses = notify.map((address) => address.to);
  return [
    {
      type: 'decision.escalated',
      ...named,
      level,
      notify: addresses,
      ...(to !== undefined && { to }),
      text,
    },
    ...notified,
  ];
}

export const approvalBehaviour = {
  guards: {
    isDecided,
    needsAnother,
    mayAskAgain,
    mayWaitAgain,
    hasReminder,
    isApprovedByNow,
    widensApprovers,
  },
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
    remind,
    widenApprovers,
    waitAgain,
  },
  inputs: { decisionCall, approvalTimer, reminderTimer },
} satisfies BehaviourPart;
