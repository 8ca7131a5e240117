import { unknownScenarios } from './unknown-scenarios.ts';
import { linksWithoutScore } from './links-without-score.ts';
import { unknownVariables } from './unknown-variables.ts';
import { badVariables } from './bad-variables.ts';
import { wrongStarts } from './starts.ts';
import type { NpcRule } from './rule.ts';
import { missingScenarios } from './missing-scenarios.ts';
import { negativeLimits } from './negative-limits.ts';
import { lockedScenarios } from './locked-scenarios.ts';
import { duplicateScenarios } from './duplicate-scenarios.ts';
import { unreachableThresholds } from './unreachable-thresholds.ts';
import { conflictingThresholds } from './conflicting-thresholds.ts';
import { ignoredCriteria } from './ignored-criteria.ts';
import { equalDisplayOrders } from './equal-display-orders.ts';
import { wrongInitialStates } from './wrong-initial-states.ts';
import { ignoredOutcomes } from './ignored-outcomes.ts';
import { duplicateStates } from './duplicate-states.ts';
import { missingTerminalStates } from './missing-terminal-states.ts';
import { statesWithoutPass } from './states-without-pass.ts';
import { statesWithoutEnd } from './states-without-end.ts';
import { missingConditions } from './missing-conditions.ts';
import { ignoredDeltas } from './ignored-deltas.ts';
import { contradictoryTransitions } from './contradictory-transitions.ts';
import { contradictoryRejects } from './contradictory-rejects.ts';
import { unknownStates } from './unknown-states.ts';

/** Every rule of an NPC definition, from the whole to its parts. */
export const npcRules: readonly NpcRule[] = [
  missingScenarios,
  duplicateScenarios,
  lockedScenarios,
  negativeLimits,
  conflictingThresholds,
  unreachableThresholds,
  duplicateStates,
  wrongInitialStates,
  missingTerminalStates,
  statesWithoutPass,
  statesWithoutEnd,
  equalDisplayOrders,
  ignoredOutcomes,
  ignoredCriteria,
  unknownStates,
  contradictoryTransitions,
  contradictoryRejects,
  ignoredDeltas,
  missingConditions,
  unknownScenarios,
  linksWithoutScore,
  badVariables,
  unknownVariables,
  wrongStarts,
];
