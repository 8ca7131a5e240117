import type { Json, JsonObject, Path } from '@dramaturg/compiler';
import { loopsOf } from '@dramaturg/compiler/chart';
import { valueAt } from '@dramaturg/compiler/format';
import { targetsOf } from '../authored.ts';
import { compileCondition } from '../data/choice.ts';
import type { Condition, State, Workflow } from '../definition/index.ts';
import { noProgress } from '../diagnostics/data.ts';
import type { Choice } from '../kinds/choice.ts';
import type { WorkflowRule } from './rule.ts';

/** The most evaluations of conditions. */
const judgementsMax = 200_000;

/**
 * Reports loops of states that change no data and wait for no answer, so that every round decides the same. A loop is found by
 * a walk from the start with constant data, so the example is a possible run. Spec: Amazon #choice-state
 */
export const loopsWithoutProgress: WorkflowRule = ({ definition, report }) => {
  const { States: states, isTemplate } = definition;
  if (isTemplate || !states.some(isEnd)) return;
  const byName = new Map(states.map((state) => [state.name, state]));
  const loops = loopsOf([...byName.keys()], (name) =>
    targetsOf(byName.get(name)!).flatMap(({ target }) => (byName.has(target) ? [target] : [])),
  );
  const choices = states.filter((state): state is Choice => state.Type === 'Choice');
  if (loops.length === 0) return;
  const candidates = candidateData(choices);
  if (!candidates) return;
  const walk = new Walk(definition, byName, candidates.variables);
  const known = new Set<string>();
  for (const data of candidates.data) {
    const loop = walk.loopWith(data);
    if (!loop) continue;
    const names = loop.map(({ state }) => state.name);
    const key = JSON.stringify(names.toSorted());
    if (known.has(key)) continue;
    known.add(key);
    const decision = loop.find(({ state }) => state.Type === 'Choice');
    report(noProgress(names, JSON.stringify(data)), (decision ?? loop[0]!).at);
  }
};

/** Whether a state is an end. `machinesWithoutEnd` reports a workflow without one. */
function isEnd({ Type: type, authored }: State): boolean {
  return type === 'Succeed' || type === 'Fail' || authored['End'] === true;
}

/** A state on a walk, and the field that leads to the next. */
interface Step {
  readonly state: State;
  readonly next: string;
  readonly at: Path;
}

/** Walks from state to state with constant data. */
class Walk {
  readonly #definition: Workflow;
  readonly #byName: ReadonlyMap<string, State>;
  readonly #variables: Candidates['variables'];
  readonly #rules = new Map<Choice, ReturnType<typeof compileRules>>();
  #judgements = 0;

  constructor(
    definition: Workflow,
    byName: ReadonlyMap<string, State>,
    variables: Candidates['variables'],
  ) {
    this.#variables = variables;
    this.#definition = definition;
    this.#byName = byName;
  }

  /** The loop in which a run with these data ends, if no state in it makes progress. */
  loopWith(data: JsonObject): readonly Step[] | undefined {
    const steps: Step[] = [];
    const places = new Map<string, number>();
    for (let name = this.#definition.StartAt; !places.has(name); name = steps.at(-1)!.next) {
      const state = this.#byName.get(name);
      const step = state && this.#stepFrom(state, data);
      if (!step) return undefined;
      places.set(name, steps.length);
      steps.push(step);
    }
    const loop = steps.slice(places.get(steps.at(-1)!.next));
    return loop.every(({ state }) => this.#isStill(state)) ? loop : undefined;
  }

  /** Whether a state makes no progress. An agent's next answer may differ, and a timeout ends Waits. */
  #isStill({ Type: type }: State): boolean {
    return type !== 'Task' && (type !== 'Wait' || this.#definition.TimeoutSeconds === undefined);
  }

  /** Undefined if the walk ends, or if the data may change. */
  #stepFrom(state: State, data: JsonObject): Step | undefined {
    const { Type: type, authored, at } = state;
    if (type === 'Choice') return this.#choose(state as Choice, data);
    const { Next: next } = authored;
    if (typeof next !== 'string' || !this.#keepsData(state, data)) return undefined;
    return { state, next, at: [...at, 'Next'] };
  }

  /** Whether the data can be the same after a state. An agent may answer with the value that is already stored. */
  #keepsData({ Type: type, authored }: State, data: JsonObject): boolean {
    if (type === 'Pass') return hasOnly(authored, passFields);
    if (type === 'Wait')
      return hasOnly(authored, waitFields) && typeof authored['Seconds'] === 'number';
    if (type !== 'Task' || outputFields.some((field) => Object.hasOwn(authored, field)))
      return false;
    const { ResultPath: path = '$' } = authored;
    if (path === null || path === '$') return true;
    const fields = typeof path === 'string' ? fieldsOfPath(path) : undefined;
    if (!fields) return false;
    const isCompared = this.#variables.some((variable) =>
      variable.every((name, index) => (fields[index] ?? name) === name),
    );
    return !isCompared || valueAt(data, fields) !== undefined;
  }

  #choose(state: Choice, data: JsonObject): Step | undefined {
    if (state.QueryLanguage === 'JSONata' || !hasOnly(state.authored, choiceFields))
      return undefined;
    const rules = this.#rules.get(state) ?? compileRules(state, this.#definition);
    this.#rules.set(state, rules);
    this.#judgements += rules.length;
    if (this.#judgements > judgementsMax) return undefined;
    try {
      const index = rules.findIndex((holds) => holds(data));
      const rule = state.Choices[index];
      if (rule)
        return rule.Assign === undefined && rule.Output === undefined
          ? { state, next: rule.Next, at: [...rule.at, 'Next'] }
          : undefined;
      const next = state.Default;
      return next === undefined ? undefined : { state, next, at: [...state.at, 'Default'] };
    } catch {
      // A condition reads a value that is missing: the run fails.
      return undefined;
    }
  }
}

