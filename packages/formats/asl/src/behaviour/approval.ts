import type { Guard } from '@dramaturg/compiler';
import { progressOf, type WorkflowContext } from '../context.ts';
import type { Approval } from '../definition/index.ts';
import { StatesError } from '../data/states-error.ts';
import { parseDuration } from '../data/timestamp.ts';
import type { Decision } from '../flow/approval.ts';
import { callKey } from './call-key.ts';
import {
  entering,
  StateAtWork,
  type StateParams,
  visitOf,
  within,
  type StateAction,
  type StateInputMaker,
} from './progress.ts';

/** Spec: Agent 2 §Approval State */
export const prepareApproval: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, approval, state: definition } = state.program;
    const { Options: options, Timeout: timeout } = definition as Approval;
    const run = state.run(progress);
    const prompt = approval!.prompt(run, flow.select(run));
    const wait = timeout === undefined ? undefined : parseDuration(timeout);
    return state.effects(
      {
        ...progress,
        visit: {
          attempts: [],
          work: prompt,
          ...(wait !== undefined && { timeoutAt: state.world.now() + wait }),
        },
      },
      [{ type: 'decision.requested', ...state.where(), prompt, options }],
    );
  });

export const decisionCall: StateInputMaker = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  const { Options: options, Editable: editable } = program.state as Approval;
  const { work, attempts } = visitOf(progress);
  return {
    key: callKey(scope.context, params.machine, `decision/${attempts.length}`),
    prompt: work as string,
    options: options.map((option) => ({ id: option, description: option })),
    data: progress.input,
    ...(editable && { editable: [...editable.Fields] }),
  };
};

interface Decided {
  readonly output: Decision;
}

export const isOption: Guard<WorkflowContext, Decided, StateParams> = (scope, params) => {
  const { Options: options } = new StateAtWork(scope, params).program.state as Approval;
  return options.includes(scope.event.output.decision);
};

/** Whoever keeps answering beside the question is no person. */
const mostRefusals = 100;

export const mayAskAgain: Guard<WorkflowContext, unknown, StateParams> = (
  { context },
  { machine },
) => visitOf(progressOf(context, machine)).attempts.length < mostRefusals;

export const giveUpAsking: StateAction = ({ context }, { machine }) => {
  const cause = `${mostRefusals} decisions were none of the options.`;
  const failure = { error: 'States.ValidationError', cause };
  return { context: { [machine]: { ...progressOf(context, machine), failure } } };
};

/** A decision that was not on offer decides nothing: the question stands, under a key of its own. */
export const refuseDecision: StateAction<Decided> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const visit = visitOf(state.progress);
  const { Options: options } = state.program.state as Approval;
  const { decision } = scope.event.output;
  return state.effects(
    { ...state.progress, visit: { ...visit, attempts: [...visit.attempts, 0] } },
    [
      {
        type: 'decision.refused',
        ...state.where(),
        decision,
        because: `"${decision}" is not one of the options: ${options.join(', ')}.`,
      },
    ],
  );
};

export const finishApproval: StateAction<Decided> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { flow, approval } = state.program;
    const decided = scope.event.output;
    const run = state.run(progress);
    const record = approval!.record(decided, visitOf(progress).work as string, state.world.now());
    const stored = approval!.store(run, record, decided);
    const way = approval!.choose(run, stored, decided.decision);
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
        `No rule of the Approval is about the decision "${decided.decision}", and it has no "Default".`,
      );
    }
    const passed = flow.pass({ ...run, input: stored });
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
