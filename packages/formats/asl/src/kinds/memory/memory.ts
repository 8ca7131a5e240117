import type { PortInput } from '@dramaturg/compiler';
import type { ChartTransition } from '@dramaturg/compiler/chart';
import {
  callKey,
  failureOf,
  type StateAction,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from '../../behaviour/state-at-work.ts';
import { type BehaviourPart, references } from '../../behaviour/part.ts';
import { countUsage } from '../../behaviour/spending.ts';
import { continueState } from '../../behaviour/state-steps.ts';
import { progressOf, visitOf, withVisit, type WorkVisit } from '../../context.ts';
import type { ReasoningVisit } from '../../flow/reasoning.ts';
import { usageOfCall } from '../../flow/run.ts';
import type { Nodes, StateNodes } from '../../lower/nodes.ts';
import type { Found, MemoryProgram, MemoryVisit } from './program.ts';

/** Prepares the query, as the input of a call must not fail. Spec: Agent 3 §Memory */
const planRead: StateAction = (scope, params) =>
  continueState<MemoryProgram>(scope, params, (state, progress) => {
    const { work } = visitOf<WorkVisit>(progress);
    const lookup = state.program.memory.lookup(state.run(progress), work!);
    return state.effects(withVisit<MemoryVisit>(progress, { lookup }));
  });

const recallCall = ({ context }: WorkflowScope, { machine }: StateParams): PortInput<'recall'> => ({
  key: callKey(context, machine, 'recall'),
  transcript: { conversation: context.execution.id, length: 0 },
  ...visitOf<MemoryVisit>(progressOf(context, machine)).lookup!,
});

const takeMemories: StateAction<{ output: Found }> = (scope, params) =>
  continueState<MemoryProgram>(scope, params, (state, progress) => {
    const { output } = scope.event;
    return countUsage(state, progress, [usageOfCall({ ...output, result: null })], (counted) => {
      const { work: before } = visitOf<WorkVisit>(counted);
      const work = state.program.memory.inject(before!, output);
      return state.effects(
        withVisit<MemoryVisit & WorkVisit>(counted, { lookup: undefined, work }),
      );
    });
  });

/** Prepares the writes. They need the outcome of the state, so it is computed here, once. */
const planWrites: StateAction = (scope, params) =>
  continueState<MemoryProgram>(scope, params, (state, progress) => {
    const { answer, reasoning } = visitOf<WorkVisit & ReasoningVisit>(progress);
    const { flow, memory } = state.program;
    const run = state.run(progress);
    const outcome = flow.finish(run, answer!.result, reasoning);
    const memoryWrites = memory.writes(run, outcome.output);
    return state.effects(
      withVisit<MemoryVisit & ReasoningVisit & WorkVisit>(progress, {
        answer: undefined,
        reasoning: undefined,
        outcome,
        memoryWrites,
      }),
    );
  });

const hasWrites = visitGuard<MemoryVisit>(({ memoryWrites = [] }) => memoryWrites.length > 0);

const rememberCall = (
  { context }: WorkflowScope,
  { machine }: StateParams,
): PortInput<'remember'> => {
  const { memoryWrites = [] } = visitOf<MemoryVisit>(progressOf(context, machine));
  const [write, ...rest] = memoryWrites;
  return { key: callKey(context, machine, `remember/${rest.length}`), ...write! };
};

const finishWrite: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { memoryWrites = [] } = visitOf<MemoryVisit>(progress);
    return state.effects(withVisit<MemoryVisit>(progress, { memoryWrites: memoryWrites.slice(1) }));
  });

/** Tutorial 6 names the error of a memory that the host does not provide. */
const memoryFailed: StateAction<{ error: unknown }> = ({ context, event }, { machine }) => {
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

const refer = references<typeof memoryBehaviour>();

/** Reads memories before the agent is asked. */
export function readNodes(nodes: StateNodes, next: ChartTransition): Nodes {
  const { params } = nodes;
  return {
    ...nodes.step('planningRead', refer.action('planRead', params), {
      target: nodes.to('recalling'),
    }),
    ...nodes.call('recalling', {
      name: 'recall',
      src: 'recall',
      input: refer.input('recallCall', params),
      done: 'recalled',
      failed: refer.action('memoryFailed', params),
    }),
    ...nodes.step('recalled', refer.action('takeMemories', params), next),
  };
}

/** Writes the outcome of the state to memory, one write after the other. */
export function writeNodes(nodes: StateNodes, next: ChartTransition): Nodes {
  const { params, id } = nodes;
  const { machine } = nodes.context;
  const more = { target: nodes.to('remembering'), guard: refer.guard('hasWrites', { machine }) };
  return {
    ...nodes.step('planningWrites', refer.action('planWrites', params), more, next),
    ...nodes.call('remembering', {
      name: 'remember',
      src: 'remember',
      input: refer.input('rememberCall', params),
      done: 'remembered',
      failed: refer.action('memoryFailed', params),
    }),
    remembered: {
      id: `${id}:remembered`,
      entry: [refer.action('finishWrite', params)],
      always: [more, next],
    },
  };
}
