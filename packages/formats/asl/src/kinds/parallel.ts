import { isRecord } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Action } from '@dramaturg/compiler/format';
import * as z from 'zod/mini';
import type { Part } from '../authored.ts';
import {
  type MachineParams,
  parentVisitOf,
  type StateParams,
  type WorkflowScope,
} from '../behaviour/state-at-work.ts';
import { type BehaviourPart, references } from '../behaviour/part.ts';
import { continueState, leaveState, prepareState } from '../behaviour/state-steps.ts';
import { listOf, sourceAt } from '../check/flow/value-set.ts';
import { onwards, recoveries, type StateWays } from '../check/flow/language-flow.ts';
import type { StateRule } from '../check/rule.ts';
import {
  type Progress,
  progressOf,
  withVisit,
  type WorkflowContext,
  type WorkVisit,
} from '../context.ts';
import { described } from '../definition/field.ts';
import type { Machine } from '../definition/machine.ts';
import {
  type ReportingParallel,
  type StateBase,
  stateObject,
  workFields,
} from '../definition/state.ts';
import { emptyList } from '../diagnostics/fields.ts';
import { sumOf } from '../flow/run.ts';
import { type NodeContext, StateNodes } from '../lower/nodes.ts';
import { readObjects } from '../normalise/fields.ts';
import { type Reading, readInput, readOutcome } from '../normalise/state.ts';
import { mockedWork, type StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

/** Spec: Agent 2 §Parallel State, Amazon #parallel-state */
const parallel = stateObject(workFields);

export type Parallel = ReturnType<typeof readParallel>;

/** Reports an empty list of branches. Spec: Agent 2 §Parallel State, states-language.net/spec.html#parallel-state */
const emptyBranches: StateRule<Parallel> = ({ authored, at }, { report }) => {
  const { Branches: branches } = authored;
  if (Array.isArray(branches) && branches.length === 0) {
    report(emptyList('Branches'), [...at, 'Branches']);
  }
};

/** Every branch begins with the same data and variables; the result lists their outputs. */
const parallelWays: StateWays<Parallel> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const passed = { data: flow.prepare(flow.select()), variables: sight.variables };
    return {
      exits: recoveries(visit),
      machines: state.Branches.map((machine) => ({ machine, passed })),
    };
  },
  leave({ state, sight, flow }, outputs) {
    const all = outputs.filter((output) => output !== undefined);
    if (all.length < outputs.length) return { exits: [] };
    const result = listOf(all, [sourceAt(sight.state, 'Branches')]);
    return { exits: onwards(state, flow.finish(result)) };
  },
};

const refer = references<typeof parallelBehaviour>();

/** Lowers a Parallel to a region for each branch. The regions join when all have ended. A failure stops them all. */
function parallelNode(state: Parallel, id: string, context: NodeContext): ChartNode {
  const branches = state.Branches.map((_, index) => `${id}:branch${index + 1}`);
  const nodes = new StateNodes(state, id, context);
  const params = { ...nodes.params, branches };
  const reporting = reportsProgress(state)
    ? reportingParallelOf(state, id, context, branches)
    : undefined;
  const regions = state.Branches.map((branch, index): [string, ChartNode] => {
    const machine = branches[index]!;
    const fail = refer.action('failBranch', { machine, of: context.machine, branches });
    const { target, actions } = nodes.failing(fail);
    const inside: NodeContext = {
      ...context,
      machine,
      parallel: reporting,
      end: `#${machine}:%done`,
      fail: { target: target as string, actions: actions ?? [] },
    };
    return [`branch${index + 1}`, regionNode(branch, inside, context.statesOf(branch, inside))];
  });
  return nodes.whole({
    prepare: refer.action('prepareParallel', params),
    working: {
      working: {
        id: `${id}:working`,
        type: 'parallel',
        states: Object.fromEntries(regions),
        onDone: [{ target: `#${id}:finishing` }],
      },
    },
    finish: refer.action('finishParallel', params),
  });
}

/** Whether the Parallel reports its progress. Agent 9 §Progress */
function reportsProgress({ authored: { Progress: progress } }: Parallel): boolean {
  return isRecord(progress) && progress['Enabled'] !== false;
}

function reportingParallelOf(
  state: Parallel,
  id: string,
  { machine }: NodeContext,
  branches: string[],
): ReportingParallel {
  return {
    state: id,
    machine,
    branches,
    sizes: state.Branches.map(({ States: { length } }) => length),
  };
}

