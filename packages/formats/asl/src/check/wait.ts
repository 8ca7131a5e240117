import { authoredPart } from '../authored.ts';
import { isTimestamp } from '../data/timestamp.ts';
import { hasHole } from '../definition/field.ts';
import type { Wait } from '../definition/index.ts';
import { badTimestamp } from '../diagnostics/choice.ts';
import { exactlyOne, type StateRule } from './rule.ts';

const ways = ['Seconds', 'SecondsPath', 'Timestamp', 'TimestampPath'];

/** Reports Waits that give no time, or several. Spec: Agent 2 §Wait State, states-language.net/spec.html#wait-state */
const wrongDurations: StateRule<Wait> = (wait, { definition, report }) => {
  exactlyOne('A Wait state', authoredPart(wait), ways, report);
  const { Timestamp: timestamp } = wait;
  if (!timestamp || !('value' in timestamp) || isTimestamp(timestamp.value)) return;
  if (definition.isTemplate && hasHole(timestamp.value)) return;
  report(badTimestamp(timestamp.value, false), timestamp.at);
};

export const waitRules: readonly StateRule<Wait>[] = [wrongDurations];
