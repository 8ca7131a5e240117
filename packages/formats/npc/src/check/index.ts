import { linksConnect, linkScores, placeholders, variableKeys } from './links.ts';
import type { NpcRule } from './rule.ts';
import {
  hasScenarios,
  limits,
  openScenario,
  scenarioKeys,
  thresholdInReach,
  thresholds,
} from './scenarios.ts';
import {
  criteria,
  displayOrder,
  initialState,
  outcomes,
  stateKeys,
  terminalStates,
  waysOn,
  waysToAnEnd,
} from './states.ts';
import { conditions, deltas, moves, rejects, statesExist } from './transitions.ts';

/** Every rule of an NPC definition, from the whole to its parts. */
export const npcRules: readonly NpcRule[] = [
  hasScenarios,
  scenarioKeys,
  openScenario,
  limits,
  thresholds,
  thresholdInReach,
  stateKeys,
  initialState,
  terminalStates,
  waysOn,
  waysToAnEnd,
  displayOrder,
  outcomes,
  criteria,
  statesExist,
  moves,
  rejects,
  deltas,
  conditions,
  linksConnect,
  linkScores,
  variableKeys,
  placeholders,
];
