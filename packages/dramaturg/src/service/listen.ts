import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RequestError } from '@dramaturg/service/client';

/** Where a server listens for HTTP. */
export interface HttpAddress {
  readonly hostname: string;
  readonly port: number;
}

/**
 * Reads an address such as `127.0.0.1:8080`, `[::1]:8080` or `8080`, which is a port of this machine alone.
 *
 * @throws RequestError when it is not an address
 */
export function addressOf(given: string): HttpAddress {
  const {
    hostname = '127.0.0.1',
    six,
    port,
  } = /^(?:(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<hostname>[^:[\]/\s]+)):)?(?<port>\d{1,5})$/.exec(given)
    ?.groups ?? {};
  if (port !== undefined && Number(port) < 65_536)
    return { hostname: six ?? hostname, port: Number(port) };
  throw new RequestError('service/bad-address', `"${given}" is not an address to listen on.`, {
    hint: 'Write a host and a port, such as 127.0.0.1:8080.',
  });
}

/**
 * Listens for HTTP.
 *
 * @returns the URL of the server
 * @throws RequestError `service/address-in-use`, `service/bad-address`
 */
export async function listenOn(server: Server, { hostname, port }: HttpAddress): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(explained(error, hostname, port)),
    );
    server.listen({ host: hostname, port }, resolve);
  });
  server.removeAllListeners('error');
  const { port: actual } = server.address() as AddressInfo;
  return `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${actual}`;
}

function explained(error: NodeJS.ErrnoException, hostname: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new RequestError(
      'service/address-in-use',
      `Port ${port} of ${hostname} is in use by another program.`,
      { hint: 'Choose another port, or 0 for any free one.' },
    );
  if (['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''))
    return new RequestError(
      'service/bad-address',
      `This process cannot listen on ${hostname}:${port} (${error.code}).`,
      { hint: 'Name an address of this machine, such as 127.0.0.1:8080, and a port from 1024.' },
    );
  return error;
}
