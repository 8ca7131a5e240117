import type { Problem } from '@dramaturg/compiler';
import { brokenReference, referenceCycle } from '../diagnostics/references.ts';
import type { GraphRule } from './rule.ts';
import { type ResolvedReference, isResolved, referencesFrom } from './missing-references.ts';

/** A referenced graph is sound by itself. Its errors are counted here, and listed when that graph is checked. */
export function brokenReferences(rules: readonly GraphRule[]): GraphRule {
  return ({ definition, options, report }) => {
    const errorsIn = ({ graph, problems }: ResolvedReference): Problem[] => {
      const found = [...problems];
      for (const rule of rules)
        rule({ definition: graph, options, report: (problem) => found.push(problem) });
      // A circle of references is reported at every reference that leads into it, so at this one too.
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
