import type { Path } from '@dramaturg/compiler';
import { authoredPart, partOf, partsOf } from '../authored.ts';
import type { State } from '../definition/index.ts';
import { badVariableName } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports variable names that expressions cannot use. Spec: states-language.net/spec.html#variables */
export const badVariableNames: WorkflowRule = ({ definition, report }) => {
  for (const { name, at } of statesOf(definition).flatMap(assignmentsOf)) {
    const isFit = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) && name.length <= 80;
    if (!isFit || name === 'states') report(badVariableName(name), at, { at: 'key' });
  }
};

/** A variable that a state sets, and the path of its key. */
interface Assignment {
  readonly name: string;
  readonly at: Path;
}

/** The variables that a state, its rules and its catchers set. */
export function assignmentsOf(state: State): readonly Assignment[] {
  const part = authoredPart(state);
  return [part, ...partsOf(part, 'Catch'), ...partsOf(part, 'Choices')].flatMap((owner) => {
    const assign = partOf(owner, 'Assign');
    return Object.keys(assign?.value ?? {}).map((key) => ({
      name: state.QueryLanguage === 'JSONPath' && key.endsWith('.$') ? key.slice(0, -2) : key,
      at: [...assign!.at, key],
    }));
  });
}
