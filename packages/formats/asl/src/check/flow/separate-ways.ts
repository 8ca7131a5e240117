import type { Path } from '@dramaturg/compiler';
import { targetsOf } from '../../authored.ts';
import type { Dialect, Machine, State, Workflow } from '../../definition/machine.ts';
import { definitionOf, kindOf } from '../../kinds.ts';
import { showsToken, type Task } from '../../kinds/task/definition.ts';
import { languageFlow, type Passed, type Visit, type Ways, worked } from './language-flow.ts';
import type { MissingValue, Sight } from './sight.ts';
import { isUnfilled, objectOf, sizeOf, union, type ValueSet } from './value-set.ts';

/** A state within a workflow. */
export interface Node {
  readonly state: State;
  readonly scope: Scope;
  /** The machines that the state runs. */
  readonly inner: ReadonlyMap<Machine, Scope>;
  /** Its position among the steps of the workflow. */
  enters: number;
  /** The position of the step after its machines have ended. */
  leaves: number;
}

/** A machine within a workflow. */
export interface Scope {
  readonly machine: Machine;
  readonly nodes: ReadonlyMap<string, Node>;
  /** The state that runs the machine; undefined for the workflow itself. */
  readonly owner: Node | undefined;
  /** Whether the machine works on an item of a Map, or is within one that does. */
  readonly isInMap: boolean;
}

/** The entry into a state, or the return to it after its machines have ended. */
interface Step {
  readonly node: Node;
  readonly isReturn: boolean;
}

interface WorkflowGraph {
  readonly root: Scope;
  /** Most steps come after those that lead to them; only loops lead back. */
  readonly steps: readonly Step[];
}

export function graphOf(workflow: Workflow): WorkflowGraph {
  const root = scopeOf(workflow, undefined, false);
  const open = [root];
  for (const scope of open) {
    for (const node of scope.nodes.values()) {
      const machines = definitionOf(node.state.Type).machinesOf?.(node.state) ?? [];
      const isInMap = scope.isInMap || node.state.Type === 'Map';
      for (const machine of machines) {
        const inner = scopeOf(machine, node, isInMap);
        (node.inner as Map<Machine, Scope>).set(machine, inner);
        open.push(inner);
      }
    }
  }
  const steps = stepsFrom(root);
  for (const [position, { node, isReturn }] of steps.entries()) {
    if (isReturn) node.leaves = position;
    else node.enters = position;
  }
  return { root, steps };
}

function scopeOf(machine: Machine, owner: Node | undefined, isInMap: boolean): Scope {
  const nodes = new Map<string, Node>();
  const scope: Scope = { machine, nodes, owner, isInMap };
  for (const state of machine.States) {
    nodes.set(state.name, { state, scope, inner: new Map(), enters: -1, leaves: -1 });
  }
  return scope;
}

/** The steps that can be reached, in the reverse post-order of a depth-first search. */
function stepsFrom(root: Scope): readonly Step[] {
  const entries = new Map<Node, Step>();
  const returns = new Map<Node, Step>();
  const stepOf = (node: Node, isReturn: boolean): Step => {
    const steps = isReturn ? returns : entries;
    const step = steps.get(node) ?? { node, isReturn };
    steps.set(node, step);
    return step;
  };
  const successors = ({ node, isReturn }: Step): Step[] => {
    const { nodes, owner } = node.scope;
    const targets = targetsOf(node.state)
      .map(({ target }) => nodes.get(target))
      .filter((next) => next !== undefined)
      .map((next) => stepOf(next, false));
    const ending = owner ? [stepOf(owner, true)] : [];
    if (isReturn || node.inner.size === 0) return [...targets, ...ending];
    const starts = [...node.inner.values()]
      .map(({ machine, nodes: own }) => own.get(machine.StartAt))
      .filter((start) => start !== undefined)
      .map((start) => stepOf(start, false));
    return [...targets, stepOf(node, true), ...starts];
  };
  const start = root.nodes.get(root.machine.StartAt);
  const left: Step[] = [];
  const seen = new Set<Step>();
  const path: { step: Step; next: Step[] }[] = [];
  const enter = (step: Step) => {
    if (seen.has(step)) return;
    seen.add(step);
    path.push({ step, next: successors(step) });
  };
  if (start) enter(stepOf(start, false));
  for (let last = path.at(-1); last; last = path.at(-1)) {
    const next = last.next.shift();
    if (next) enter(next);
    else {
      left.push(last.step);
      path.pop();
    }
  }
  return left.toReversed();
}

/** The states of a workflow that can be reached, with those of its machines. */
export function nodesIn({ steps }: WorkflowGraph): ReadonlyMap<State, Node> {
  return new Map(steps.map(({ node }) => [node.state, node]));
}

/**
 * Follows the data along all ways of a workflow until nothing changes: a data-flow analysis over sets of values, which
 * only grow. Owns the data at each state while it works.
 *
 *     A1  The data at a state is a superset of what any run has there.
 *     A2  Every way is followed, except those that a Choice certainly does not take.
 *     A3  The data at a state grows `mostChanges` times at most: after that it may be anything. So the work is in
 *         proportion to the number of states.
 */
