import { comesToRest } from './loops.ts';
import { numbers } from './numbers.ts';
import {
  creations,
  eventNames,
  raisedEvents,
  returns,
  stays,
  terminalStates,
  words,
} from './rows.ts';
import type { LifecycleRule } from './rule.ts';
import { commands, initialState, stateNames, statesExist, waysToAnEnd } from './states.ts';

/** Every rule of a lifecycle, from the whole to its parts. */
export const lifecycleRules: readonly LifecycleRule[] = [
  stateNames,
  statesExist,
  initialState,
  waysToAnEnd,
  commands,
  terminalStates,
  returns,
  creations,
  eventNames,
  words,
  stays,
  raisedEvents,
  comesToRest,
  numbers,
];
