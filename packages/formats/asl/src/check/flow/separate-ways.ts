import type { Analysis } from './analysis.ts';
import type { Passed } from './language-flow.ts';
import type { MissingValue } from './sight.ts';
import type { Path } from '@dramaturg/compiler';
import { union } from './value-set.ts';
import type { Node, Step, WorkflowGraph } from './workflow-graph.ts';

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

/** More ways to a state are not kept apart. */
const mostWays = 6;

/**
 * Finds paths that have no value on one way, and may have one on another. Ways are kept apart from where they meet to the
 * next Choice: that one may know where the run came from. Loops are followed once.
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
    for (const way of ways) {
      analysis.waysOf(step, way.passed, (missing, at) => {
        if (!missing.isConditional) report(node, missing, at, nodesOf({ node, before: way.trail }));
      });
    }
    const kept = node.state.Type === 'Choice' ? joined(node, ways) : ways;
    for (const way of kept) follow(step, way, position);
  }

  /** All ways as one, those of loops too. */
  function joined(node: Node, [first]: readonly SeparateWay[]): SeparateWay[] {
    const passed = analysis.passedTo(node);
    return first && passed ? [{ passed, trail: first.trail }] : [];
  }

  function follow(step: Step, { passed, trail }: SeparateWay, position: number): void {
    const { node } = step;
    const { exits, machines = [] } = analysis.waysOf(step, passed, () => {});
    const next = { node, before: trail };
    for (const exit of exits) {
      const target = exit.target === undefined ? undefined : node.scope.nodes.get(exit.target);
      if (target && target.enters > position) arrive(target, { passed: exit.passed, trail: next });
    }
    for (const { machine, passed: inner } of machines) {
      const target = node.inner.get(machine)!.nodes.get(machine.StartAt);
      if (target && target.enters > position) arrive(target, { passed: inner, trail: next });
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
      union(one[part], other[part]) === one[part] && union(other[part], one[part]) === other[part],
  );
}

function nodesOf(last: Trail): readonly Node[] {
  const nodes: Node[] = [];
  for (let trail: Trail | undefined = last; trail; trail = trail.before) nodes.push(trail.node);
  return nodes.toReversed();
}
