import type { NotedWrite } from './note-writes.ts';
import type { Runner } from './runner.ts';

/** What events of an instance have besides their journal lines. */
export interface Origin {
  readonly contact?: string | undefined;
  /** The ancestors; undefined when it has none. */
  readonly within?: readonly string[] | undefined;
}

/**
 * What events of a write have besides its lines.
 *
 * @param runner of the record, when it is active
 * @returns undefined when it is not known
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
