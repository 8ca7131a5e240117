import { authoredPart, partOf } from '../authored.ts';
import { isExpression } from '../definition/field.ts';
import { expressionInJsonpath } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** The numbers of a state that another field can read from a path. */
const numberFields = [
  'Seconds',
  'TimeoutSeconds',
  'HeartbeatSeconds',
  'MaxConcurrency',
  'ToleratedFailureCount',
  'ToleratedFailurePercentage',
  'MaxItemsPerBatch',
  'MaxInputBytesPerBatch',
  'MaxItems',
];

/** Reports JSONata expressions instead of numbers in JSONPath states. Spec: states-language.net/spec.html#jsonata-strings */
export const expressionsAsNumbers: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage === 'JSONata') continue;
    const part = authoredPart(state);
    const reader = partOf(part, 'ItemReader');
    const parts = [part, partOf(part, 'ItemBatcher'), reader && partOf(reader, 'ReaderConfig')];
    for (const one of parts) {
      for (const field of numberFields) {
        if (one && isExpression(one.value[field])) {
          report(expressionInJsonpath(field), [...one.at, field]);
        }
      }
    }
  }
};
