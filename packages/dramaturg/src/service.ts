import type { Host } from './host.ts';
import { HostOperations } from './service/host-operations.ts';
import { RunningService, type ServeOptions, type Service } from './service/running-service.ts';

export type { ServeOptions, Service } from './service/running-service.ts';
export {
  type AccessLimits,
  type Authenticate,
  readTokens,
  type Scope,
  type TokenIdentity,
} from '@dramaturg/service';

export interface ServeHostOptions extends ServeOptions {
  /** The names of the host's channels, for its status. */
  readonly channels?: readonly string[];
}

/**
 * Serves a host: over HTTP, and to the commands on this machine. `dramaturg serve` is the same in a process of its own. See
 * docs/service.md
 *
 *     const host = await createHost({ store: sqliteStore('data/app.db'), definitions: { intake }, ports });
 *     const service = await serveHost(host, { http: '127.0.0.1:8080', store: 'data/app.db' });
 *
 * When a host stops, the service ends.
 *
 * @param host a host, or the hosts of tenants by their names: each token then reaches the host of its tenant only
 * @throws RequestError `service/bad-address`, `service/address-in-use`, `access/tokens-needed`; others when the file of the
 *   tokens cannot be read
 */
export async function serveHost(
  host: Host | ReadonlyMap<string, Host>,
  { channels = [], ...options }: ServeHostOptions,
): Promise<Service> {
  const operationsOf = (each: Host) => new HostOperations(each, { channels });
  const tenants = host instanceof Map ? (host as ReadonlyMap<string, Host>) : undefined;
  const hosts = tenants ? [...tenants.values()] : [host as Host];
  const served = tenants
    ? new Map(Array.from(tenants, ([name, each]) => [name, operationsOf(each)] as const))
    : operationsOf(host as Host);
  const service = await RunningService.listen(options);
  try {
    await service.serve(served);
  } catch (error) {
    await service.end();
    throw error;
  }
  const warn = (error: unknown) => process.emitWarning(String(error));
  for (const { stopped } of hosts) stopped.then(() => service.end()).catch(options.onError ?? warn);
  return service;
}
