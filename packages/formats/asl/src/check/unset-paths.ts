import type { Path } from '@dramaturg/compiler';
import type { Pattern, Problem, ReportDetails } from '@dramaturg/compiler/format';
import { authoredPart, partsOf } from '../authored.ts';
import type { State, Workflow } from '../definition/index.ts';
import {
  type DeadEnd,
  notAlwaysSet,
  type Origin,
  unsetContext,
  unsetPath,
  unsetVariable,
} from '../diagnostics/data.ts';
import { machinesOf, statesOf } from '../walk.ts';
import {
  Analysis,
  graphOf,
  type Node,
  nodesIn,
  reportSeparateWays,
  type Scope,
} from './flow/separate-ways.ts';
import type { Passed } from './flow/language-flow.ts';
import type { MissingValue } from './flow/sight.ts';
import { isUnfilled, objectOf, type Source, type ValueSet } from './flow/value-set.ts';
import { targetsIn, wiringOf } from './structure.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports paths that no earlier state can have set, on any way to the state. The input of the workflow, and the results
 * of tasks, may be anything. Spec: Amazon #filters, #variables
 */
export const unsetPaths: WorkflowRule = ({ definition, report }) => {
  if (leadsAnywhere(definition)) return;
  const graph = graphOf(definition);
  // Variables of a template are parameters that are known only in a run.
  const variables = definition.isTemplate ? 'any' : objectOf(new Map(), []);
  const start: Passed = { data: 'any', variables };
  const analysis = new Analysis(definition, graph, start);
  const findings = new Findings(definition, analysis, nodesIn(graph));
  const found = new Set<string>();
  for (const step of graph.steps) {
    const passed = analysis.passedTo(step.node);
    if (!passed) continue;
    analysis.waysOf(step, passed, (missing, at) => {
      found.add(JSON.stringify([at, missing.text]));
      report(findings.problemOf(step.node, missing), at, findings.detailsOf(step.node, missing));
    });
  }
  reportSeparateWays(analysis, graph, start, (node, missing, at, way) => {
    const key = JSON.stringify([at, missing.text]);
    // With null for missing paths, a value may be absent on some ways.
    const isWanted = definition.missing === 'null' && missing.root === 'data';
    if (isWanted || found.has(key)) return;
    found.add(key);
    const names = way.map(({ state }) => state.name);
    report(notAlwaysSet(missing.text, names), at, findings.detailsOf(node, missing));
  });
};

/** Whether a state may lead to states that are known only once the definition is deployed or included. */
function leadsAnywhere(workflow: Workflow): boolean {
  return machinesOf(workflow).some(
    (machine) =>
      isUnfilled(machine.StartAt) || targetsIn(machine).some(({ target }) => isUnfilled(target)),
  );
}

/** Describes paths to nothing for findings. */
class Findings {
  readonly #analysis: Analysis;
  readonly #nodes: ReadonlyMap<State, Node>;
  readonly #definition: Workflow;
  #assigned: ReadonlyMap<string, State> | undefined;

  constructor(definition: Workflow, analysis: Analysis, nodes: ReadonlyMap<State, Node>) {
    this.#definition = definition;
    this.#analysis = analysis;
    this.#nodes = nodes;
  }

