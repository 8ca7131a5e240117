import { once } from 'node:events';
import { connect } from 'node:net';
import { visible } from '@dramaturg/compiler/text';
import { namespacesServedAt, urlOf } from '@dramaturg/restate';
import { isLoopback } from '@dramaturg/service';
import type { Host } from '../../../host.ts';
import { restateHost } from '../../../restate.ts';
import { channelHandlers, localHost } from '../../../service/local-host.ts';
import type { RunningService } from '../../../service/running-service.ts';
import { readDefinitions } from '../../definition-file.ts';
import { readLimits } from '../../limits.ts';
import { outputTo } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { conversationOf, readyText, type ServeCommandOptions } from '../serve-options.ts';
import { hostPorts } from '../gateway/open-host.ts';
import { channelsFor, providerChannels } from '../gateway/provider-channels.ts';
import { printFor, serveWith, showFor } from '../listen-for.ts';
import { printHostError } from '../gateway/explain-error.ts';
import { preparedTracing } from '../tracing.ts';
import type { RestateLocation } from './location.ts';

/** Serves the handlers of instances to Restate until Ctrl+C. Other processes may serve them as well. */
export async function serveRestate(
  location: RestateLocation,
  options: ServeCommandOptions,
): Promise<ExitCode> {
  requireForRestate(options);
  const listen = readListen(options.listen ?? defaultListen);
  const identityKeys = options.identityKey ?? [];
  requireKeys(listen.host, identityKeys);
  requireCallable(listen.host, options.advertise);
  requireAdvertised(options.advertise);
  await requireOwnPort(location, listen, options.advertise ?? urlOf(listen.host, listen.port));
  const limits = await readLimits(options);
  const tracing = await preparedTracing(options, undefined, (sentence) =>
    process.stderr.write(`dramaturg: ${sentence}\n`),
  );
  const files = await readDefinitions(options.definition ?? [], options);
  const definitions = Object.fromEntries(
    Object.entries(files).map(([name, { compiled }]) => [name, compiled]),
  );
  const names = Object.keys(definitions);
  const orStart = conversationOf(options, names);
  const providers = await providerChannels(options.channel ?? [], options.publicUrl);
  const output = outputTo(process.stdout);
  const print = printFor(options);
  const channels = channelsFor(options.webhook, showFor(options), providers);
  return serveWith(options, print, serveUntil);

  async function serveUntil(stop: AbortSignal, service: RunningService): Promise<void> {
    const { ports, close } = await hostPorts(options, () => host!);
    let host: Host | undefined;
    try {
      host = await restateHost({
        ...location,
        definitions,
        ports: tracing?.ports(ports) ?? ports,
        channels,
        limits,
        ...(options.callTimeout === undefined ? {} : { callTimeout: options.callTimeout }),
        onError: printHostError,
        handlers: {
          ...listen,
          reusePort: true,
          ...(options.advertise === undefined ? {} : { advertised: options.advertise }),
          ...(identityKeys.length === 0 ? {} : { identityKeys }),
        },
      }).catch((error: unknown) => {
        throw explainListening(error, listen);
      });
      const traces = await tracing?.start(host);
      await service.serve(
        localHost(host, {
          channels: Object.keys(channels),
          channelHandlers: channelHandlers(host, providers, orStart),
        }),
      );
      const { url } = service;
      const text = readyText(nameOf(location), names, url, options.desk);
      print(
        { type: 'ready', pid: process.pid, definitions: names, ...(url !== undefined && { url }) },
        `${output.paint('green', '✓')} ${text} Ctrl+C stops this process.`,
      );
      if (!stop.aborted) await once(stop, 'abort');

      if (!options.json) output.write('Stopping ...\n');
      await service.leave(options.drain);
      await traces?.stop({ within: 2_000 });
    } finally {
      await host?.stop({ within: options.within });
      await close();
    }
  }
}

function nameOf({ ingress, namespace }: RestateLocation): string {
  return `the namespace "${namespace}" of Restate at ${ingress}`;
}

