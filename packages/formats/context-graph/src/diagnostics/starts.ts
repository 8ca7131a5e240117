import { definitionProblems, startProblems } from '@dramaturg/conversation';

export const { unknownDefinition, cycleOfStarts } = definitionProblems('context-graph');
export const { emptyStart, unknownStartValue, unknownStartOutcome } =
  startProblems('context-graph');
