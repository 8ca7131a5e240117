import type { Chart } from '@dramaturg/compiler';
import type { Behaviour, Sliced, World } from '@dramaturg/compiler/machine';
import { durably, type DurableMachine } from '../xstate/machine-actor.ts';

interface Linked {
  readonly behaviour: Behaviour;
  readonly nextReplies: boolean;
  readonly isFlow: boolean;
  readonly machine: DurableMachine;
}

/** Linked machines do not depend on a host, so hosts with the same world share them, and their caches of steps. */
const known = new WeakMap<World, WeakMap<Chart, Linked[]>>();

/**
 * The machine of a chart, linked once for each world.
 *
 * @throws LinkError, ChartError when the chart names code that its format does not have
 */
export function* linkedMachineOf(
  chart: Chart,
  behaviour: Behaviour,
  {
    world,
    nextReplies = false,
    isFlow = false,
  }: {
    readonly world: World;
    readonly nextReplies?: boolean | undefined;
    readonly isFlow?: boolean | undefined;
  },
): Sliced<DurableMachine> {
  const charts = known.get(world) ?? new WeakMap<Chart, Linked[]>();
  known.set(world, charts);
  const linked = charts.get(chart) ?? [];
  charts.set(chart, linked);
  const find = () =>
    linked.find(
      (each) =>
        each.behaviour === behaviour && each.nextReplies === nextReplies && each.isFlow === isFlow,
    );
  const same = find();
  if (same) return same.machine;
  const machine = yield* durably(chart, behaviour, { world, nextReplies, isFlow });
  // Other code may have linked the chart between two slices.
  const other = find();
  if (other) return other.machine;
  linked.push({ behaviour, nextReplies, isFlow, machine });
  return machine;
}
