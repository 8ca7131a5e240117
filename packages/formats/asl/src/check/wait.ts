import { hasHole } from '../definition/field.ts';
import { badTimestamp } from '../diagnostics/choice.ts';
import { authoredPart, statesOf } from '../walk.ts';
import { exactlyOne, type WorkflowRule } from './rule.ts';
import { isTimestamp } from '../data/timestamp.ts';

const ways = ['Seconds', 'SecondsPath', 'Timestamp', 'TimestampPath'];

/** A Wait says in one way how long. Spec: Agent 2 §Wait State, states-language.net/spec.html#wait-state */
export const waitsSayHowLong: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.Type !== 'Wait') continue;
    exactlyOne('A Wait state', authoredPart(state), ways, report);
    const { Timestamp: timestamp } = state;
    if (!timestamp || !('value' in timestamp) || isTimestamp(timestamp.value)) continue;
    if (definition.isTemplate && hasHole(timestamp.value)) continue;
    report(badTimestamp(timestamp.value, false), timestamp.at);
  }
};
