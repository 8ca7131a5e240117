import type { ChannelConversation } from '@dramaturg/host';
import { isHttpChannel } from '@dramaturg/host/channel';
import { RequestError } from '@dramaturg/service/client';
import type { Host } from './host.ts';
import { channelHandlers, type Channels } from './service/channel-handlers.ts';
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
  /**
   * The channels of the host: the object that `createHost` got. Those with `handle` answer requests below `/channels/<name>/`.
   * Names alone are only for the status. See docs/channels.md
   */
  readonly channels?: Channels | readonly string[];
  /** The conversation that the first message of a new contact through one of the channels starts. */
  readonly orStart?: ChannelConversation;
}

/**
 * Serves a host: over HTTP, and to the commands on this machine. `dramaturg serve` is the same in a process of its own. See
 * docs/service.md
 *
 * When a host stops, the service ends.
 *
 * @param host a host, or the hosts of tenants by their names: each token then reaches the host of its tenant only
 * @throws RequestError `service/bad-address`, `service/address-in-use`, `access/tokens-needed`; others when the file of the
 *   tokens cannot be read
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
  host: Host | ReadonlyMap<string, Host>,
  { channels = [], orStart, ...options }: ServeHostOptions,
): Promise<Service> {
  const tenants = host instanceof Map ? (host as ReadonlyMap<string, Host>) : undefined;
  const byName = isNames(channels) ? {} : channels;
  const names = isNames(channels) ? channels : Object.keys(channels);
  if (tenants) requireNoHandlers(byName);
  const operationsOf = (each: Host) =>
    new HostOperations(each, {
      channels: names,
      channelHandlers: channelHandlers(each, byName, orStart),
    });
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

function isNames(channels: Channels | readonly string[]): channels is readonly string[] {
  return Array.isArray(channels);
}

/** @throws RequestError: requests of providers have no token that says whose they are */
function requireNoHandlers(channels: Channels): void {
  const found = Object.keys(channels).find((name) => isHttpChannel(channels[name]!));
  if (found === undefined) return;
  throw new RequestError(
    'service/tenants',
    `The channel "${found}" answers requests, and a service of several tenants cannot know whose they are.`,
    { hint: 'Serve the host of the tenant by itself, with "serveHost(host, { channels })".' },
  );
}
