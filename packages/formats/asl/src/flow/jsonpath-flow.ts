import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Evaluate, Evaluation } from '../data/evaluation.ts';
import { compilePath } from '../data/path/read.ts';
import { compileWrite, type Write } from '../data/path/write.ts';
import { compileTemplate } from '../data/template.ts';
import type { Catcher, ChoiceRule, Dialect, State } from '../definition/index.ts';
import { type DataFlow, errorOutput } from './data-flow.ts';
import { compileReasoning } from './reasoning.ts';
import type { Run, Variables } from './run.ts';

/**
 * `InputPath`, `Parameters`, `ResultSelector`, `ResultPath`, `OutputPath` and `Assign`, in this order.
 * Spec: Agent 2 §Common Fields, Amazon #filters
 */
export function jsonpathFlow(state: State, dialect: Dialect): DataFlow {
  const select = compileFilter(state.InputPath);
  const filterOutput = compileFilter(state.OutputPath);
  const parameters = compileOptional('Parameters' in state ? state.Parameters : undefined, dialect);
  const selectResult = compileOptional(
    'ResultSelector' in state ? state.ResultSelector : undefined,
    dialect,
  );
  // An Approval has already stored its record and the edits.
  const isStored = state.Type === 'Approval' || !('ResultPath' in state);
  const store = compileStore(isStored ? '$' : state.ResultPath);
  const storeReasoning = compileReasoning(state);
  const assign = compileAssign(state.Assign, dialect);
  const rules: readonly ChoiceRule[] = (state.Type === 'Choice' && state.Choices) || [];
  const ruleAssigns = rules.map((rule) => compileAssign(rule.Assign, dialect));
  const catchers: readonly Catcher[] = state.Catch ?? [];
  const catcherStores = catchers.map(({ ResultPath: path, authored }) =>
    // Without an authored `ResultPath` storing the error must not fail, whatever the input is.
    Object.hasOwn(authored, 'ResultPath') ? compileStore(path) : ontoObject(compileStore(path)),
  );
  const catcherAssigns = catchers.map((catcher) => compileAssign(catcher.Assign, dialect));

  const selectInput = (run: Run) => inspected(run, 'afterInputPath', select(run, run.input));
  const pass = (run: Run, assigns: AssignInto) => {
    const output = selectInput(run);
    return { output: filterOutput(run, output), ...assigns(run, output) };
  };
  return {
    select: selectInput,
    prepare(run, selected) {
      const input = parameters ? parameters(evaluation(run, selected)) : selected;
      return inspected(run, 'afterParameters', input);
    },
    finish(run, result, reasoning) {
      const selected = inspected(
        run,
        'afterResultSelector',
        selectResult ? selectResult(evaluation(run, result)) : result,
      );
      const stored = inspected(
        run,
        'afterResultPath',
        storeReasoning(store(run.input, selected), reasoning),
      );
      return { output: filterOutput(run, stored), ...assign(run, selected) };
    },
    pass: (run) => pass(run, assign),
    chosen: (run, rule) => pass(run, rule === undefined ? assign : ruleAssigns[rule]!),
    caught(run, catcher, failure) {
      const error = errorOutput(failure, run.dialect);
      const output = catcherStores[catcher]!(run.input, error);
      return { output, ...catcherAssigns[catcher]!(run, error) };
    },
  };
}

/** Puts a result in the state's own input, not in the part of it that `InputPath` selects. Amazon #filters */
function compileStore(path: string | null | undefined): Write {
  if (path === null) return (input) => input;
  return path === undefined || path === '$' ? (_, result) => result : compileWrite(path);
}

function ontoObject(write: Write): Write {
  return (input, value) => write(isRecord(input) ? input : {}, value);
}

/** `InputPath` or `OutputPath`: null gives an empty object. */
function compileFilter(path: string | null): (run: Run, data: Json) => Json {
  if (path === null) return () => ({});
  if (path === '$') return (_, data) => data;
  const read = compilePath(path);
  return (run, data) => read(evaluation(run, data));
}

function compileOptional(template: Json | undefined, dialect: Dialect): Evaluate | undefined {
  return template === undefined ? undefined : compileTemplate(template, dialect);
}

type AssignInto = (run: Run, data: Json) => { variables: Variables; assigned?: Variables };

/** All values are evaluated before any variable is set. Amazon #variables */
function compileAssign(template: JsonObject | undefined, dialect: Dialect): AssignInto {
  if (template === undefined) return (run) => ({ variables: run.variables });
  const evaluate = compileTemplate(template, dialect);
  return (run, data) => {
    const assigned = evaluate(evaluation(run, data)) as Variables;
    return { variables: { ...run.variables, ...assigned }, assigned };
  };
}

/**
 * Creates the context object only when a path reads it.
 *
 * @param decision the value of `$.approval` in the `Choices` of an Approval
 */
export function evaluation(run: Run, data: Json, decision?: string): Evaluation {
  return new RunEvaluation(run, data, decision);
}

class RunEvaluation implements Evaluation {
  readonly data: Json;
  readonly decision: string | undefined;
  readonly #run: Run;

  constructor(run: Run, data: Json, decision: string | undefined) {
    this.#run = run;
    this.data = data;
    this.decision = decision;
  }

  get dialect() {
    return this.#run.dialect;
  }

  get missing() {
    return this.#run.missing;
  }

  get variables() {
    return this.#run.variables;
  }

  get world() {
    return this.#run.world;
  }

  get work() {
    return this.#run.work;
  }

  get context() {
    return this.#run.context();
  }
}

function inspected(run: Run, stage: Parameters<NonNullable<Run['inspect']>>[0], value: Json): Json {
  run.inspect?.(stage, value);
  return value;
}
