import type { Host } from './host.ts';
import { HostOperations } from './service/host-operations.ts';
import { type ServeOptions, type Service, serveOperations } from './service/serve-operations.ts';

export type { ServeOptions, Service } from './service/serve-operations.ts';

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
 * When the host stops, the service ends.
 *
 * @throws RequestError `service/bad-address`, `service/address-in-use`
 */
export async function serveHost(
  host: Host,
  { channels = [], ...options }: ServeHostOptions,
): Promise<Service> {
  const service = await serveOperations(new HostOperations(host, { channels }), options);
  void host.stopped.then(() => {
    service.close();
    service.destroy();
  });
  return service;
}
