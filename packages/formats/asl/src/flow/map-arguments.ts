import type { Json } from '@dramaturg/compiler';
import { compileJsonata } from '../data/jsonata/index.ts';
import { compileTemplate } from '../data/template.ts';
import type { Dialect, MapState } from '../definition/index.ts';
import { scope } from './jsonata-flow.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { ValueReader } from './value-source.ts';

/** Compiles a template in a block of a Map: `Parameters`, or `Arguments` in a JSONata state. */
export function compileArguments(
  template: Json | undefined,
  state: MapState,
  dialect: Dialect,
): ValueReader {
  if (template === undefined) return () => ({});
  if (state.QueryLanguage === 'JSONata') {
    const evaluate = compileJsonata(template, 'Arguments');
    return (run) => evaluate(scope(run));
  }
  const evaluate = compileTemplate(template, dialect, 'Parameters');
  return (run, selected) => evaluate(evaluation(run, selected));
}
