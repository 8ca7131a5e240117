import { DramaturgError } from '@dramaturg/compiler';

export type HostErrorCode =
  /** The run does not have the save point, or it has expired. */
  | 'host/unknown-checkpoint'
  /** The decision is not open. */
  | 'host/unknown-decision'
  /** No instance has the id. */
  | 'host/unknown-instance'
  /** The host does not have the definition, or cannot run the version that an instance is pinned to. */
  | 'host/unknown-definition'
  /** An instance has the id already. */
  | 'host/exists'
  /** Invalid input from a person or a program: an id, an input, a message. */
  | 'host/bad-request'
  /** An option of the host or of a start does not exist. */
  | 'host/unknown-option'
  /** The first message of a start is refused, so nothing was started. */
  | 'host/message-refused'
  /** The host is stopping or has stopped. */
  | 'host/stopped'
  /** A stored instance cannot be restored. */
  | 'host/damaged'
  /** The instance is set aside: two hosts have died during one of its steps. */
  | 'host/set-aside'
  /** A piece of work held the event loop too long. */
  | 'host/slow-step'
  /** Nothing was erased: instances of the contact have not ended. */
  | 'host/instances-running'
  /** A port stores memories, and the host does not know how to erase them. */
  | 'host/cannot-erase'
  /** The agent of a conversation has no draft of an answer, and the message says why. */
  | 'host/no-draft'
  /** The instance does not have the event of the cursor. */
  | 'host/unknown-cursor'
  /** A subscriber was too slow, and was dropped. */
  | 'host/slow-subscriber';

/**
 * A failed command of a host.
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * try {
 *   await host.start('order');
 * } catch (error) {
 *   if (error instanceof HostError) console.log(error.code); // → host/unknown-definition
 * }
 * await host.stop();
 * ```
 */
export class HostError extends DramaturgError<HostErrorCode> {
  override readonly name: string = 'HostError';
}

/** Whether an instance does not exist, or was erased. */
export function isUnknownInstance(error: unknown): boolean {
  return error instanceof HostError && error.code === 'host/unknown-instance';
}

/** The result of a read; undefined when the instance was erased in the meantime. */
export async function unlessErased<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isUnknownInstance(error) || Object(error).code === 'store/unknown') return undefined;
    throw error;
  }
}

export function unknownInstance(id: string): HostError {
  return new HostError('host/unknown-instance', `There is no instance ${JSON.stringify(id)}.`);
}

export function instanceSetAside(id: string): HostError {
  return new HostError(
    'host/set-aside',
    `The instance ${JSON.stringify(id)} is set aside: two processes in a row ended while they decided it. Correct its definition and migrate it, then resume it, or cancel it.`,
  );
}

export function hostStopped(): HostError {
  return new HostError('host/stopped', 'The host has stopped and accepts no more commands.');
}

export function badRequest(message: string, cause?: unknown): HostError {
  return new HostError('host/bad-request', message, cause === undefined ? {} : { cause });
}
