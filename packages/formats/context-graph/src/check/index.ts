import type { GraphRule } from '../definition.ts';
import * as graph from './graph.ts';
import * as references from './references.ts';
import * as states from './states.ts';

/** The rules of one graph, from the whole to its parts. */
const rulesOfOneGraph = ofGraphs([
  graph.wrongRoles,
  graph.wrongTerminalStates,
  graph.missingStates,
  states.badNames,
  states.missingActions,
  states.decisionsWithoutExit,
  states.unclearRecalls,
  states.lostToolResults,
  states.unenforcedVersions,
  graph.badTargets,
  graph.unknownNames,
  graph.missingReferences,
  graph.silentCycles,
  graph.unreachableStates,
  graph.deadEnds,
  states.missingSafetyExits,
  states.denseStates,
  states.nonAsciiTexts,
]);

/** Every rule of a context graph. The rules of one graph also check each referenced graph. */
export const contextGraphRules: readonly GraphRule[] = [
  ...rulesOfOneGraph,
  references.brokenReferences(rulesOfOneGraph),
  references.oversizedGraphs,
  references.wrongStarts,
];

/** Makes rules skip a state without a graph, which has a finding of its own. */
function ofGraphs(rules: readonly GraphRule[]): GraphRule[] {
  return rules.map((rule) => (subject) => {
    if (!subject.definition.isBare) rule(subject);
  });
}
