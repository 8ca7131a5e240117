import { targetsOf } from '../../authored.ts';
import type { Machine, State, Workflow } from '../../definition/index.ts';
import { definitionOf } from '../../kinds.ts';

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
export interface Step {
  readonly node: Node;
  readonly isReturn: boolean;
}

export interface WorkflowGraph {
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
