import type { LifecycleRule } from '../definition.ts';
import { endlessLoops } from './endless-loops.ts';
import * as policies from './policies.ts';
import * as rows from './rows.ts';
import * as states from './states.ts';

/** Every rule of a lifecycle, from the whole to its parts. */
export const lifecycleRules: readonly LifecycleRule[] = [
  states.badStateNames,
  states.unknownStates,
  states.missingInitialStates,
  states.statesWithoutEnd,
  states.missingCommands,
  rows.rowsFromTerminalStates,
  rows.misplacedReturns,
  rows.badCreations,
  rows.badEvents,
  rows.unknownWords,
  states.endlessStays,
  rows.unhandledEvents,
  rows.shadowedRows,
  endlessLoops,
  policies.badNumbers,
  policies.badWords,
  states.blankTexts,
  policies.badTimes,
];