function regionNode(
  branch: Machine,
  { machine }: NodeContext,
  { initial, states }: Pick<ChartNode, 'initial' | 'states'>,
): ChartNode {
  return {
    id: machine,
    ...(initial !== undefined && { initial }),
    states: {
      ...states,
      '%done': { id: `${machine}:%done`, type: 'final', meta: { title: 'done' } },
    },
    meta: { origin: branch.at },
  };
}

export interface ParallelParams extends StateParams {
  /** Names of the machines, in the order of the branches. */
  readonly branches: readonly string[];
}

/** Every branch begins with the same input and the current variables. Amazon #parallel-state */
const prepareParallel: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) =>
  prepareState(scope, params, (state, progress) => {
    const { flow } = state.program;
    const run = state.run(progress);
    const work = flow.prepare(run, flow.select(run));
    const effects = state.effects(withVisit<WorkVisit>(progress, { work }));
    const branches = beginBranches(scope, params, progress, work);
    return { ...effects, context: { ...effects.context, ...branches } };
  });

/** The initial progress of the machines within a state. */
export function beginBranches(
  { context }: Pick<WorkflowScope, 'context'>,
  { branches, machine }: ParallelParams,
  { variables, steps }: Progress,
  input: Progress['input'],
): Record<string, Progress> {
  const parentVisit = parentVisitOf(context, machine, steps);
  const start = { input, variables, state: '', enteredAt: 0, steps: 0, parentVisit };
  return Object.fromEntries(branches.map((branch) => [branch, start]));
}

const finishParallel: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) => {
  const branches = params.branches.map((branch) => progressOf(scope.context, branch));
  const outputs = branches.map(({ input }) => input);
  const effects = continueState(scope, params, (state, before) => {
    const progress = withUsageOf(before, branches);
    return state.attempt(progress, () =>
      leaveState(state, progress, state.program.flow.finish(state.run(progress), outputs)),
    );
  });
  return { ...effects, context: { ...effects.context, ...withoutBranches(params.branches) } };
};

/** The failure of a branch fails the Parallel. XState stops the other branches. */
export const failBranch: Action<
  WorkflowContext,
  unknown,
  MachineParams & { of: string; branches: readonly string[] }
> = ({ context }, { machine, of, branches }) => {
  const failure = progressOf(context, machine).failure!;
  const ended = branches.map((branch) => progressOf(context, branch));
  return {
    context: {
      [of]: { ...withUsageOf(progressOf(context, of), ended), failure },
      ...withoutBranches(branches),
    },
  };
};

export function withUsageOf(progress: Progress, branches: readonly Progress[]): Progress {
  const usage = sumOf([progress.usage, ...branches.map((branch) => branch.usage)]);
  return usage ? { ...progress, usage } : progress;
}

/** Removes the progress of branches that have ended. */
export function withoutBranches(branches: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(branches.map((branch) => [branch, undefined]));
}

const parallelBehaviour = {
  actions: { prepareParallel, finishParallel, failBranch },
} satisfies BehaviourPart;

/** AWS shows the data of a Parallel only after its result. */
const testParallel: StateTester = (program, run, { mock }) => {
  const { inspect: _, ...unseen } = run;
  program.flow.prepare(unseen, program.flow.select(unseen));
  return mockedWork(program, run, mock);
};

export const parallelKind: Kind<Parallel> = {
  definition: {
    schema: parallel,
    machineFields: {
      /** Machines that run at once; the result lists their outputs in this order. Agent 2, Amazon #parallel-state */
      Branches: {
        owner: 'A branch',
        ownFields: {},
        schemaOf: (branch) =>
          described(
            z.array(branch),
            'Machines that run at once; the result lists their outputs in this order.',
          ),
      },
    },
    machinesOf: ({ Branches: branches }) => branches,
  },
  read: readParallel,
  rules: [emptyBranches],
  ways: parallelWays,
  node: parallelNode,
  behaviour: parallelBehaviour,
  test: testParallel,
};

function readParallel(base: StateBase, authored: Part, reading: Reading) {
  return {
    ...base,
    ...readInput(authored),
    ...readOutcome(authored, reading),
    Type: 'Parallel' as const,
    Branches: readObjects(authored, 'Branches', reading).map((branch) =>
      reading.readMachine(branch, reading),
    ),
  };
}
