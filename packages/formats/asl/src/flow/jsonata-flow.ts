import type { Json, JsonObject } from '@dramaturg/compiler';
import type { JsonataScope } from '../data/jsonata/evaluating.ts';
import { compileJsonata } from '../data/jsonata/expression.ts';
import type { Catcher, ChoiceRule, State } from '../definition/index.ts';
import { type DataFlow, errorOutput } from './data-flow.ts';
import { compileReasoning } from './reasoning.ts';
import type { Outcome, Run } from './run.ts';

/** `Arguments`, `Output` and `Assign`, which see the data under `$states`. Amazon #query-language */
export function jsonataFlow(state: State): DataFlow {
  const work = 'Arguments' in state ? compileField(state.Arguments, 'Arguments') : undefined;
  const finish = compileEnd(state);
  const storeReasoning = compileReasoning(state);
  const rules: readonly ChoiceRule[] = (state.Type === 'Choice' && state.Choices) || [];
  const ruleEnds = rules.map(compileEnd);
  const catchers: readonly Catcher[] = state.Catch ?? [];
  const catcherEnds = catchers.map(compileEnd);
  return {
    select: (run) => run.input,
    prepare(run, selected) {
      const input = work ? work(scopeOf(run)) : selected;
      run.inspect?.('afterArguments', input);
      return input;
    },
    finish(run, result, reasoning) {
      const outcome = finish(run, result, scopeOf(run, { result }));
      return { ...outcome, output: storeReasoning(outcome.output, reasoning) };
    },
    pass: (run) => finish(run, run.input, scopeOf(run)),
    chosen: (run, rule) =>
      (rule === undefined ? finish : ruleEnds[rule]!)(run, run.input, scopeOf(run)),
    caught(run, catcher, failure) {
      const error = errorOutput(failure, run.dialect);
      return catcherEnds[catcher]!(run, error, scopeOf(run, { errorOutput: error }));
    },
  };
}

type End = (run: Run, defaultOutput: Json, scope: JsonataScope) => Outcome;

/** `Output`, or its default when left out, and `Assign`. Neither sees the effect of the other. */
function compileEnd({ Output, Assign }: Pick<ChoiceRule, 'Output' | 'Assign'>): End {
  const output = compileField(Output, 'Output');
  const assign = compileField(Assign, 'Assign');
  return (run, defaultOutput, values) => {
    const result = output ? output(values) : defaultOutput;
    if (!assign) return { output: result, variables: run.variables };
    const assigned = assign(values) as JsonObject;
    return { output: result, variables: { ...run.variables, ...assigned }, assigned };
  };
}

function compileField(
  value: Json | undefined,
  field: string,
): ((scope: JsonataScope) => Json) | undefined {
  return value === undefined ? undefined : compileJsonata(value, field);
}

/** The value of `$states` in expressions. Amazon #states-variable */
export function scopeOf(run: Run, more: { result?: Json; errorOutput?: Json } = {}): JsonataScope {
  return {
    variables: run.variables,
    world: run.world,
    work: run.work,
    states: {
      input: run.input,
      ...more,
      // Few expressions read the context object, and creating it takes longer than most expressions.
      get context() {
        return run.context();
      },
    },
  };
}
