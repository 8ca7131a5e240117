import type { Path } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import { languageOf } from '../definition/field.ts';
import { wrongQueryLanguage } from '../diagnostics/fields.ts';
import { describedParts } from './described-parts.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports fields of the other query language. In a template `Output` declares the outcome.
 * Spec: states-language.net/spec.html#query-language
 */
export const fieldsOfOtherLanguage: WorkflowRule = ({ definition, report }) => {
  for (const { part, schema, language } of describedParts(definition)) {
    if (language === undefined) continue;
    for (const field of Object.keys(part.value)) {
      const known = Object.hasOwn(schema.shape, field) ? schema.shape[field] : undefined;
      const belongs = known && languageOf(known);
      if (belongs === undefined || belongs === language) continue;
      if (definition.isTemplate && field === 'Output') continue;
      const problem = wrongQueryLanguage(field, language, belongs);
      report(problem, [...part.at, field], {
        at: 'key',
        follows: languageAt(part.at),
        topic: belongs,
      });
    }
  }
};

/** Where the query language of a part of a state is set. */
function languageAt(at: Path): readonly Pattern[] {
  const stateAt = at.slice(0, at.lastIndexOf('States') + 2);
  return [['QueryLanguage'], [...stateAt, 'QueryLanguage']];
}
