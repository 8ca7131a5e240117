import type { Path } from '@dramaturg/compiler';
import { z } from 'zod';
import { approval, type Approval } from './approval.ts';
import { checkpoint, type Checkpoint } from './checkpoint.ts';
import { choice, type Choice } from './choice.ts';
import { include, type Include, subworkflow, type Subworkflow } from './include.ts';
import { debate, type Debate } from './debate.ts';
import { map, type MapState, processorConfig } from './map.ts';
import { chosenBy, text } from './field.ts';
import { fail, type Fail, succeed, type Succeed } from './fail.ts';
import { parallel, type Parallel } from './parallel.ts';
import { pass, type Pass } from './pass.ts';
import { common } from './state.ts';
import { task, type Task } from './task.ts';
import { wait, type Wait } from './wait.ts';

/** A machine in one spelling: the workflow, a branch of a Parallel, or what a Map runs for an item. */
export interface Machine {
  /** Empty when left out or no text. */
  readonly StartAt: string;
  /** In the order in which they are written. */
  readonly States: readonly State[];
  readonly at: Path;
  readonly authored: Readonly<Record<string, unknown>>;
}

/** A state in one spelling. */
export type State =
  | Task
  | Choice
  | MapState
  | Parallel
  | Pass
  | Wait
  | Succeed
  | Fail
  | Approval
  | Debate
  | Checkpoint
  | Include
  | Subworkflow;

export type StateType = State['Type'];

/** Each state is judged by the schema of its type; a rule reports a type that does not exist. */
const states = z.record(
  z.string(),
  chosenBy(({ Type: type }) => (isStateType(type) ? stateSchemas[type] : untyped)),
);

const untyped = z.object({ Type: text, ...common });

export const machineFields = {
  Comment: text.optional(),
  /** The first state. Agent 1, Amazon #toplevelfields */
  StartAt: text,
  /** Agent 1, Amazon #toplevelfields */
  States: states,
};

/** A branch of a Parallel, or what a Map runs for an item. Agent 2, Amazon #parallel-state */
export const machine = z.object(machineFields);

export const itemProcessor = machine.extend({ ProcessorConfig: processorConfig.optional() });

/** The fields of each type of state. Agent 2; the first eight are Amazon's too. */
export const stateSchemas: Readonly<Record<StateType, z.ZodObject>> = {
  Task: task,
  Choice: choice,
  Map: map.extend({
    /** What is run for each item. Agent 2 §Map State; the older name in Amazon #map-state */
    Iterator: itemProcessor.optional(),
    /** What is run for each item. Amazon #map-state */
    ItemProcessor: itemProcessor.optional(),
  }),
  Parallel: parallel.extend({
    /** Machines that run at once; the result lists their outputs in this order. Agent 2, Amazon #parallel-state */
    Branches: z.array(machine),
  }),
  Pass: pass,
  Wait: wait,
  Succeed: succeed,
  Fail: fail,
  Approval: approval,
  Debate: debate,
  Checkpoint: checkpoint,
  Include: include,
  Workflow: subworkflow,
};

export const stateTypes = Object.keys(stateSchemas) as readonly StateType[];

/** The types that Agent State Language adds to Amazon's. */
export const agentTypes: ReadonlySet<string> = new Set<StateType>([
  'Approval',
  'Debate',
  'Checkpoint',
  'Include',
  'Workflow',
]);

export function isStateType(type: unknown): type is StateType {
  return typeof type === 'string' && Object.hasOwn(stateSchemas, type);
}
