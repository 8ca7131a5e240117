import type { LoadedDefinition } from '../definitions/library.ts';
import type { Json } from '@dramaturg/compiler';
import type { LineRange } from '../store/contract.ts';
import type { InboxLimits } from '../limits/index.ts';
import type { CallRouting } from './instance-calls.ts';
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

/** The definitions that an instance runs. */
export interface LoadedDefinitions {
  readonly lifecycle: LoadedDefinition;
  /** Absent when the instance is a lifecycle only. */
  readonly flow?: LoadedDefinition;
}
