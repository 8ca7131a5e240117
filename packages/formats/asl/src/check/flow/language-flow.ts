import type { Json } from '@dramaturg/compiler';
import { isFault, parsePath, type Step } from '../../data/path/parse.ts';
import type { ChoiceRule } from '../../definition/choice-rule.ts';
import type { Machine, State } from '../../definition/machine.ts';
import type { Catcher, HasNext, StateBase, ValueSource } from '../../definition/state.ts';
import { jsonataValues, type MoreStates } from './jsonata-values.ts';
import { conditional, type Sight } from './sight.ts';
import { queryValues, templateValues } from './template-values.ts';
import {
  fieldIn,
  isUnfilled,
  literal,
  objectOf,
  scalarFrom,
  type Source,
  sourceAt,
  union,
  type ValueSet,
  withField,
} from './value-set.ts';

/** The data and the variables on a way from one state to another. */
export interface Passed {
  readonly data: ValueSet;
  readonly variables: ValueSet;
}

/** The values between the fields of a state. Has the functions of `DataFlow`, which runs use. */
interface LanguageFlow {
  readonly select: () => ValueSet;
  readonly prepare: (selected: ValueSet) => ValueSet;
  readonly finish: (result: ValueSet) => Passed;
  readonly pass: () => Passed;
  readonly chosen: (rule: ChoiceRule | undefined) => Passed;
  readonly caught: (catcher: Catcher) => Passed;
  /** A template of the language. */
  readonly template: (value: Json, data: ValueSet, source: Source, sight?: Sight) => ValueSet;
}

export function languageFlow(sight: Sight): LanguageFlow {
  return sight.state.QueryLanguage === 'JSONata' ? jsonataFlow(sight) : jsonpathFlow(sight);
}

/** The values of a field that is literal, or has a path or an expression. */
export function sourceValues(
  source: ValueSource | undefined,
  data: ValueSet,
  sight: Sight,
): ValueSet {
  if (!source) return 'any';
  const { state } = sight;
  const made = sourceAt(state, String(source.at.at(-1)), source.at);
  if ('path' in source) return queryValues(source.path, data, sight, source.at, [made]);
  if ('expression' in source) return jsonataValues(source.expression, sight, made);
  return state.QueryLanguage === 'JSONata'
    ? jsonataValues(source.value, sight, made)
    : literal(source.value, [made]);
}

function jsonpathFlow(sight: Sight): LanguageFlow {
  const { state, input, variables } = sight;
  const filter = (field: 'InputPath' | 'OutputPath', data: ValueSet): ValueSet => {
    const path = state[field];
    if (path === null) return objectOf(new Map(), [sourceAt(state, field)]);
    return path === '$' ? data : queryValues(path, data, sight, [...state.at, field]);
  };
  const template = (value: Json, data: ValueSet, source: Source, seen = sight) =>
    templateValues(value, data, seen, source);
  const assign = (owner: Assigning, data: ValueSet): ValueSet => {
    if (!owner.Assign) return variables;
    const source = sourceAt(state, 'Assign', [...owner.at, 'Assign']);
    return withVariables(variables, templateValues(owner.Assign, data, sight, source));
  };
  const select = () => filter('InputPath', input);
  const pass = (owner: Assigning): Passed => {
    const selected = select();
    return { data: filter('OutputPath', selected), variables: assign(owner, selected) };
  };
  return {
    select,
    prepare: (selected) =>
      state.Parameters === undefined
        ? selected
        : template(state.Parameters, selected, sourceAt(state, 'Parameters')),
    finish(result) {
      const selected =
        state.ResultSelector === undefined
          ? result
          : template(state.ResultSelector, result, sourceAt(state, 'ResultSelector'));
      const path = state.Type === 'Approval' ? '$' : state.ResultPath;
      const stored = store(path, input, selected, [sourceAt(state, 'ResultPath')]);
      return {
        data: filter('OutputPath', storeReasoning(state, stored)),
        variables: assign(state, selected),
      };
    },
    pass: () => pass(state),
    chosen: (rule) => pass(rule ?? state),
    caught(catcher) {
      const source = sourceAt(state, 'Catch', catcher.at);
      const error = errorValues(source);
      // Without an authored `ResultPath` storing the error never fails, whatever the input is.
      const into = Object.hasOwn(catcher.authored, 'ResultPath')
        ? input
        : union(input, objectOf(new Map(), [source]))!;
      return {
        data: store(catcher.ResultPath, into, error, [source]),
        variables: assign(catcher, error),
      };
    },
    template,
  };
}

