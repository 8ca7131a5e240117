import type { Json } from '@dramaturg/compiler';
import type { Use } from '../definition.ts';
import { badArgument, unknownAction, unknownGuard } from '../diagnostics/rows.ts';
import { type Argument, actionWords, isActionWord, isGuardWord, turnKinds } from '../vocabulary.ts';
import type { LifecycleRule } from './rule.ts';
import { isEventName } from './bad-events.ts';

/** Reports unknown guards and actions, and actions with a wrong argument. Spec: docs/formats/lifecycle.md#guards */
export const unknownWords: LifecycleRule = ({ definition, report }) => {
  const seen = new Set<readonly Use[]>();
  const checkUses = (uses: readonly Use[]) => {
    // Rows for several events share their actions.
    if (seen.has(uses)) return;
    seen.add(uses);
    for (const { word, argument, at } of uses) {
      if (!isActionWord(word)) report(unknownAction(word), at, { at: 'key' });
      else {
        const complaint = argumentProblem(actionWords[word], argument);
        if (complaint) report(badArgument(word, complaint, argument), at);
      }
    }
  };
  let last: unknown;
  for (const { guard, actions } of definition.rows) {
    if (guard?.kind === 'word' && guard !== last && !isGuardWord(guard.word))
      report(unknownGuard(guard.word), guard.at);
    last = guard;
    checkUses(actions);
  }
  for (const { entry } of definition.states) checkUses(entry);
};

function argumentProblem(argument: Argument, given: Json | undefined): string | undefined {
  switch (argument) {
    case 'none':
      return given === undefined ? undefined : 'has no argument';
    case 'reason':
      return given === undefined || typeof given === 'string'
        ? undefined
        : 'takes a text, the reason';
    case 'event':
      return typeof given === 'string' && isEventName(given)
        ? undefined
        : 'takes the name of an event';
    case 'turn':
      return given === undefined ||
        kindsIn(given).every((kind) => turnKinds.some((known) => known === kind))
        ? undefined
        : `takes the kind of the turn, ${turnKinds.map((kind) => `"${kind}"`).join(', ')}, or one for each state that it may come from`;
  }
}

function kindsIn(given: Json): readonly unknown[] {
  const isMap = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isMap ? Object.values(given) : [given];
}
