import { agents } from './agents.ts';
import { contradictoryConditions } from './contradictory-conditions.ts';
import { impossibleValues } from './impossible-values.ts';
import { keysCollectedTooLate } from './keys-collected-too-late.ts';
import { valueLimits } from './value-limits.ts';
import { tasksNeverAsked } from './tasks-never-asked.ts';
import { undeclaredKeys } from './undeclared-keys.ts';
import { uncoveredValues } from './uncovered-values.ts';
import type { PlanRule } from './rule.ts';
import { misplacedGoals } from './misplaced-goals.ts';
import { unknownInitialStates } from './unknown-initial-states.ts';
import { stateLoops } from './state-loops.ts';
import { wrongSessionFields } from './wrong-session-fields.ts';
import { duplicateStates } from './duplicate-states.ts';
import { missingEnds } from './missing-ends.ts';
import { missingKeys } from './missing-keys.ts';
import { enumsWithoutValues } from './enums-without-values.ts';
import { requiredInOptionalTasks } from './required-in-optional-tasks.ts';
import { sharedDeliverables } from './shared-deliverables.ts';
import { duplicateTasks } from './duplicate-tasks.ts';
import { ambiguousPriorities } from './ambiguous-priorities.ts';
import { selfTransitions } from './self-transitions.ts';
import { shadowedTransitions } from './shadowed-transitions.ts';
import { unreachableLimits } from './unreachable-limits.ts';
import { unknownTargets } from './unknown-targets.ts';

/** Every rule of a plan, from the whole to its parts. */
export const planRules: readonly PlanRule[] = [
  duplicateStates,
  unknownInitialStates,
  missingEnds,
  stateLoops,
  misplacedGoals,
  wrongSessionFields,
  duplicateTasks,
  missingKeys,
  sharedDeliverables,
  enumsWithoutValues,
  valueLimits,
  requiredInOptionalTasks,
  unknownTargets,
  selfTransitions,
  shadowedTransitions,
  unreachableLimits,
  ambiguousPriorities,
  uncoveredValues,
  undeclaredKeys,
  keysCollectedTooLate,
  impossibleValues,
  contradictoryConditions,
  tasksNeverAsked,
  agents,
];
