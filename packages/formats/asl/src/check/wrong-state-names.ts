import type { Path } from '@dramaturg/compiler';
import { duplicateState, emptyName, longName } from '../diagnostics/structure.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Amazon's limit. Spec: states-language.net/spec.html#states-fields */
const nameLengthMax = 80;

/**
 * Reports empty names; for Amazon also long names and names used twice. In Agent State Language two machines may use
 * the same name. Spec: states-language.net/spec.html#states-fields, Agent 1
 */
export const wrongStateNames: WorkflowRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { name, at } of statesOf(definition)) {
    if (name === '') report(emptyName(), at, { at: 'key' });
    if (definition.dialect === 'agent') continue;
    if (name.length > nameLengthMax)
      report(longName(name.length, nameLengthMax), at, { at: 'key' });
    const earlier = first.get(name);
    if (earlier) {
      const related = [{ path: earlier, message: 'The first one is here.' }];
      report(duplicateState(name), at, { at: 'key', related });
    } else first.set(name, at);
  }
};