  problemOf(node: Node, { text, root, found, step, values }: MissingValue): Problem {
    const way = (via?: Node) => wayTo(node, via, this.#analysis.nextOf);
    const name = step.replace(/^[.$]/, '');
    const end = endOf(values, step);
    const known = end.kind === 'object' ? end.fields : [];
    if (root === 'context') return unsetContext(text, found, name, known);
    if (root === 'variables') return unsetVariable(name, known, this.#assigning(name)?.name, way);
    const source = sourceOf(values);
    const origin = source && {
      state: source.state.name,
      field: source.field,
      remedy: remedyFor(source, found),
      way: () => way(this.#nodes.get(source.state)),
    };
    return unsetPath(text, found, end, origin);
  }

  detailsOf(node: Node, { root, values, found, step }: MissingValue): ReportDetails {
    const source = root === 'data' ? sourceOf(values) : undefined;
    const assigning = root === 'variables' ? this.#assigning(step.slice(1)) : undefined;
    const place = source?.at ?? (assigning && [...assigning.at, 'Assign']);
    const scopes = [...scopesAround(node.scope)];
    const origin = source && this.#nodes.get(source.state);
    if (origin && !scopes.includes(origin.scope)) scopes.push(origin.scope);
    return {
      topic: JSON.stringify([found, step, place ?? node.scope.machine.at]),
      follows: [
        ...scopes.flatMap(({ machine }) => dataFields(machine.at)),
        ...(root === 'context' ? [[...node.state.at, 'Resource']] : []),
      ],
      ...(source && {
        related: [{ path: source.at, message: `"${source.state.name}" makes the data here.` }],
      }),
    };
  }

  /** A state that assigns the variable. */
  #assigning(name: string): State | undefined {
    this.#assigned ??= new Map(
      statesOf(this.#definition).flatMap((state) =>
        assignedIn(state).map((assigned): [string, State] => [assigned, state]),
      ),
    );
    return this.#assigned.get(name);
  }
}

function endOf(values: ValueSet, step: string): DeadEnd {
  if (values === 'any') return { kind: 'object', fields: [] };
  const { object, list } = values;
  const length = list?.items?.length;
  const isIndex = step.startsWith('[') && !step.startsWith('["');
  if (object && !(isIndex && list)) return { kind: 'object', fields: [...object.known.keys()] };
  if (!list) return { kind: 'scalar' };
  return { kind: 'list', ...(isIndex && length !== undefined && { length }) };
}

function sourceOf(values: ValueSet): Source | undefined {
  return values === 'any' ? undefined : values.sources[0];
}

/** How a path into the data of a source could have a value. */
function remedyFor({ state, field }: Source, found: string): Origin['remedy'] {
  if (field === 'Catch') {
    if (found.endsWith('.Cause')) return 'cause';
    if (found === '$states.input') return 'catcherOutput';
    return found === '$' ? 'catcher' : undefined;
  }
  const isResult = [
    'Result',
    'Parameters',
    'ResultSelector',
    'Branches',
    'ItemProcessor',
    'Agents',
  ];
  const isReplaced = found === '$' && state.ResultPath === '$' && isResult.includes(field);
  return isReplaced ? 'resultPath' : undefined;
}

function assignedIn(state: State): readonly string[] {
  const part = authoredPart(state);
  const blocks = [part, ...partsOf(part, 'Catch'), ...partsOf(part, 'Choices')];
  return blocks.flatMap(({ value }) =>
    Object.keys(value['Assign'] ?? {}).map((name) => name.replace(/\.\$$/, '')),
  );
}

function* scopesAround(scope: Scope): Generator<Scope> {
  for (let one: Scope | undefined = scope; one; one = one.owner?.scope) yield one;
}

/** The fields that decide what data there is: a mistake in one of them explains other findings. */
function dataFields(at: Path): readonly Pattern[] {
  const fields = [
    ['InputPath'],
    ['Parameters'],
    ['Arguments'],
    ['Result'],
    ['ResultSelector'],
    ['ResultPath'],
    ['OutputPath'],
    ['Output'],
    ['Assign'],
    ['QueryLanguage'],
    ['ItemsPath'],
    ['Items'],
    ['ItemSelector'],
    ['ItemBatcher'],
    ['Catch', '*', 'ResultPath'],
    ['Catch', '*', 'Output'],
    ['Catch', '*', 'Assign'],
    ['Choices', '*', 'Output'],
    ['Choices', '*', 'Assign'],
  ];
  return [...wiringOf(at), ...fields.map((field) => [...at, 'States', '*', ...field])];
}

/** The states that a state leads to. */
type NextOf = (node: Node) => Iterable<Node>;

/**
 * The names of the states on the shortest way to a state, from the start of the workflow.
 *
 * @param via a state that the way passes, if possible
 */
function wayTo(node: Node, via: Node | undefined, nextOf: NextOf): readonly string[] {
  const { machine, nodes, owner } = node.scope;
  const start = nodes.get(machine.StartAt);
  const outer = owner ? wayTo(owner, via, nextOf) : [];
  if (!start) return [...outer, node.state.name];
  const middle = via && enclosing(via, node);
  const through =
    middle && middle !== node
      ? joined(shortest(start, middle, nextOf), shortest(middle, node, nextOf))
      : undefined;
  const inner = through ?? shortest(start, node, nextOf) ?? [node];
  return [...outer, ...inner.map(({ state }) => state.name)];
}

/** The node itself, or the state around it, that is in the same machine as the other node. */
function enclosing(node: Node, other: Node): Node | undefined {
  let one: Node | undefined = node;
  while (one && one.scope !== other.scope) one = one.scope.owner;
  return one;
}

function joined(one: readonly Node[] | undefined, other: readonly Node[] | undefined) {
  return one && other && [...one, ...other.slice(1)];
}

function shortest(from: Node, to: Node, nextOf: NextOf): readonly Node[] | undefined {
  const before = new Map<Node, Node | undefined>([[from, undefined]]);
  for (const node of before.keys()) {
    if (node === to) return chain(to, before);
    for (const next of nextOf(node)) if (!before.has(next)) before.set(next, node);
  }
  return undefined;
}

function chain(to: Node, before: ReadonlyMap<Node, Node | undefined>): readonly Node[] {
  const nodes = [to];
  for (let node = before.get(to); node; node = before.get(node)) nodes.push(node);
  return nodes.toReversed();
}
