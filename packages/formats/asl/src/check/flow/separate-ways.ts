import type { Analysis } from './analysis.ts';
import type { Passed } from './language-flow.ts';
import type { MissingValue } from './sight.ts';
import type { Path } from '@dramaturg/compiler';
import { sizeOf, union } from './value-set.ts';
import type { Ways } from './ways.ts';
import type { Node, WorkflowGraph } from './workflow-graph.ts';

/** One way to a state, and the data that can be there on it. */
export interface SeparateWay {
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
 * the next Choice, which may know where the run came from. Loops are followed once.
 */
export function reportSeparateWays(
  analysis: Analysis,
  { root, steps }: WorkflowGraph,
  start: Passed,
  report: (node: Node, missing: MissingValue, at: Path, way: readonly Node[]) => void,
): void {
  const arriving = new Map<Node, SeparateWay[]>();
  const begin = root.nodes.get(root.machine.StartAt);
  if (begin) arriving.set(begin, [{ passed: start, trail: undefined }]);
  for (const [position, step] of steps.entries()) {
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

  /** Follows the ways forward, and skips ways back. */
  function lead(trail: Trail, { exits, machines = [] }: Ways, position: number): void {
    const { node } = trail;
    for (const { target, passed } of exits) {
      const next = target === undefined ? undefined : node.scope.nodes.get(target);
      if (next && next.enters > position) arrive(next, { passed, trail });
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
