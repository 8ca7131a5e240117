import type { Chart } from '@dramaturg/compiler';
import type { Behaviour, World } from '@dramaturg/compiler/machine';
import { durable, type DurableMachine } from '../xstate/machine-actor.ts';

interface Linked {
  readonly behaviour: Behaviour;
  readonly nextReplies: boolean;
  readonly machine: DurableMachine;
}

/** Linked machines do not depend on a host, so hosts with the same world share them, and their caches of steps. */
const known = new WeakMap<World, WeakMap<Chart, Linked[]>>();

/**
 * The machine of a chart, linked once for each world.
 *
 * @throws LinkError, ChartError when the chart names code that its format does not have
 */
export function linkedMachineOf(
  chart: Chart,
  behaviour: Behaviour,
  {
    world,
    nextReplies = false,
  }: { readonly world: World; readonly nextReplies?: boolean | undefined },
): DurableMachine {
  const charts = known.get(world) ?? new WeakMap<Chart, Linked[]>();
  known.set(world, charts);
  const linked = charts.get(chart) ?? [];
  charts.set(chart, linked);
  const same = linked.find(
    (each) => each.behaviour === behaviour && each.nextReplies === nextReplies,
  );
  if (same) return same.machine;
  const machine = durable(chart, behaviour, { world, nextReplies });
  linked.push({ behaviour, nextReplies, machine });
  return machine;
}
