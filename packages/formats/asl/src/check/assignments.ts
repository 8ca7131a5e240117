import type { Path } from '@dramaturg/compiler';
import { authoredPart, partOf, partsOf } from '../authored.ts';
import type { State } from '../definition/index.ts';

/** A variable that a state sets, and the path of its key. */
export interface Assignment {
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
