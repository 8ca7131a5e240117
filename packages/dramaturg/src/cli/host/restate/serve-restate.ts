import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { urlOf } from '@dramaturg/restate';
import type { Host } from '../../../host.ts';
import { restateHost } from '../../../restate.ts';
import { channelHandlers } from '../../../service/channel-handlers.ts';
import { localHost } from '../../../service/local-host.ts';
import type { RunningService } from '../../../service/running-service.ts';
import { readDefinitions } from '../../definition-file.ts';
import { interruptible } from '../../interruptible.ts';
import { readLimits } from '../../limits.ts';
import { outputTo } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { visibleJson } from '../../visible.ts';
import { conversationOf } from '../channel-options.ts';
import { channelsFor, showWith } from '../gateway/channels.ts';
import { hostPorts } from '../gateway/host-ports.ts';
import { providerChannels } from '../gateway/provider-channels.ts';
import { listenFor } from '../listen-for.ts';
import { printHostError } from '../print/host-error.ts';
import { readyText } from '../print/serving.ts';
import type { ServeCommandOptions } from '../serve-options.ts';
import { preparedTracing } from '../tracing.ts';
import {
  defaultListen,
  readListen,
  requireAdvertised,
  requireCallable,
  requireKeys,
} from './handlers-address.ts';
import { explainListening, requireOwnPort } from './handlers-port.ts';
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
  const print = (value: object, text: string) =>
    output.write(options.json ? `${visibleJson(JSON.stringify(value))}\n` : `${text}\n`);
  const show = options.json
    ? (message: object) => print({ type: 'message', ...message }, '')
    : showWith(output.write);
  const channels = channelsFor(options.webhook, show, providers);
  return interruptible(async (stop) => {
    const service = await listenFor(options);
    try {
      await serveUntil(stop, service);
    } finally {
      await service.end();
    }
    print({ type: 'stopped' }, 'Stopped.');
    return exitCodes.fine;
  });

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
      service.drain();
      await pause(options.drain ?? 0);
      service.close();
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
