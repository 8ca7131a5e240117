import type { BehaviourPart } from './part.ts';
import type { Guard, PortInput } from '@dramaturg/compiler';
import { progressOf, type WorkflowContext } from '../context.ts';
import type { Found, Keeping } from '../flow/memory.ts';
import { usedBy } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import { failureOf } from './failure.ts';
import {
  type MachineParams,
  type StateParams,
  visitOf,
  within,
  type WorkflowScope,
  type StateAction,
} from './state-at-work.ts';
import { spending } from './spending.ts';

/** What is looked up, worked out where it can fail. Spec: Agent 3 §Memory */
export const planRead: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const visit = visitOf(progress);
    const lookup = state.program.memory!.lookup(state.run(progress), visit.work!);
    return state.effects({ ...progress, visit: { ...visit, lookup } });
  });

export const recallCall = (
  { context }: WorkflowScope,
  { machine }: StateParams,
): PortInput<'recall'> => ({
  key: callKey(context, machine, 'recall'),
  transcript: { conversation: context.execution.id, length: 0 },
  ...visitOf(progressOf(context, machine)).lookup!,
});

export const takeMemories: StateAction<{ output: Found }> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { output } = scope.event;
    return spending(state, progress, [usedBy({ ...output, result: null })], (spent) => {
      const { lookup: _, ...visit } = visitOf(spent);
      const work = state.program.memory!.inject(visit.work!, output);
      return state.effects({ ...spent, visit: { ...visit, work } });
    });
  });

/** What is to be kept of what the state will hand on; that is worked out here, and not once more when it is left. */
export const planWrites: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { answer, reasoning, ...visit } = visitOf(progress);
    const { flow, memory } = state.program;
    const run = state.run(progress);
    const outcome = flow.finish(run, answer!.result, reasoning);
    const keepings = memory!.keepings(run, outcome.output);
    return state.effects({ ...progress, visit: { ...visit, outcome, keepings } });
  });

export const hasWrites: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => (visitOf(progressOf(context, machine)).keepings?.length ?? 0) > 0;

export const rememberCall = (
  { context }: WorkflowScope,
  { machine }: StateParams,
): PortInput<'remember'> => {
  const [keeping, ...rest] = visitOf(progressOf(context, machine)).keepings as [
    Keeping,
    ...Keeping[],
  ];
  return { key: callKey(context, machine, `remember/${rest.length}`), ...keeping };
};

export const finishWrite: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { keepings = [], ...visit } = visitOf(progress);
    return state.effects({ ...progress, visit: { ...visit, keepings: keepings.slice(1) } });
  });

/** Tutorial 6 knows the error of a memory that nobody has set up. */
export const memoryFailed: StateAction<{ error: unknown }> = ({ context, event }, { machine }) => {
  const failure = failureOf(event.error);
  const isMissing = (event.error as { code?: unknown } | null)?.code === 'port/not-provided';
  return {
    context: {
      [machine]: {
        ...progressOf(context, machine),
        failure: isMissing ? { ...failure, error: 'States.MemoryNotConfigured' } : failure,
      },
    },
  };
};

export const memoryBehaviour = {
  guards: { hasWrites },
  actions: { planRead, takeMemories, planWrites, finishWrite, memoryFailed },
  inputs: { recallCall, rememberCall },
} satisfies BehaviourPart;
