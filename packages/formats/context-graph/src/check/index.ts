import { denseStates } from './dense-states.ts';
import { nonAsciiTexts } from './non-ascii-texts.ts';
import { missingSafetyExits } from './missing-safety-exits.ts';
import { missingReferences } from './missing-references.ts';
import { brokenReferences } from './broken-references.ts';
import { oversizedGraphs } from './oversized-graphs.ts';
import { wrongRoles } from './wrong-roles.ts';
import { wrongStarts } from './wrong-starts.ts';
import { wrongTerminalStates } from './wrong-terminal-states.ts';
import { type GraphRule, ofGraphs } from './rule.ts';
import { missingActions } from './missing-actions.ts';
import { decisionsWithoutExit } from './decisions-without-exit.ts';
import { unclearRecalls } from './unclear-recalls.ts';
import { badNames } from './bad-names.ts';
import { missingStates } from './missing-states.ts';
import { lostToolResults } from './lost-tool-results.ts';
import { unenforcedVersions } from './unenforced-versions.ts';
import { unknownNames } from './unknown-names.ts';
import { badTargets } from './bad-targets.ts';
import { silentCycles } from './silent-cycles.ts';
import { deadEnds } from './dead-ends.ts';
import { unreachableStates } from './unreachable-states.ts';

/** The rules of one graph, from the whole to its parts. */
const rulesOfOneGraph: readonly GraphRule[] = [
  ...ofGraphs([
    wrongRoles,
    wrongTerminalStates,
    missingStates,
    badNames,
    missingActions,
    decisionsWithoutExit,
    unclearRecalls,
    lostToolResults,
    unenforcedVersions,
    badTargets,
    unknownNames,
    missingReferences,
    silentCycles,
    unreachableStates,
    deadEnds,
    missingSafetyExits,
    denseStates,
    nonAsciiTexts,
  ]),
];

/** Every rule of a context graph. The rules of one graph also check each referenced graph. */
export const contextGraphRules: readonly GraphRule[] = [
  ...rulesOfOneGraph,
  brokenReferences(rulesOfOneGraph),
  oversizedGraphs,
  wrongStarts,
];
