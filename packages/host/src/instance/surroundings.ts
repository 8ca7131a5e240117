import type { Library, LoadedDefinition } from '../definitions/library.ts';
import type { Json } from '@dramaturg/compiler';
import type { LineRange, StoreRecord } from '../store/contract.ts';
import type { HostOptions } from '../host/options.ts';
import type { InboxLimits } from '../limits/index.ts';
import type { CallRouting } from './instance-calls.ts';
import { stateOf } from './snapshot-parts.ts';
import { flowDefinitionOf } from './state.ts';
import type { StepWorld } from './step-world.ts';

/** The services that a host gives to all its instances. */
export interface Surroundings extends CallRouting {
  /** Time and randomness of every step. All machines are linked with it. */
  readonly world: StepWorld;
  readonly hasChannel: (name: string) => boolean;
  /** Reads the stored transcript of an instance. */
  readonly readTranscript: (id: string, range: LineRange) => Promise<readonly Json[]>;
  readonly inboxLimits: InboxLimits;
}

/** The services that do not depend on where the records of a host are. */
export function servicesOf(
  {
    ports = {},
    channels = {},
    definitionOf,
  }: Pick<HostOptions, 'ports' | 'channels' | 'definitionOf'>,
  library: Library,
  inboxLimits: InboxLimits,
): Omit<Surroundings, 'world' | 'readTranscript'> {
  return {
    inboxLimits,
    isWaitedFor: (port) =>
      port === 'timer' || (port === 'requestDecision' && !ports.requestDecision),
    definitionOf: (agent) => {
      const name = definitionOf?.(agent);
      return name !== undefined && library.has(name) ? name : undefined;
    },
    hasChannel: (name) => Object.hasOwn(channels, name),
  };
}

/** The definitions that an instance runs. */
export interface LoadedDefinitions {
  readonly lifecycle: LoadedDefinition;
  /** Absent when the instance is a lifecycle only. */
  readonly flow?: LoadedDefinition;
}

/** The definitions that a new instance of a definition runs. */
export async function definitionsOfNew(
  definition: LoadedDefinition,
  library: Library,
): Promise<LoadedDefinitions> {
  if (!definition.lifecycle) return { lifecycle: definition };
  return { lifecycle: await library.load(definition.lifecycle), flow: definition };
}

/** The definitions that a stored instance runs. */
export async function definitionsOf(
  record: StoreRecord,
  library: Library,
): Promise<LoadedDefinitions> {
  const state = stateOf(record);
  const lifecycle = await library.load(state.lifecycle.definition);
  const flow = flowDefinitionOf(record, state);
  return flow ? { lifecycle, flow: await library.load(flow) } : { lifecycle };
}