export class Analysis {
  readonly #dialect: Dialect;
  readonly #arrivals = new Map<Node, Arrival>();
  readonly #outputs = new Map<Scope, Output>();
  readonly #next = new Map<Node, Set<Node>>();
  readonly #queue = new StepQueue();

  constructor(workflow: Workflow, graph: WorkflowGraph, start: Passed) {
    this.#dialect = workflow.dialect;
    this.#enter(graph.root, start);
    for (let at = this.#queue.take(); at !== undefined; at = this.#queue.take()) {
      this.#take(graph.steps[at]!);
    }
  }

  /** The data that can be at a state; undefined when no run reaches it. */
  passedTo(node: Node): Passed | undefined {
    return this.#arrivals.get(node)?.passed;
  }

  /** The states that a state leads to with some data. */
  readonly nextOf = (node: Node): ReadonlySet<Node> => this.#nextOf(node);

  #nextOf(node: Node): Set<Node> {
    const next = this.#next.get(node) ?? new Set();
    this.#next.set(node, next);
    return next;
  }

  #take(step: Step): void {
    const { node } = step;
    const { exits, machines = [] } = this.waysOf(step, this.passedTo(node)!, () => {});
    for (const { target, passed } of exits) {
      const next = target === undefined ? undefined : node.scope.nodes.get(target);
      if (next) {
        this.#arrive(next, passed);
        this.#nextOf(node).add(next);
      }
      if (target === undefined) this.#end(node.scope, passed.data);
    }
    for (const { machine, passed } of machines) {
      this.#enter(node.inner.get(machine)!, passed);
    }
    if (!step.isReturn && node.leaves >= 0) this.#queue.add(node.leaves);
  }

  /** The ways that leave a step with some data. Paths to nothing are reported. */
  waysOf({ node, isReturn }: Step, passed: Passed, report: Sight['report']): Ways {
    const { enter, leave } = kindOf(node.state.Type).ways ?? {};
    const visit = this.#visitOf(node, passed, report);
    if (isReturn) {
      const outputs = [...node.inner.values()].map((scope) => this.#outputs.get(scope)?.data);
      return leave?.(visit, outputs) ?? { exits: [] };
    }
    if (enter) return enter(visit);
    visit.flow.prepare(visit.flow.select());
    return worked(visit, 'any');
  }

  #visitOf(node: Node, passed: Passed, report: Sight['report']): Visit<State> {
    const { state, scope } = node;
    const { data, variables } = passed;
    const sight: Sight = {
      state,
      dialect: this.#dialect,
      input: data,
      variables,
      context: contextValues(state, scope.isInMap ? 'any' : undefined),
      withItem: (item) => ({ ...sight, context: contextValues(state, item) }),
      report,
    };
    return { state, sight, flow: languageFlow(sight) };
  }

  #enter({ machine, nodes }: Scope, passed: Passed): void {
    const start = nodes.get(machine.StartAt);
    if (start) this.#arrive(start, passed);
  }

  #arrive(node: Node, passed: Passed): void {
    if (node.enters < 0) return;
    const before = this.#arrivals.get(node);
    const data = union(before?.passed.data, passed.data)!;
    const variables = union(before?.passed.variables, passed.variables)!;
    if (before && data === before.passed.data && variables === before.passed.variables) return;
    const isPending = this.#queue.has(node.enters);
    const changes = (before?.changes ?? 0) + (isPending ? 0 : 1);
    const isRestless = changes > mostChanges;
    this.#arrivals.set(node, {
      passed: isRestless ? anything : { data, variables },
      changes,
    });
    this.#queue.add(node.enters);
  }

  #end(scope: Scope, output: ValueSet): void {
    const before = this.#outputs.get(scope);
    const data = union(before?.data, output)!;
    const { owner } = scope;
    if (!owner || data === before?.data) return;
    const changes = (before?.changes ?? 0) + (this.#queue.has(owner.leaves) ? 0 : 1);
    this.#outputs.set(scope, { data: changes > mostChanges ? 'any' : data, changes });
    this.#queue.add(owner.leaves);
  }
}

interface Arrival {
  readonly passed: Passed;
  /** How often new data has arrived after a visit. */
  readonly changes: number;
}

interface Output {
  readonly data: ValueSet;
  readonly changes: number;
}

const anything: Passed = { data: 'any', variables: 'any' };

const mostChanges = 8;

/**
 * The context object of a state. A run may be started with more fields in `Execution` and `StateMachine`. Amazon
 * #context-object, AWS "Context object"
 *
 * @param item of the Map around the state; undefined outside of a Map
 */
