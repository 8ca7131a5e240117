import type { State } from './definition/index.ts';
import type { StateDefinition } from './definition/state-definition.ts';
import { approval } from './kinds/approval.ts';
import { checkpoint } from './kinds/checkpoint.ts';
import { choice } from './kinds/choice.ts';
import { debate } from './kinds/debate.ts';
import { fail } from './kinds/fail.ts';
import { include } from './kinds/include.ts';
import { map } from './kinds/map.ts';
import { parallel } from './kinds/parallel.ts';
import { pass } from './kinds/pass.ts';
import { subworkflow } from './kinds/subworkflow.ts';
import { succeed } from './kinds/succeed.ts';
import { task } from './kinds/task.ts';
import { wait } from './kinds/wait.ts';
import type { Kind } from './kinds/kind.ts';

/** Every state type of the language. All lists of state types follow from this record. */
export const kinds = namedByType({
  Task: task,
  Choice: choice,
  Map: map,
  Parallel: parallel,
  Pass: pass,
  Wait: wait,
  Succeed: succeed,
  Fail: fail,
  Approval: approval,
  Debate: debate,
  Checkpoint: checkpoint,
  Include: include,
  Workflow: subworkflow,
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
export type StateType = keyof typeof kinds;

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
