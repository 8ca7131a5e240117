import type { Path } from '@dramaturg/compiler';
import { expressionFault, sourceOf } from '../data/jsonata/index.ts';
import { contextNames, statesFields } from '../data/jsonata/references.ts';
import { isExpression } from '../definition/field.ts';
import type { State } from '../definition/index.ts';
import { stateSchema } from '../document.ts';
import { unavailableData } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import { textsOf } from './jsonata-texts.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports expressions that read a result or an error that does not exist there, or a context. AWS refuses to create
 * such a workflow.
 * Spec: states-language.net/spec.html#states-variable, AWS "Transforming data with JSONata"
 */
export const unavailableDataRead: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage !== 'JSONata') continue;
    for (const { text, at } of textsOf(state)) {
      if (!isExpression(text) || expressionFault(text) !== undefined) continue;
      const fields = statesFields(sourceOf(text));
      for (const field of ['result', 'errorOutput'] as const) {
        if (fields.has(field) && !isAvailable(field, state, at))
          report(unavailableData(`$states.${field}`), at);
      }
      for (const name of contextNames(sourceOf(text))) report(unavailableData(name), at);
    }
  }
};

const typesWithResult: ReadonlySet<unknown> = new Set(['Task', 'Parallel', 'Map']);
const endFields: ReadonlySet<unknown> = new Set(['Assign', 'Output']);

function isAvailable(field: 'result' | 'errorOutput', { authored, at: place }: State, at: Path) {
  const [first, , third] = at.slice(place.length);
  // Another rule reports a field or a type that does not exist.
  const fields = stateSchema(authored['Type'])?.shape;
  if (!fields || !Object.hasOwn(fields, String(first))) return true;
  if (field === 'errorOutput') return first === 'Catch' && endFields.has(third);
  return typesWithResult.has(authored['Type']) && endFields.has(first);
}
