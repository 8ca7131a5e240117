import { isCall } from '../data/intrinsic/parse.ts';
import { hasHole, isExpression } from '../definition/field.ts';
import {
  badTemplateValue,
  duplicateTemplateKey,
  notEvaluated,
} from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import { checkCall } from './check-call.ts';
import { checkPath } from './check-path.ts';
import { objectsIn, templatesOf } from './templates.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports keys ending in `.$` whose value is neither a path nor a call of an intrinsic function, keys that become the
 * same, and JSONata in a JSONPath state. Spec: states-language.net/spec.html#payload-template, Agent 3
 */
export const malformedTemplates: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage === 'JSONata') continue;
    for (const { value: fields, at } of objectsIn(templatesOf(state))) {
      for (const [key, value] of Object.entries(fields)) {
        const path = [...at, key];
        if (isExpression(value)) report(notEvaluated('"{% %}"', 'JSONPath'), path);
        if (!key.endsWith('.$')) continue;
        const plain = key.slice(0, -2);
        if (Object.hasOwn(fields, plain)) report(duplicateTemplateKey(plain), path, { at: 'key' });
        if (definition.isTemplate && hasHole(value)) continue;
        if (typeof value !== 'string') report(badTemplateValue(key), path);
        else if (isCall(value)) checkCall(value, definition.dialect, path, report);
        else checkPath(key, value, definition.dialect, path, report);
      }
    }
  }
};
