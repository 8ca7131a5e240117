import type { State } from './definition/index.ts';
import type { StateDefinition } from './definition/machine.ts';
import { approvalKind } from './kinds/approval/approval.ts';
import { checkpointKind } from './kinds/checkpoint.ts';
import { choiceKind } from './kinds/choice.ts';
import { debateKind } from './kinds/debate/debate.ts';
import { failKind } from './kinds/fail.ts';
import { includeKind } from './kinds/include.ts';
import { mapKind } from './kinds/map/map.ts';
import { parallelKind } from './kinds/parallel.ts';
import { passKind } from './kinds/pass.ts';
import { subworkflowKind } from './kinds/subworkflow.ts';
import { succeedKind } from './kinds/succeed.ts';
import { taskKind } from './kinds/task/task.ts';
import { waitKind } from './kinds/wait.ts';
import type { Kind } from './kinds/kind.ts';

/** Every state type of the language. All lists of state types follow from this record. */
export const kinds = namedByType({
  Task: taskKind,
  Choice: choiceKind,
  Map: mapKind,
  Parallel: parallelKind,
  Pass: passKind,
  Wait: waitKind,
  Succeed: succeedKind,
  Fail: failKind,
  Approval: approvalKind,
  Debate: debateKind,
  Checkpoint: checkpointKind,
  Include: includeKind,
  Workflow: subworkflowKind,
});

/** Makes a row with another name than the `Type` of its states a compile error. */
function namedByType<
  Rows extends {
    readonly [Name in keyof Rows]: { read(...given: never[]): { readonly Type: Name } };
  },
>(rows: Rows): Rows {
  return rows;
}

/** The state types by their names: the `Type` of a state in one spelling. */
type StateType = keyof typeof kinds;

export const stateTypes = Object.keys(kinds) as readonly StateType[];

export function isStateType(type: unknown): type is StateType {
  return typeof type === 'string' && Object.hasOwn(kinds, type);
}

/** The kind of a type. A state of a type that does not exist is treated as a Pass. */
export function kindOf(type: unknown): Kind<State> {
  return kinds[isStateType(type) ? type : 'Pass'] as unknown as Kind<State>;
}

export function definitionOf(type: string): StateDefinition<State> {
  return kindOf(type).definition;
}

/** Whether only Agent State Language has the type. */
export function isAgentType(type: unknown): boolean {
  return isStateType(type) && kindOf(type).definition.isAgentOnly === true;
}
