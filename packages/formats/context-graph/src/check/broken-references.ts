import type { Problem } from '@dramaturg/compiler/format';
import { brokenReference, referenceCycle } from '../diagnostics/references.ts';
import type { GraphRule } from './rule.ts';
import { type ResolvedReference, isResolved, referencesFrom } from './missing-references.ts';

/** Reports referenced graphs that have errors, with their number. Checking that graph by itself lists them. */
export function brokenReferences(rules: readonly GraphRule[]): GraphRule {
  return ({ definition, options, report }) => {
    const errorsIn = ({ graph, problems }: ResolvedReference): Problem[] => {
      const found = [...problems];
      for (const rule of rules)
        rule({ definition: graph, options, report: (problem) => found.push(problem) });
      // A cycle of references is already reported at every reference that leads into it.
      return found.filter(
        ({ severity, code }) => severity === 'error' && code !== referenceCycle.code,
      );
    };
    for (const reference of definition.references) {
      if (!isResolved(reference)) continue;
      const errors = referencesFrom(reference).flatMap(errorsIn);
      if (errors.length > 0)
        report(brokenReference(reference.name, errors.length, errors[0]!.message), reference.at);
    }
  };
}
