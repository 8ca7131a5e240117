import type { NpcRule } from '../definition.ts';
import * as links from './links.ts';
import * as scenarios from './scenarios.ts';
import * as states from './states.ts';
import * as transitions from './transitions.ts';

/** Every rule of an NPC definition, from the whole to its parts. */
export const npcRules: readonly NpcRule[] = [
  scenarios.missingScenarios,
  scenarios.duplicateScenarios,
  scenarios.lockedScenarios,
  scenarios.negativeLimits,
  scenarios.conflictingThresholds,
  scenarios.unreachableThresholds,
  states.duplicateStates,
  states.wrongInitialStates,
  states.missingTerminalStates,
  states.statesWithoutPass,
  states.statesWithoutEnd,
  states.equalDisplayOrders,
  states.ignoredOutcomes,
  states.ignoredCriteria,
  transitions.unknownStates,
  transitions.contradictoryTransitions,
  transitions.contradictoryRejects,
  transitions.ignoredDeltas,
  transitions.missingConditions,
  links.unknownScenarios,
  links.linksWithoutScore,
  links.badVariables,
  links.unknownVariables,
  links.wrongStarts,
];
