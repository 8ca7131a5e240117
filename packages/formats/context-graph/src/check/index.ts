import { density, nonAscii, safetyExits } from './advice.ts';
import { referencesGiven, referencesSound, size } from './references.ts';
import { initialAndTerminal, terminalState } from './roles.ts';
import { type GraphRule, ofGraphs } from './rule.ts';
import {
  actionsPresent,
  decisionsHaveExits,
  recalls,
  stateNames,
  statesPresent,
  toolResults,
} from './states.ts';
import { namesExist, targets } from './targets.ts';
import { cycles, deadEnds, reachability } from './ways.ts';

/** The rules of one graph, from the whole to its parts. */
const rulesOfOneGraph: readonly GraphRule[] = [
  ...ofGraphs([
    initialAndTerminal,
    terminalState,
    statesPresent,
    stateNames,
    actionsPresent,
    decisionsHaveExits,
    recalls,
    toolResults,
    targets,
    namesExist,
    referencesGiven,
    cycles,
    reachability,
    deadEnds,
    safetyExits,
    density,
    nonAscii,
  ]),
];

/** Every rule of a context graph. Referenced graphs are held to the rules of one graph, each by itself. */
export const contextGraphRules: readonly GraphRule[] = [
  ...rulesOfOneGraph,
  referencesSound(rulesOfOneGraph),
  size,
];
