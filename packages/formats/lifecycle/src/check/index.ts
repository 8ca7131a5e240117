import { endlessLoops } from './endless-loops.ts';
import { blankTexts } from './blank-texts.ts';
import { badTimes } from './bad-times.ts';
import { badWords } from './bad-words.ts';
import { badNumbers } from './bad-numbers.ts';
import { badCreations } from './bad-creations.ts';
import { badEvents } from './bad-events.ts';
import { unhandledEvents } from './unhandled-events.ts';
import { misplacedReturns } from './misplaced-returns.ts';
import { endlessStays } from './endless-stays.ts';
import { rowsFromTerminalStates } from './rows-from-terminal-states.ts';
import { unknownWords } from './unknown-words.ts';
import type { LifecycleRule } from './rule.ts';
import { missingCommands } from './missing-commands.ts';
import { missingInitialStates } from './missing-initial-states.ts';
import { badStateNames } from './bad-state-names.ts';
import { unknownStates } from './unknown-states.ts';
import { statesWithoutEnd } from './states-without-end.ts';

/** Every rule of a lifecycle, from the whole to its parts. */
export const lifecycleRules: readonly LifecycleRule[] = [
  badStateNames,
  unknownStates,
  missingInitialStates,
  statesWithoutEnd,
  missingCommands,
  rowsFromTerminalStates,
  misplacedReturns,
  badCreations,
  badEvents,
  unknownWords,
  endlessStays,
  unhandledEvents,
  endlessLoops,
  badNumbers,
  badWords,
  blankTexts,
  badTimes,
];
