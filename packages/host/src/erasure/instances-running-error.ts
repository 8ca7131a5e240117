import { counted } from '@dramaturg/compiler/text';
import { HostError } from '../errors.ts';

/**
 * Nothing was erased, because instances of the contact have not ended.
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: { ...understudyPorts(), ...memoryPorts() },
 * });
 * const { id } = await host.start('intake', { contact: 'ada' });
 * try {
 *   await host.erase({ contact: 'ada' });
 * } catch (error) {
 *   if (error instanceof InstancesRunningError)
 *     console.log(error.instances.length === 1 && error.instances[0] === id); // → true
 * }
 * await host.stop();
 * ```
 */
export class InstancesRunningError extends HostError {
  /** Ids of the instances. */
  readonly instances: readonly string[];

  constructor(instances: readonly string[]) {
    const shown = instances.slice(0, 5).map((id) => JSON.stringify(id));
    const more = instances.length > shown.length ? ', ...' : '';
    super(
      'host/instances-running',
      `${counted(instances.length, 'instance')} of the contact ${instances.length === 1 ? 'has' : 'have'} not ended: ${shown.join(', ')}${more}. Nothing was erased.`,
    );
    this.instances = instances;
  }
}
