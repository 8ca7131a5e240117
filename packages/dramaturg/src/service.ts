import type { ChannelConversation } from '@dramaturg/host';
import { RequestError } from '@dramaturg/service/client';
import type { Host } from './host.ts';
import { channelHandlers, type Channels, type LocalHost, localHost } from './service/local-host.ts';
import { RunningService, type ServeOptions, type Service } from './service/running-service.ts';

export type { ServeOptions, Service } from './service/running-service.ts';
export {
  type AccessLimits,
  type Authenticate,
  readTokens,
  type Scope,
  type TokenIdentity,
} from '@dramaturg/service';

/** Settings for serving one host. */
export interface ServedChannels {
  /**
   * The channels of the host: the object that `createHost` got. Those with `handle` answer requests below `/channels/<name>/`.
   * Names alone are only for the status. See docs/channels.md
   */
  readonly channels?: Channels | readonly string[] | undefined;
  /** The conversation that the first message of a new contact through one of the channels starts. */
  readonly orStart?: ChannelConversation | undefined;
  /** The store of the host, as commands name it. Commands on this machine then reach the host through a socket of the store. */
  readonly store?: string | undefined;
  /** The address of an inspector that shows the same store: the desk leads operators from a conversation to it. */
  readonly inspector?: string | undefined;
}

export interface ServeHostOptions extends ServeOptions, ServedChannels {}

/** The host of a tenant. Its channels answer requests below `/tenants/<tenant>/channels/<name>/`. */
export interface TenantHost extends ServedChannels {
  readonly host: Host;
}

/**
 * Serves a host: over HTTP, and to the commands on this machine. `dramaturg serve` is the same in a process of its own. See
 * docs/service.md
 *
 * When a host stops, the service ends.
 *
 * @param host a host, or the hosts of tenants by their names: each token then reaches the host of its tenant only
 * @throws RequestError `service/bad-address`, `service/address-in-use`, `access/tokens-needed`, `service/tenants`; others when
 *   the file of the tokens cannot be read
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * const service = await serveHost(host, { http: '127.0.0.1:0' });
 * console.log((await fetch(`${service.url}/readyz`)).status); // → 200
 * service.close();
 * await host.stop();
 * await service.end();
 * ```
 */
export async function serveHost(
  host: Host | ReadonlyMap<string, Host | TenantHost>,
  { channels, orStart, store, inspector, ...options }: ServeHostOptions,
): Promise<Service> {
  const tenants =
    host instanceof Map ? (host as ReadonlyMap<string, Host | TenantHost>) : undefined;
  if (tenants && (channels || orStart || store)) throw partsOfTenants();
  const served = tenants
    ? new Map(Array.from(tenants, ([name, each]) => [name, operationsOf(each)] as const))
    : operationsOf({ host: host as Host, channels, orStart, store, inspector });
  const hosts = served instanceof Map ? [...served.values()] : [served];
  const service = await RunningService.listen(options);
  try {
    await service.serve(served);
  } catch (error) {
    await service.end();
    throw error;
  }
  const warn = (error: unknown) => process.emitWarning(String(error));
  for (const { host: each } of hosts)
    each.stopped.then(() => service.end()).catch(options.onError ?? warn);
  return service;
}

function operationsOf(given: Host | TenantHost): LocalHost {
  const { host, channels = [], orStart, ...same } = 'host' in given ? given : { host: given };
  return localHost(host, {
    channels: isNames(channels) ? channels : Object.keys(channels),
    channelHandlers: isNames(channels) ? undefined : channelHandlers(host, channels, orStart),
    ...same,
  });
}

function isNames(channels: Channels | readonly string[]): channels is readonly string[] {
  return Array.isArray(channels);
}

function partsOfTenants(): RequestError {
  return new RequestError('service/tenants', 'Channels and stores belong to a tenant.', {
    hint: 'Give each tenant its own: new Map([["acme", { host, channels, orStart, store }]]).',
  });
}