/** @throws UsageError for options of stores */
function requireForRestate({ store, fsync, pool, standby }: ServeCommandOptions): void {
  if (standby)
    throw new UsageError(
      '--standby waits for a store in Postgres, and processes on Restate need not wait: all of them work.',
      'Leave out --standby.',
    );
  const ofStores = { '--store': store, '--fsync': fsync };
  for (const [name, value] of Object.entries(ofStores)) {
    if (value === undefined) continue;
    throw new UsageError(
      `${name} is for the folder of a store, and Restate keeps its data itself.`,
      `Leave out ${name}, and configure the nodes of Restate.`,
    );
  }
  if (pool === undefined) return;
  throw new UsageError(
    '--pool counts in a file of the store, which processes on Restate do not share.',
    'Leave out --pool, or embed the host in a program that gives it the port "countSpending".',
  );
}

/** The address that handlers listen on when none is given. Processes on this machine share it. */
const defaultListen = '127.0.0.1:9080';

/** @throws UsageError when it is not written as `host:port` */
function readListen(given: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(given) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new UsageError(
    `"${visible(given)}" is not an address to listen on.`,
    `Write it as host:port, such as: --listen ${defaultListen}. The port 0 takes a free one.`,
  );
}

/**
 * Only the Restate that has the private key may call handlers that other machines can reach: anybody else could run steps of
 * instances, and read their data.
 *
 * @throws UsageError for an address of other interfaces without keys
 */
function requireKeys(host: string, identityKeys: readonly string[]): void {
  for (const key of identityKeys) {
    if (/^publickeyv1_[1-9A-HJ-NP-Za-km-z]{40,50}$/.test(key)) continue;
    throw new UsageError(
      `"${visible(key)}" is not a public key of Restate.`,
      'Copy the key that begins with "publickeyv1_" from what restate-server prints when it starts with RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE.',
    );
  }
  if (identityKeys.length > 0 || isLoopback(host)) return;
  throw new UsageError(
    `Other machines can reach "${visible(host)}", and without keys everybody there could call the handlers.`,
    'Let Restate sign its requests: set RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE where it runs, and give the public key that it prints: --identity-key publickeyv1_...',
  );
}

/** @throws UsageError when the handlers listen on all addresses and none is advertised */
function requireCallable(host: string, advertised: string | undefined): void {
  if (advertised !== undefined || !['0.0.0.0', '::'].includes(host)) return;
  throw new UsageError(
    `"${host}" stands for all addresses of this machine, and Restate has to call one.`,
    'Add the URL of this machine, or of the load balancer: --advertise http://handlers.internal:9080',
  );
}

/** @throws UsageError when it is not a URL */
function requireAdvertised(given: string | undefined): void {
  if (given === undefined || /^https?:$/.test(URL.parse(given)?.protocol ?? '')) return;
  throw new UsageError(
    `"${visible(given)}" is not a URL of handlers.`,
    'Write it with its protocol and port, such as: --advertise http://handlers.internal:9080',
  );
}

interface Address {
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
async function requireOwnPort(
  { admin, namespace }: RestateLocation,
  listen: Address,
  url: string,
): Promise<void> {
  if (listen.port === 0 || !(await isListenedTo(listen))) return;
  const other = (await namespacesServedAt(admin, url)).find((each) => each !== namespace);
  if (other === undefined) return;
  throw new UsageError(
    `Processes that serve the namespace "${visible(other)}" listen on ${handlerNameOf(listen)}.`,
    anotherPort,
    exitCodes.storeUnusable,
    'command/port-in-use',
  );
}

/** Explains why a process cannot listen. Other errors stay as they are. */
function explainListening(error: unknown, listen: Address): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall !== 'listen' && !(syscall === 'getaddrinfo' && code === 'ENOTFOUND')) return error;
  const isInUse = code === 'EADDRINUSE';
  return new UsageError(
    isInUse
      ? `Another program listens on ${handlerNameOf(listen)}.`
      : `This process cannot listen on ${handlerNameOf(listen)}: ${(error as Error).message}.`,
    isInUse ? anotherPort : 'Name an address of this machine: --listen 127.0.0.1:9080',
    exitCodes.storeUnusable,
    isInUse ? 'command/port-in-use' : 'command/system-refuses',
  );
}

const anotherPort = 'Name another port: --listen 127.0.0.1:9081. The port 0 takes a free one.';

function handlerNameOf({ host, port }: Address): string {
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
