import type { QueryLanguage } from '../definition/field.ts';
import type { HasInput, HasResult, HasNext, StateBase } from '../definition/index.ts';
import type { Part } from '../authored.ts';
import { optionalJson, optionalObject, readPath, optionalString } from './fields.ts';

/** @param language of the workflow: the default of its states, even in a state with a language of its own */
export function readBase(
  name: string,
  { value: fields, at }: Part,
  language: QueryLanguage,
): StateBase {
  const own = fields['QueryLanguage'];
  return {
    name,
    Comment: optionalString(fields['Comment']),
    QueryLanguage: own === 'JSONata' || own === 'JSONPath' ? own : language,
    InputPath: readPath(fields['InputPath'], '$'),
    OutputPath: readPath(fields['OutputPath'], '$'),
    Output: optionalJson(fields['Output']),
    Assign: optionalObject(fields['Assign']),
    at,
    authored: fields,
  };
}

export function readLeads({ value: fields }: Part): HasNext {
  return { Next: optionalString(fields['Next']), End: fields['End'] === true };
}

export function readInput({ value: fields }: Part): HasInput {
  return {
    Parameters: optionalJson(fields['Parameters']),
    Arguments: optionalJson(fields['Arguments']),
  };
}

export function readResult({ value: fields }: Part): HasResult {
  return {
    ResultPath: readPath(fields['ResultPath'], '$'),
    ResultSelector: optionalJson(fields['ResultSelector']),
  };
}