const passFields = ['Type', 'Comment', 'Next'];
const choiceFields = ['Type', 'Comment', 'Choices', 'Default'];
const waitFields = ['Type', 'Comment', 'Next', 'Seconds'];
/** Fields of a Task that change its output, besides `ResultPath`. */
const outputFields = ['OutputPath', 'Output', 'Assign'];

function hasOnly(value: object, fields: readonly string[]): boolean {
  return Object.keys(value).every((field) => fields.includes(field));
}

function compileRules({ Choices: rules }: Choice, { dialect, missing }: Workflow) {
  return rules.map(({ condition }) => {
    const holds = compileCondition(condition!, dialect);
    return (data: Json) =>
      holds({ dialect, missing, data, context: {}, variables: {}, world: stillWorld });
  });
}

/** No condition of candidate data asks for the time or for chance. */
const stillWorld = { now: () => 0, random: () => 0, uuid: () => '' };

const simplePath = /^\$((?:\.[A-Za-z_][A-Za-z0-9_]*)+)$/;

/** The most combinations of data that are tried. */
const combinationsMax = 1_000;
const variablesMax = 9;

/** A value of a variable; undefined when the data do not have it. */
type Candidate = Json | undefined;

interface Candidates {
  /** The fields that the Choices compare, such as `['order', 'price']`. */
  readonly variables: readonly (readonly string[])[];
  readonly data: readonly JsonObject[];
}

/**
 * Data that Choices distinguish: the values that they compare and their neighbours, in every combination. With many variables,
 * each has fewer values.
 *
 * @returns undefined when a condition reads anything but fields of the data
 */
function candidateData(choices: readonly Choice[]): Candidates | undefined {
  const byVariable = new Map<string, Candidate[]>();
  for (const { Choices: rules } of choices)
    for (const { condition } of rules)
      if (!condition || !collect(condition, byVariable)) return undefined;
  if (byVariable.size > variablesMax) return undefined;
  const most = Math.max(2, Math.floor(combinationsMax ** (1 / Math.max(1, byVariable.size))));
  const variables: (readonly string[])[] = [];
  let data: readonly JsonObject[] = [{}];
  // Long paths last: they lie within the values of shorter ones.
  for (const [variable, values] of [...byVariable].toSorted(([a], [b]) => a.length - b.length)) {
    const fields = fieldsOfPath(variable)!;
    variables.push(fields);
    data = data.flatMap((each) =>
      unique(values)
        .slice(0, most)
        .map((value) => withValue(each, fields, value)),
    );
  }
  return { variables, data };
}

/** The names of the fields of a simple path; undefined for other paths. */
function fieldsOfPath(path: string): readonly string[] | undefined {
  return simplePath.exec(path)?.[1]!.split('.').slice(1);
}

/** @returns whether the condition reads fields of the data only */
function collect(condition: Condition, found: Map<string, Candidate[]>): boolean {
  if ('conditions' in condition) return condition.conditions.every((each) => collect(each, found));
  if ('condition' in condition) return collect(condition.condition, found);
  if ('expression' in condition) return typeof condition.expression === 'boolean';
  const { Variable: variable, operator, operand } = condition;
  const values = valuesFor(operator, operand);
  if (!simplePath.test(variable) || !values) return false;
  found.set(variable, [...(found.get(variable) ?? []), ...values, undefined]);
  return true;
}

/** Values for which a comparison holds, and values for which it does not. */
function valuesFor(operator: string, operand: Json): readonly Json[] | undefined {
  if (operator.endsWith('Path') || operator.startsWith('Timestamp')) return undefined;
  if (typeof operand === 'number') return [operand, operand + 1, operand - 1];
  if (operator.startsWith('Is')) return [null, 'a text', 1, true, '2026-01-01T09:00:00Z'];
  if (typeof operand === 'boolean') return [true, false];
  if (typeof operand !== 'string') return undefined;
  return operator === 'StringMatches'
    ? [operand.replaceAll('*', ''), `another ${operand.length}`]
    : [operand, `${operand}a`, ''];
}

function unique(values: readonly Candidate[]): readonly Candidate[] {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byText.values()];
}

function withValue(
  data: JsonObject,
  [name, ...rest]: readonly string[],
  value: Candidate,
): JsonObject {
  if (name === undefined) return data;
  const inner = data[name];
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  if (rest.length > 0) {
    const changed = withValue(isObject ? (inner as JsonObject) : {}, rest, value);
    return Object.keys(changed).length === 0 && !isObject ? data : { ...data, [name]: changed };
  }
  return value === undefined ? data : { ...data, [name]: value };
}
