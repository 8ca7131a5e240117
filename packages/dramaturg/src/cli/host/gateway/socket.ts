/**
 * The socket of a store: the file `host.sock` that belongs to it, or a named pipe on Windows. The process that owns the store
 * owns the socket. States: no file; a file that nobody listens on, left by a killed host; a file that a host listens on.
 */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { statusOf } from '../../files.ts';
import { fileBeside } from './store-folder.ts';

function socketOf(store: string): string {
  return fileBeside(store, 'host.sock');
}

/** In bytes. The limits of the systems are 104 on macOS and 108 on Linux, including the final zero byte. */
const longestPath = 100;

/**
 * Calls `work` with the address of a store's socket. If the path is too long, the process changes into its folder during `work`,
 * which must use the address before it returns.
 */
function withAddress<Value>(store: string, work: (address: string) => Value): Value {
  const socket = socketOf(store);
  const [real, socketName] = [realpathSync(dirname(socket)), basename(socket)];
  const path = join(real, socketName);
  if (process.platform === 'win32') {
    const hash = createHash('sha256').update(path.toLowerCase()).digest('hex').slice(0, 32);
    return work(`\\\\.\\pipe\\dramaturg-${hash}`);
  }
  if (Buffer.byteLength(path) <= longestPath) return work(path);
  const before = process.cwd();
  process.chdir(real);
  try {
    return work(socketName);
  } finally {
    process.chdir(before);
  }
}

/** Connects to the host of a store. Without a host the socket fails with `ENOENT` or `ECONNREFUSED`. */
export function connectTo(store: string): Socket {
  return withAddress(store, (path) => connect({ path }));
}

/** Whether a host listens. The leftover socket of a killed host refuses connections. */
export async function isServed(store: string): Promise<boolean> {
  if ((await statusOf(dirname(socketOf(store)))) === undefined) return false;
  return new Promise((resolve, reject) => {
    const socket = connectTo(store);
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
 * Listens on the socket of a store. Only the user who runs the host can connect. The caller must own the store: then an
 * existing socket is a leftover of a killed host and is replaced.
 */
export function listenIn(store: string, server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    mkdirSync(dirname(socketOf(store)), { recursive: true, mode: 0o700 });
    withAddress(store, (path) => {
      const isFile = process.platform !== 'win32';
      if (isFile) rmSync(path, { force: true });
      // `listen` creates the socket, which must not be open to other users even for a moment.
      const before = isFile ? process.umask(0o177) : 0;
      try {
        server.listen(path);
      } finally {
        if (isFile) process.umask(before);
      }
      if (isFile && server.listening) {
        chmodSync(path, 0o600);
        inodes.set(server, statSync(path).ino);
      }
    });
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The file of each server that listens. */
const inodes = new WeakMap<Server, number>();

/**
 * Stops listening and removes the socket. Open connections stay. When another process has taken the store, the file is its
 * socket: closing the server would remove it.
 */
export function stopListening(store: string, server: Server): void {
  withAddress(store, (path) => {
    const own = inodes.get(server);
    const found = own === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.ino;
    if (found === own) server.close();
    else server.unref();
  });
}
