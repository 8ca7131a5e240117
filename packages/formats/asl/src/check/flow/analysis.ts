import type { Dialect, State, Workflow } from '../../definition/index.ts';
import type { Task } from '../../kinds/task/definition.ts';
import { kindOf } from '../../kinds.ts';
import { showsToken } from '../../kinds/task/program.ts';
import { languageFlow, type Passed } from './language-flow.ts';
import type { Sight } from './sight.ts';
import { isUnfilled, objectOf, union, type ValueSet } from './value-set.ts';
import { type Visit, type Ways, worked } from './ways.ts';
import type { Node, Scope, Step, WorkflowGraph } from './workflow-graph.ts';

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
