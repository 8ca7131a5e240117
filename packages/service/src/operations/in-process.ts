import { type EventFilter, HostError, type HostEvent } from '@dramaturg/host';
import { type Operations, operations, type ReadOperations } from '../operations.ts';
import type { Caller, Operation, ServedHost, ServedReader } from './operation.ts';

/** The operations and events of a host that its process serves. */
export interface ServedOperations extends Operations, Pick<ServedHost['host'], 'reportDelivery'> {
  readonly events: (filter: EventFilter) => AsyncIterable<HostEvent>;
  /** The cursor after the last stored event; undefined if the events have no order. */
  readonly cursor: (filter: Pick<EventFilter, 'instance'>) => Promise<string | undefined>;
}

/** The operations of a host in this process. */
export function servedOperations(served: ServedHost): ServedOperations {
  const { host } = served;
  return {
    ...(operationsOn(served) as Operations),
    events: (filter) => host.events(filter) as AsyncIterable<HostEvent>,
    reportDelivery: (report) => host.reportDelivery(report),
    cursor: async (filter) => {
      try {
        return await host.cursor(filter);
      } catch (error) {
        // Restate has no order of the events of all instances.
        if (error instanceof HostError && error.code === 'host/bad-request') return undefined;
        throw error;
      }
    },
  };
}

/** The operations that read a store. */
export function readOperations(served: ServedReader): ReadOperations {
  return operationsOn(served) as ReadOperations;
}

const inProcess: Caller = { scopes: ['admin'] };

function operationsOn(host: ServedReader): object {
  const bound = Object.entries<Operation>(operations).map(([name, { path, run }]) => {
    const call = run as (host: ServedReader, ...given: unknown[]) => unknown;
    return [
      name,
      path.includes(':id')
        ? (id: string, input: object = {}, caller?: Caller) =>
            call(host, id, input, { ...inProcess, ...caller })
        : (input: object = {}, caller?: Caller) => call(host, input, { ...inProcess, ...caller }),
    ];
  });
  return Object.fromEntries(bound);
}
