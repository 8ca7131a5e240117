import type { Json, JsonObject, Path } from '@dramaturg/compiler';
import { loopsOf } from '@dramaturg/compiler/chart';
import { valueAt } from '@dramaturg/compiler/format';
import { compileCondition } from '../data/choice/index.ts';
import { targetsOf } from '../authored.ts';
import type { Choice, State, Workflow } from '../definition/index.ts';
import { noProgress } from '../diagnostics/loop.ts';
import { candidateData, type Candidates, fieldsOfPath } from './candidate-data.ts';
import type { WorkflowRule } from './rule.ts';

/** Conditions are judged so often at most. */
const judgementsMax = 200_000;

/**
 * Reports a loop of states that change no data and wait for no answer, with data that go round in it: every round decides the same. Each is
 * found by walking from the start with data that stay the same, so the example is a possible run. Spec: Amazon #choice-state
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

/** Without any end, `machinesWithoutEnd` reports it. */
function isEnd({ Type: type, authored }: State): boolean {
  return type === 'Succeed' || type === 'Fail' || authored['End'] === true;
}

/** A state on a walk, and the field that leads on. */
interface Step {
  readonly state: State;
  readonly next: string;
  readonly at: Path;
}

/** Goes from state to state with data that stay the same. */
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

  /** The loop that these data end in, if each of its states is without progress. */
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

  /** The agent of a Task may answer otherwise the next time, and a timeout ends Waits. */
  #isStill({ Type: type }: State): boolean {
    return type !== 'Task' && (type !== 'Wait' || this.#definition.TimeoutSeconds === undefined);
  }

  /** Undefined where the walk ends, or where it is not certain that the data stay the same. */
  #stepFrom(state: State, data: JsonObject): Step | undefined {
    const { Type: type, authored, at } = state;
    if (type === 'Choice') return this.#choose(state as Choice, data);
    const { Next: next } = authored;
    if (typeof next !== 'string' || !this.#keepsData(state, data)) return undefined;
    return { state, next, at: [...at, 'Next'] };
  }

  /** Whether the data can be the same after a state. An agent may answer with what is there already. */
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
      // A condition reads what these data do not have: the run fails.
      return undefined;
    }
  }
}

const passFields = ['Type', 'Comment', 'Next'];
const choiceFields = ['Type', 'Comment', 'Choices', 'Default'];
const waitFields = ['Type', 'Comment', 'Next', 'Seconds'];
/** Fields of a Task that change its output beside `ResultPath`. */
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
