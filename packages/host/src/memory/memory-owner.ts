import type { Json } from '@dramaturg/compiler';

/**
 * What a host needs of the code behind the port `remember`, so that memories can be erased and exported with the person whom
 * they are about. `memoryPorts` has both methods.
 */
export interface MemoryOwner {
  /**
   * Deletes what these instances have stored: `call.instance` of the port names the instance. Called before the instances
   * are deleted, and possibly again with the same ids after a crash.
   *
   * @returns how many memories have changed or are gone
   */
  readonly forget: (instances: readonly string[]) => number | Promise<number>;
  /** What these instances have stored, without what others have stored in the same memories, for an export. */
  readonly memoriesOf: (instances: readonly string[]) => readonly Json[] | Promise<readonly Json[]>;
}
