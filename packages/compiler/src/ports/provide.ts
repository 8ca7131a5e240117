import { type AnyActorLogic, type AnyStateMachine, fromPromise } from 'xstate';
import { EachLogic } from '../link/each.ts';
import { emittingToParent } from '../link/machine.ts';
import { type Port, type PortName, type Ports, portSchemas } from './contract.ts';
import type { PortWishes } from './next-reply.ts';
import { PortError } from './errors.ts';
import { PortLogic, type ProvideOptions } from './port-logic.ts';

/**
 * Returns the machine with its ports answered by the given functions. Inputs and outputs are checked against the port's schema.
 *
 * @param ports a function a port; the ones left out fail with `port/not-provided` when the chart asks them
 *
 * @example
 * ```ts
 * const { machine } = pricing;
 * const ports = { runAgent: async () => ({ result: { euros: 40 } }) };
 * const actor = createActor(providePorts(machine!, ports)).start();
 * console.log((await toPromise(actor)).output); // → { euros: 40 }
 * ```
 */
export function providePorts<Machine extends AnyStateMachine>(
  machine: Machine,
  ports: Partial<Ports> & PortWishes,
  options: ProvideOptions = {},
): Machine {
  const actors = Object.fromEntries(
    Object.keys(portSchemas)
      .filter((name): name is PortName => ports[name as PortName] !== undefined)
      .map((name) => [name, new PortLogic(name, ports[name] as Port<PortName>, options)]),
  );
  const provided = provideActors(machine, actors);
  return (options.emitToParent ? emittingToParent(provided) : provided) as Machine;
}

/**
 * Returns the machine, and the machines that it runs for items, with a host's own actor logic for the ports.
 *
 * @param actors logic by the name of the port
 */
function provideActors(
  machine: AnyStateMachine,
  actors: Readonly<Record<string, AnyActorLogic>>,
): AnyStateMachine {
  const nested = Object.entries(machine.implementations.actors as Record<string, AnyActorLogic>)
    .filter((entry): entry is [string, EachLogic] => entry[1] instanceof EachLogic)
    .map(([src, each]) => [src, new EachLogic(provideActors(each.machine, actors), each.pause)]);
  return machine.provide({ actors: { ...actors, ...Object.fromEntries(nested) } as never });
}

/** Whether a machine runs other machines for items of a list. With many items, it pauses. */
export function runsItems({ implementations }: AnyStateMachine): boolean {
  return Object.values(implementations.actors).some((logic) => logic instanceof EachLogic);
}

/** The machines that a machine runs for items of lists, and those that they run in turn. */
export function machinesOfItems({ implementations }: AnyStateMachine): AnyStateMachine[] {
  return Object.values(implementations.actors).flatMap((logic) =>
    logic instanceof EachLogic ? [logic.machine, ...machinesOfItems(logic.machine)] : [],
  );
}

/** The default of every port: it fails and says that no port is provided. */
export const unprovidedPorts = Object.fromEntries(
  (Object.keys(portSchemas) as PortName[]).map((name) => [
    name,
    // Without a host there are no checkpoints, and the run continues.
    name === 'saveCheckpoint'
      ? fromPromise(async () => ({ kept: false }))
      : fromPromise(unprovided(name)),
  ]),
);

/** A port that fails with `port/not-provided`. */
export function unprovided(name: PortName): () => Promise<never> {
  return async () => {
    throw new PortError(
      'port/not-provided',
      name,
      `The chart asks the port "${name}", and none is provided. Pass one: providePorts(machine, { ${name}: ... }).`,
    );
  };
}