function jsonataFlow(sight: Sight): LanguageFlow {
  const { state, input, variables } = sight;
  const end = (owner: Ending, otherwise: ValueSet, more: MoreStates = {}): Passed => {
    const { Output: output, Assign: assign, at } = owner;
    const source = (field: string) => sourceAt(state, field, [...at, field]);
    return {
      data: output === undefined ? otherwise : jsonataValues(output, sight, source('Output'), more),
      variables: assign
        ? withVariables(variables, jsonataValues(assign, sight, source('Assign'), more))
        : variables,
    };
  };
  return {
    select: () => input,
    prepare: (selected) =>
      state.Arguments === undefined
        ? selected
        : jsonataValues(state.Arguments, sight, sourceAt(state, 'Arguments')),
    finish(result) {
      const passed = end(state, result, { result });
      return { ...passed, data: storeReasoning(state, passed.data) };
    },
    pass: () => end(state, input),
    chosen: (rule) => end(rule ?? state, input),
    caught(catcher) {
      const errorOutput = errorValues(sourceAt(state, 'Catch', catcher.at));
      return end(catcher, errorOutput, { errorOutput });
    },
    template: (value, _, source, seen = sight) => jsonataValues(value, seen, source),
  };
}

type Assigning = Pick<State, 'Assign' | 'at'>;
type Ending = Pick<State, 'Assign' | 'Output' | 'at'>;

/** Amazon #error-output */
function errorValues(source: Source): ValueSet {
  const text = scalarFrom([source]);
  return objectOf(
    new Map([
      ['Error', text],
      ['Cause', text],
    ]),
    [source],
  );
}

/** Assigned variables replace those of the same name. */
function withVariables(variables: ValueSet, assigned: ValueSet): ValueSet {
  if (assigned === 'any' || assigned.object?.isOpen) return 'any';
  let all = variables;
  for (const [name, value] of assigned.object?.known ?? []) all = withField(all, name, value, []);
  return all;
}

/** The data once a result is stored where `ResultPath` says. Missing objects are created. Amazon #ref-paths */
export function store(
  path: string | null | undefined,
  input: ValueSet,
  result: ValueSet,
  sources: readonly Source[],
): ValueSet {
  if (path === null) return input;
  if (path === undefined || path === '$') return result;
  const parsed = parsePath(path);
  if (isUnfilled(path) || isFault(parsed) || parsed.root !== '$') return 'any';
  return storeAt(input, parsed.steps, result, sources) ?? 'any';
}

/**
 * The data once an agent's reasoning is stored in it, if there is any. A value that is not an object becomes `result`
 * of one.
 */
function storeReasoning(state: State, data: ValueSet): ValueSet {
  const path = state.Type === 'Task' ? state.Reasoning?.store : undefined;
  if (path === undefined) return data;
  const sources = [sourceAt(state, 'Reasoning')];
  const isObject = data !== 'any' && !data.scalar && !data.list;
  const into = isObject ? data : union(data, objectOf(new Map([['result', data]]), sources))!;
  return union(data, store(path, into, 'any', sources))!;
}

/** Undefined when the result is unknown. */
function storeAt(
  into: ValueSet | undefined,
  [step, ...rest]: readonly Step[],
  result: ValueSet,
  sources: readonly Source[],
): ValueSet | undefined {
  if (!step) return result;
  if (step.kind !== 'name') return undefined;
  const before = into === undefined ? undefined : fieldIn(into, step.name);
  const inner = storeAt(before, rest, result, sources);
  return inner && withField(into, step.name, inner, sources);
}

/** A state and the data that can be there. */
export interface Visit<Visited extends StateBase> {
  readonly state: Visited;
  readonly sight: Sight;
  readonly flow: LanguageFlow;
}

/** Where a state leads, and with which data. */
export interface Ways {
  readonly exits: readonly Exit[];
  /** The machines that it runs. */
  readonly machines?: readonly MachineStart[];
}

/** A way out of a state; without a target, the end of the machine. */
interface Exit {
  readonly target?: string;
  readonly passed: Passed;
}

interface MachineStart {
  readonly machine: Machine;
  readonly passed: Passed;
}

/** The ways through the states of a type, as far as known before a run. */
export interface StateWays<Visited extends StateBase> {
  /** The ways that leave a state; if it runs machines, the ways into them and of its errors. */
  readonly enter: (visit: Visit<Visited>) => Ways;
  /** The ways that leave a state once its machines have ended. */
  readonly leave?: (visit: Visit<Visited>, outputs: readonly (ValueSet | undefined)[]) => Ways;
}

/** The way to the next state, or to the end. */
export function onwards(
  { Next: next, End: end }: Partial<HasNext>,
  passed: Passed,
): readonly Exit[] {
  return next === undefined || end === true ? [{ passed }] : [{ target: next, passed }];
}

/** The ways to the states that deal with errors. */
export function recoveries({ sight }: Visit<StateBase>): readonly Exit[] {
  const catchers = (sight.state as Partial<State>).Catch ?? [];
  const flow = languageFlow(conditional(sight));
  return catchers.map((catcher) => ({ target: catcher.Next, passed: flow.caught(catcher) }));
}

/** The ways of a state whose work gives some result. */
export function worked(visit: Visit<StateBase & Partial<HasNext>>, result: ValueSet): Ways {
  return { exits: [...onwards(visit.state, visit.flow.finish(result)), ...recoveries(visit)] };
}
