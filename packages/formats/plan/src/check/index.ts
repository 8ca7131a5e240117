import { expectedValues, keysCollectedInTime, keysDeclared } from './conditions.ts';
import { waysForEveryValue } from './coverage.ts';
import type { PlanRule } from './rule.ts';
import { goals, initialState, loops, sessionFields, stateIds, waysToTheEnd } from './states.ts';
import { deliverableKeys, enumValues, requiredDeliverables, sharedKeys, taskIds } from './tasks.ts';
import { ambiguity, selfTransitions, shadowing, targetsExist } from './transitions.ts';

/** Every rule of a plan, from the whole to its parts. */
export const planRules: readonly PlanRule[] = [
  stateIds,
  initialState,
  waysToTheEnd,
  loops,
  goals,
  sessionFields,
  taskIds,
  deliverableKeys,
  sharedKeys,
  enumValues,
  requiredDeliverables,
  targetsExist,
  selfTransitions,
  shadowing,
  ambiguity,
  waysForEveryValue,
  keysDeclared,
  keysCollectedInTime,
  expectedValues,
];
