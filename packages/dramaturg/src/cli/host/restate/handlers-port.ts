import { connect } from 'node:net';
import { visible } from '@dramaturg/compiler/text';
import { namespacesServedAt } from '@dramaturg/restate';
import { exitCodes, UsageError } from '../../usage-error.ts';
import type { RestateLocation } from './location.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Restate knows handlers by their URL, so that processes of two namespaces cannot share a port: the later registration would
 * replace the earlier one.
 *
 * @param url where Restate reaches the handlers
 * @throws UsageError when running processes serve another namespace there
 */
export async function requireOwnPort(
  { admin, namespace }: RestateLocation,
  listen: Address,
  url: string,
): Promise<void> {
  if (listen.port === 0 || !(await isListenedTo(listen))) return;
  const other = (await namespacesServedAt(admin, url)).find((each) => each !== namespace);
  if (other === undefined) return;
  throw new UsageError(
    `Processes that serve the namespace "${visible(other)}" listen on ${nameOf(listen)}.`,
    anotherPort,
    exitCodes.storeUnusable,
    'command/port-in-use',
  );
}

/** Explains why a process cannot listen. Other errors stay as they are. */
export function explainListening(error: unknown, listen: Address): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall !== 'listen' && !(syscall === 'getaddrinfo' && code === 'ENOTFOUND')) return error;
  const isInUse = code === 'EADDRINUSE';
  return new UsageError(
    isInUse
      ? `Another program listens on ${nameOf(listen)}.`
      : `This process cannot listen on ${nameOf(listen)}: ${(error as Error).message}.`,
    isInUse ? anotherPort : 'Name an address of this machine: --listen 127.0.0.1:9080',
    exitCodes.storeUnusable,
    isInUse ? 'command/port-in-use' : 'command/system-refuses',
  );
}

const anotherPort = 'Name another port: --listen 127.0.0.1:9081. The port 0 takes a free one.';

function nameOf({ host, port }: Address): string {
  return `${visible(host)}:${port}`;
}

function isListenedTo(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (isListening: boolean) => {
      socket.destroy();
      resolve(isListening);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
