import type { PlanRule } from '../definition.ts';
import { agents } from './agents.ts';
import * as keys from './keys.ts';
import * as tasks from './tasks.ts';
import * as transitions from './transitions.ts';

/** Every rule of a plan, from the whole to its parts. */
export const planRules: readonly PlanRule[] = [
  transitions.duplicateStates,
  transitions.unknownInitialStates,
  transitions.missingEnds,
  transitions.stateLoops,
  transitions.misplacedGoals,
  tasks.wrongSessionFields,
  tasks.duplicateTasks,
  tasks.missingKeys,
  tasks.sharedDeliverables,
  tasks.enumsWithoutValues,
  tasks.valueLimits,
  tasks.requiredInOptionalTasks,
  tasks.answersNotHeard,
  transitions.unknownTargets,
  transitions.selfTransitions,
  transitions.shadowedTransitions,
  transitions.unreachableLimits,
  transitions.ambiguousPriorities,
  keys.uncoveredValues,
  keys.undeclaredKeys,
  keys.keysCollectedTooLate,
  keys.impossibleValues,
  transitions.contradictoryConditions,
  tasks.tasksNeverAsked,
  agents,
];
