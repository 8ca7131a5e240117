import type { QueryLanguage } from '../definition/field.ts';
import type { HasInput, HasResult, Leads, StateBase } from '../definition/index.ts';
import { jsonOf, objectOf, pathOf, type Placed, textOf } from './fields.ts';

/** What states of several types have. */

/** A state that does not say what it speaks speaks what its workflow does, not what a state around it does. */
export function readBase(
  name: string,
  { value: fields, at }: Placed,
  language: QueryLanguage,
): StateBase {
  const own = fields['QueryLanguage'];
  return {
    name,
    Comment: textOf(fields['Comment']),
    QueryLanguage: own === 'JSONata' || own === 'JSONPath' ? own : language,
    InputPath: pathOf(fields['InputPath'], '$'),
    OutputPath: pathOf(fields['OutputPath'], '$'),
    Output: jsonOf(fields['Output']),
    Assign: objectOf(fields['Assign']),
    at,
    authored: fields,
  };
}

export function readLeads({ value: fields }: Placed): Leads {
  return { Next: textOf(fields['Next']), End: fields['End'] === true };
}

export function readInput({ value: fields }: Placed): HasInput {
  return { Parameters: jsonOf(fields['Parameters']), Arguments: jsonOf(fields['Arguments']) };
}

export function readResult({ value: fields }: Placed): HasResult {
  return {
    ResultPath: pathOf(fields['ResultPath'], '$'),
    ResultSelector: jsonOf(fields['ResultSelector']),
  };
}
