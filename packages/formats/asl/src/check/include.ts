import { hasHole } from '../definition/field.ts';
import type { Include } from '../definition/index.ts';
import { unknownImport } from '../diagnostics/include.ts';
import type { StateRule } from './rule.ts';

/** Reports templates that are not imported. Spec: Agent 10 §Imports */
const unknownImports: StateRule<Include> = ({ Template: template, at }, subject) => {
  const { definition, report } = subject;
  if (template === '' || definition.Imports.includes(template)) return;
  if (definition.isTemplate && hasHole(template)) return;
  report(unknownImport(template, definition.Imports), [...at, 'Template'], {
    follows: [['Imports']],
    topic: definition.Imports.length === 0 ? '' : template,
  });
};

export const includeRules: readonly StateRule<Include>[] = [unknownImports];
