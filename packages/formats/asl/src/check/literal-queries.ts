import type { Path } from '@dramaturg/compiler';
import { authoredPart } from '../authored.ts';
import { functionsOf } from '../data/intrinsic/functions.ts';
import { isCall, parseCall } from '../data/intrinsic/parse.ts';
import { parsePath } from '../data/path/parse.ts';
import { isFault } from '../data/path/path.ts';
import { isExpression } from '../definition/field.ts';
import type { Dialect, State } from '../definition/index.ts';
import { type LiteralPlace, literalQuery } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import { textsOf } from './jsonata-texts.ts';
import type { WorkflowRule } from './rule.ts';
import { objectsIn } from './malformed-templates.ts';

/**
 * Reports strings that look like queries but are literal, as in `"Payload": "$.order"`: the key does not end in `.$`, or
 * `{% %}` is missing.
 * Spec: states-language.net/spec.html#payload-template, states-language.net/spec.html#jsonata-strings
 */
export const literalQueries: WorkflowRule = ({ definition, report }) => {
  if (definition.dialect === 'agent') return;
  for (const state of statesOf(definition)) {
    const isJsonata = state.QueryLanguage === 'JSONata';
    for (const { text, at, place } of isJsonata ? jsonataTextsOf(state) : plainTextsOf(state)) {
      if (!looksLikeQuery(text, isJsonata, definition.dialect) || isMeantAsPath(at, state))
        continue;
      const field = at.findLast((step) => typeof step === 'string') ?? '';
      report(literalQuery(field, text, place), at);
    }
  }
};

interface Literal {
  readonly text: string;
  readonly at: Path;
  readonly place: LiteralPlace;
}

function* jsonataTextsOf(state: State): Generator<Literal> {
  for (const { text, at } of textsOf(state)) {
    // Other rules report these two.
    const isReported = String(at.at(-1)).endsWith('.$') || at.at(-1) === 'Condition';
    if (!isExpression(text) && !isReported) yield { text, at, place: 'jsonata' };
  }
}

const templateFields = ['Parameters', 'ResultSelector', 'ItemSelector', 'Assign', 'ItemBatcher'];

/** The literal strings of a state's templates, and the strings in the result of a Pass with a key that ends in `.$`. */
function* plainTextsOf(state: State): Generator<Literal> {
  const { value, at: place } = authoredPart(state);
  const inField = (field: string) => ({ value: value[field], at: [...place, field] });
  for (const { value: fields, at } of objectsIn(templateFields.map(inField))) {
    for (const [key, part] of Object.entries(fields)) {
      const path = [...at, key];
      if (typeof part === 'string' && !key.endsWith('.$'))
        yield { text: part, at: path, place: 'key' };
      for (const [index, one] of Array.isArray(part) ? (part as unknown[]).entries() : []) {
        if (typeof one === 'string') yield { text: one, at: [...path, index], place: 'item' };
      }
    }
  }
  for (const { value: fields, at } of objectsIn([inField('Result')])) {
    for (const [key, text] of Object.entries(fields)) {
      if (typeof text === 'string' && key.endsWith('.$'))
        yield { text, at: [...at, key], place: 'result' };
    }
  }
}

/** Strings such as "$" and "$5" are not queries: they may be patterns and prices. */
function looksLikeQuery(text: string, isJsonata: boolean, dialect: Dialect): boolean {
  if (isJsonata && /^\$states\.\w/.test(text)) return true;
  if (/^\$\$?[.[]/.test(text)) {
    const path = parsePath(text);
    return !isFault(path) && path.steps.length > 0;
  }
  if (!isCall(text)) return false;
  const call = parseCall(text);
  return !isFault(call) && Object.hasOwn(functionsOf(dialect), call.name);
}

/** Some services take paths as strings, in fields such as `InputPath` or `JsonPath`. */
function isMeantAsPath(at: Path, state: State): boolean {
  return at.slice(state.at.length).some((step) => typeof step === 'string' && /path/i.test(step));
}