function contextValues(state: State, item: ValueSet | undefined): ValueSet {
  const fields = new Map<string, ValueSet>([
    ['Execution', 'any'],
    ['StateMachine', 'any'],
    ['State', recordOf('Name', 'EnteredTime', 'RetryCount')],
  ]);
  if (item !== undefined) {
    const known = new Map<string, ValueSet>([
      ['Index', 'any'],
      ['Key', 'any'],
      ['Source', 'any'],
      ['Value', item],
    ]);
    fields.set('Map', objectOf(new Map([['Item', objectOf(known, [])]]), []));
  }
  if (mayShowToken(state)) fields.set('Task', recordOf('Token'));
  return objectOf(fields, []);
}

function recordOf(...names: readonly string[]): ValueSet {
  return objectOf(new Map(names.map((name): [string, ValueSet] => [name, 'any'])), []);
}

function mayShowToken(state: State): boolean {
  if (state.Type !== 'Task') return false;
  const task = state as Task;
  return showsToken(task) || isUnfilled(task.Resource);
}

/** The pending steps, as a binary heap: in order, and without duplicates. */
class StepQueue {
  readonly #heap: number[] = [];
  readonly #waiting = new Set<number>();

  has(position: number): boolean {
    return this.#waiting.has(position);
  }

  add(position: number): void {
    if (this.#waiting.has(position)) return;
    this.#waiting.add(position);
    const heap = this.#heap;
    let at = heap.push(position) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]! <= position) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = position;
  }

  take(): number | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    this.#waiting.delete(first);
    if (heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(position: number): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child += 1;
      if (heap[child]! >= position) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = position;
  }
}

/** One way to a state, and the data that can be there on it. */
interface SeparateWay {
  readonly passed: Passed;
  /** The states before, the nearest first. */
  readonly trail: Trail | undefined;
}

interface Trail {
  readonly node: Node;
  readonly before: Trail | undefined;
}

/** The most ways to a state that are followed separately. */
const mostWays = 6;

/**
 * Finds paths that have no value on one way, but may have one on another. Ways that meet are followed separately up to
 * the next Choice, which may know where the run came from. Each way back is followed once more, without further ways back.
 */
export function reportSeparateWays(
  analysis: Analysis,
  { root, steps }: WorkflowGraph,
  start: Passed,
  report: (node: Node, missing: MissingValue, at: Path, way: readonly Node[]) => void,
): void {
  const arriving = new Map<Node, SeparateWay[]>();
  const back: [Node, SeparateWay][] = [];
  const begin = root.nodes.get(root.machine.StartAt);
  if (begin) arriving.set(begin, [{ passed: start, trail: undefined }]);
  followAll();
  arriving.clear();
  for (const [node, way] of back.splice(0)) arrive(node, way);
  followAll();

  function followAll(): void {
    for (const [position, step] of steps.entries()) follow(step, position);
  }

  function follow(step: Step, position: number): void {
    const { node } = step;
    const ways = arriving.get(node) ?? [];
    const isChoice = node.state.Type === 'Choice';
    for (const { passed, trail } of ways) {
      const here = { node, before: trail };
      const next = analysis.waysOf(step, passed, (missing, at) => {
        if (!missing.isConditional) report(node, missing, at, nodesOf(here));
      });
      if (!isChoice) lead(here, next, position);
    }
    for (const { passed, trail } of isChoice ? joined(node, ways) : []) {
      const next = analysis.waysOf(step, passed, () => {});
      lead({ node, before: trail }, next, position);
    }
    // Ways take much memory in a large workflow.
    if (position >= node.leaves) arriving.delete(node);
  }

  /** Joins all ways, also those of loops. */
  function joined(node: Node, [first]: readonly SeparateWay[]): SeparateWay[] {
    const passed = analysis.passedTo(node);
    return first && passed ? [{ passed, trail: first.trail }] : [];
  }

  /** Follows the ways forward, and keeps ways back. */
  function lead(trail: Trail, { exits, machines = [] }: Ways, position: number): void {
    const { node } = trail;
    for (const { target, passed } of exits) {
      const next = target === undefined ? undefined : node.scope.nodes.get(target);
      if (next && next.enters > position) arrive(next, { passed, trail });
      else if (next) back.push([next, { passed, trail }]);
    }
    for (const { machine, passed } of machines) {
      const next = node.inner.get(machine)!.nodes.get(machine.StartAt);
      if (next && next.enters > position) arrive(next, { passed, trail });
    }
  }

  function arrive(node: Node, way: SeparateWay): void {
    const ways = arriving.get(node) ?? [];
    if (ways.some((other) => isSame(other.passed, way.passed))) return;
    const all = [...ways, way];
    arriving.set(node, all.length > mostWays ? joined(node, all) : all);
  }
}

function isSame(one: Passed, other: Passed): boolean {
  return (['data', 'variables'] as const).every(
    (part) =>
      sizeOf(one[part]) === sizeOf(other[part]) &&
      union(one[part], other[part]) === one[part] &&
      union(other[part], one[part]) === other[part],
  );
}

function nodesOf(last: Trail): readonly Node[] {
  const nodes: Node[] = [];
  for (let trail: Trail | undefined = last; trail; trail = trail.before) nodes.push(trail.node);
  return nodes.toReversed();
}
