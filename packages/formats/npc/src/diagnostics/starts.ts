import { definitionProblems, startProblems } from '@dramaturg/conversation';

export const { unknownDefinition, cycleOfStarts } = definitionProblems('npc');
export const { emptyStart, unknownStartValue, unknownStartOutcome } = startProblems('npc');
