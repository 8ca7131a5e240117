import type { NotedWrite } from './host-store.ts';
import type { Runner } from './runner.ts';

/** The facts about an instance that its events have besides their journal lines. */
export interface Origin {
  readonly contact?: string | undefined;
  /** The ancestors; undefined when it has none. */
  readonly within?: readonly string[] | undefined;
}

/**
 * Returns the origin of the events of a write.
 *
 * @param runner of the record, when it is active
 * @returns undefined when the origin is not known
 */
export function originOf(
  write: NotedWrite,
  runner: Pick<Runner, 'instance'> | undefined,
): Origin | undefined {
  if (runner) {
    const { contact, state } = runner.instance;
    return { contact, within: state.parent?.ancestors };
  }
  if (!('kind' in write) || write.kind !== 'instance' || write.parent !== undefined)
    return undefined;
  return { contact: write.contact };
}
