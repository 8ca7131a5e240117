import { type AnyActorLogic, type AnyStateMachine, fromPromise } from 'xstate';
import { z } from 'zod';
import { EachLogic } from '../link/each.ts';
import { type Port, type PortName, type Ports, portSchemas } from './contract.ts';
import { PortError } from './errors.ts';

export interface ProvideOptions {
  /** Called with each part of a reply while it is being made, and the key of the call it belongs to. */
  readonly onText?: (part: string, key: string) => void;
}

/**
 * The machine with its ports answered by the given functions. Inputs and outputs are checked against the port's schema.
 *
 * @param ports a function a port; the ones left out fail with `port/not-provided` when the chart asks them
 */
export function providePorts<Machine extends AnyStateMachine>(
  machine: Machine,
  ports: Partial<Ports>,
  options: ProvideOptions = {},
): Machine {
  const actors = Object.fromEntries(
    Object.keys(ports)
      .filter((name): name is PortName => ports[name as PortName] !== undefined)
      .map((name) => [name, portActor(name, ports[name] as Port<PortName>, options)]),
  );
  return provided(machine, actors) as Machine;
}

/** The machine, and the machines that it runs for items, with these actors. */
function provided(
  machine: AnyStateMachine,
  actors: Record<string, AnyActorLogic>,
): AnyStateMachine {
  const nested = Object.entries(machine.implementations.actors as Record<string, AnyActorLogic>)
    .filter((entry): entry is [string, EachLogic] => entry[1] instanceof EachLogic)
    .map(([src, each]) => [src, new EachLogic(provided(each.machine, actors))]);
  return machine.provide({ actors: { ...actors, ...Object.fromEntries(nested) } as never });
}

/** Actor logic that calls a port once and is done with its answer. */
function portActor(name: PortName, port: Port<PortName>, { onText }: ProvideOptions) {
  const schemas = portSchemas[name];
  return fromPromise<unknown, unknown>(async ({ input, signal }) => {
    const given = schemas.input.safeParse(input);
    if (!given.success) {
      throw new PortError(
        'port/bad-input',
        name,
        `The port "${name}" was called with a wrong input: ${z.prettifyError(given.error)}`,
      );
    }
    // What the machine emits on its way here is heard first, and a call that is already unwanted is not made.
    await Promise.resolve();
    signal.throwIfAborted();
    let answer: unknown;
    try {
      answer = await port(given.data, {
        signal,
        onText: (part) => {
          if (!signal.aborted) onText?.(part, given.data.key);
        },
      });
    } catch (cause) {
      if (cause instanceof PortError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new PortError('port/failed', name, `The port "${name}" failed: ${reason}`, { cause });
    }
    const taken = schemas.output.safeParse(answer);
    if (!taken.success) {
      throw new PortError(
        'port/bad-output',
        name,
        `The port "${name}" gave a wrong answer: ${z.prettifyError(taken.error)}`,
      );
    }
    return taken.data;
  });
}

/** Stands in for every port until one is provided, and says so. */
export const unprovidedPorts = Object.fromEntries(
  (Object.keys(portSchemas) as PortName[]).map((name) => [
    name,
    fromPromise(async () => {
      throw new PortError(
        'port/not-provided',
        name,
        `The chart asks the port "${name}", and none is provided. Pass one: providePorts(machine, { ${name}: ... }).`,
      );
    }),
  ]),
);
