import type { Json, Ports } from '@dramaturg/compiler';

/**
 * The interface that a host needs from the owner of the port `remember`, to erase and export the memories about a person.
 * `memoryPorts` has both methods.
 */
export interface MemoryOwner {
  /**
   * Deletes the data that these instances have stored: `call.instance` of the port names the instance. Called before the
   * instances are deleted, and possibly again with the same ids after a crash.
   *
   * @returns how many memories were changed or deleted
   */
  readonly forget: (instances: readonly string[]) => number | Promise<number>;
  /** Returns the data that these instances have stored, for an export. Data of other instances in the same memories is left out. */
  readonly memoriesOf: (instances: readonly string[]) => readonly Json[] | Promise<readonly Json[]>;
}

/** The ports of a host that store and delete memories. */
export type MemoryPorts = Partial<Pick<Ports, 'remember'> & Pick<MemoryOwner, 'forget'>>;

/** A port that stores nothing, and answers so. */
export const rememberNothing: Ports['remember'] = () => ({ stored: false });

/** Whether instances can store memories, which have to be erased with them. */
export function storesMemories({ remember }: MemoryPorts): boolean {
  return remember !== undefined && remember !== rememberNothing;
}
