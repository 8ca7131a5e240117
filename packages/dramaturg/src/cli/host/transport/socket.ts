import { createHash } from 'node:crypto';
import { chmodSync, realpathSync, rmSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** The name of the socket in the folder of a store. */
const socketName = 'host.sock';

/** What a system takes as the path of a socket, in bytes: 104 on macOS and 108 on Linux, with the zero at the end. */
const longestPath = 100;

/**
 * Does something with the address of a store's socket. A path that is too long for a socket is taken from inside of the
 * folder; the work must have used it when it returns.
 */
function withAddress<Value>(folder: string, work: (address: string) => Value): Value {
  const real = realpathSync(folder);
  if (process.platform === 'win32') {
    const hash = createHash('sha256').update(real.toLowerCase()).digest('hex').slice(0, 32);
    return work(`\\\\.\\pipe\\dramaturg-${hash}`);
  }
  const path = join(real, socketName);
  if (Buffer.byteLength(path) <= longestPath) return work(path);
  const before = process.cwd();
  process.chdir(real);
  try {
    return work(socketName);
  } finally {
    process.chdir(before);
  }
}

/** Connects to the host of a store; the socket fails with `ENOENT` or `ECONNREFUSED` when there is none. */
export function connectTo(folder: string): Socket {
  return withAddress(folder, (path) => connect({ path }));
}

/** Whether a host listens. A socket that a killed host has left behind refuses. */
export function isServed(folder: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(folder);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(error.code ?? '')) resolve(false);
      else reject(error);
    });
  });
}

/**
 * Listens on the socket of a store, for the user who runs the host and nobody else. The caller owns the store, so that a
 * socket which is there already is one that a killed host has left.
 */
export function listenIn(folder: string, server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    withAddress(folder, (path) => {
      const isFile = process.platform !== 'win32';
      if (isFile) rmSync(path, { force: true });
      // The socket is made by this call, and must never have been open to others.
      const before = isFile ? process.umask(0o177) : 0;
      try {
        server.listen(path);
      } finally {
        if (isFile) process.umask(before);
      }
      if (isFile && server.listening) chmodSync(path, 0o600);
    });
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Stops listening and takes the socket away; connections that are open stay. */
export function stopListening(folder: string, server: Server): void {
  withAddress(folder, () => server.close());
}
