import { once } from 'node:events';
import { visible } from '@dramaturg/compiler';
import { urlOf } from '@dramaturg/restate';
import type { Host } from '../../../host.ts';
import { restateHost } from '../../../restate.ts';
import { readDefinitions } from '../../definition-file.ts';
import type { DefinitionOptions } from '../../definition-options.ts';
import { interruptible } from '../../interruptible.ts';
import { readLimits } from '../../limits.ts';
import { outputTo } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { visibleJson } from '../../visible.ts';
import { channelsFor, showWith } from '../gateway/channels.ts';
import { hostPorts } from '../gateway/host-ports.ts';
import type { HostOptions } from '../host-options.ts';
import { printHostError } from '../print/host-error.ts';
import { preparedTracing, type TracingOptions } from '../tracing.ts';
import type { HandlerOptions } from './handler-options.ts';
import {
  defaultListen,
  readListen,
  requireAdvertised,
  requireCallable,
  requireKeys,
} from './handlers-address.ts';
import { explainListening, requireOwnPort } from './handlers-port.ts';
import type { RestateLocation } from './location.ts';

export interface ServeRestateOptions
  extends HostOptions, DefinitionOptions, HandlerOptions, TracingOptions {
  readonly definition?: readonly string[];
  readonly store?: string;
  readonly fsync?: string;
  readonly channel?: readonly string[];
}

/** Serves the handlers of instances to Restate until Ctrl+C. Other processes may serve them as well. */
export async function serveRestate(
  location: RestateLocation,
  options: ServeRestateOptions,
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
  const output = outputTo(process.stdout);
  const line = (value: object) => output.write(`${visibleJson(JSON.stringify(value))}\n`);
  const show = options.json
    ? (message: object) => line({ type: 'message', ...message })
    : showWith(output.write);
  return interruptible(async (stop) => {
    const { ports, close } = await hostPorts(options, () => host);
    const host: Host = await restateHost({
      ...location,
      definitions,
      ports: tracing?.ports(ports) ?? ports,
      channels: channelsFor(options.webhook, show),
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
    const names = Object.keys(definitions);
    if (options.json) line({ type: 'ready', pid: process.pid, definitions: names });
    else output.write(`${output.paint('green', '✓')} ${ready(location, names)}\n`);
    if (!stop.aborted) await once(stop, 'abort');

    if (!options.json) output.write('Stopping ...\n');
    await traces?.stop({ within: 2_000 });
    await host.stop({ within: options.within });
    await close();
    if (options.json) line({ type: 'stopped' });
    else output.write('Stopped.\n');
    return exitCodes.fine;
  });
}

function ready({ ingress, namespace }: RestateLocation, definitions: readonly string[]): string {
  const names = definitions.map((name) => `"${visible(name)}"`).join(', ');
  const what = names === '' ? '' : ` with ${names}`;
  return `Serving the namespace "${namespace}" of Restate at ${ingress}${what}. Ctrl+C stops this process.`;
}

/** @throws UsageError for options of stores */
function requireForRestate({ store, fsync, pool, channel }: ServeRestateOptions): void {
  if (channel !== undefined)
    throw new UsageError(
      '--channel is for a host with a store: a process on Restate serves no HTTP for providers.',
      'Embed the host in a program with "serveHost(host, { channels })".',
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
