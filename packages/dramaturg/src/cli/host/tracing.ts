import type { Ports } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import type { HostTracing, OtlpOptions } from '@dramaturg/opentelemetry/otlp';
import type { Host } from '../../host.ts';
import { loadOtlp } from '../optional-packages.ts';
import { UsageError } from '../usage-error.ts';
import { traceFileOf } from './gateway/store-data.ts';
import type { Command } from '../command.ts';

/** The options of a command that traces its host. */
export interface TracingOptions {
  readonly otlp?: string;
}

export function withTracing(command: Command): Command {
  return command.option(
    '--otlp <url>',
    'send traces and metrics to this collector, such as http://127.0.0.1:4318',
  );
}

/** The traces of a host that is not created yet. */
export interface PreparedTracing {
  /** Wraps the ports of the host, so that their calls know their trace. */
  readonly ports: <Given extends Partial<Ports>>(ports: Given) => Given;
  /** Begins to trace the host. */
  readonly start: (host: Host) => Promise<Pick<HostTracing, 'stop'>>;
}

/** The variables that name a collector. */
const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/**
 * Prepares the traces that `--otlp` or the variables of OpenTelemetry ask for.
 *
 * @param store the store, from which the next process continues; undefined for a host on Restate
 * @param warn gets a sentence when the collector is unavailable
 * @param tenant the name of the tenant whose host it is, if any
 * @returns undefined when no traces are requested
 * @throws UsageError for a wrong URL, and when packages are missing
 */
export async function preparedTracing(
  { otlp }: TracingOptions,
  store: string | undefined,
  warn: (sentence: string) => void,
  tenant?: string,
): Promise<PreparedTracing | undefined> {
  if (otlp === undefined && !isAskedFor(process.env)) return undefined;
  const endpoint = otlp === undefined ? undefined : checkedEndpoint(otlp);
  const { positionFile, tracedPorts, traceOtlp } = await loadOtlp();
  const file = store === undefined ? undefined : traceFileOf(store);
  let tracing: HostTracing | undefined;
  const start = async (host: Host) => {
    let exportedBefore = -1;
    const options: OtlpOptions = {
      ...(endpoint === undefined ? {} : { endpoint }),
      tenant,
      position: file === undefined ? host.readerPosition('traces') : positionFile(file),
      // One warning for each outage: a further one only after spans were exported.
      onError: ({ message }) => {
        const exported = tracing?.counts.exported ?? 0;
        if (exported === exportedBefore) return;
        exportedBefore = exported;
        warn(`Traces: ${visible(message)}. The host goes on, and this is not repeated.`);
      },
    };
    tracing = undefined;
    return (tracing = await traceOtlp(host, options));
  };
  return { ports: (ports) => tracedPorts(ports, () => tracing), start };
}

function isAskedFor(environment: NodeJS.ProcessEnv): boolean {
  const { OTEL_SDK_DISABLED: isOff, OTEL_TRACES_EXPORTER: exporter } = environment;
  if (isOff?.trim().toLowerCase() === 'true' || exporter?.trim() === 'none') return false;
  return endpoints.some((name) => (environment[name] ?? '').trim() !== '');
}

function checkedEndpoint(given: string): string {
  const url = URL.parse(given);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(
      `--otlp must be the URL of a collector, not "${visible(given)}".`,
      'Name its base, without the path of a signal: --otlp http://127.0.0.1:4318',
    );
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      'The URL of --otlp has a password, which other users of this computer can read.',
      'Leave it out, and put it into a header: OTEL_EXPORTER_OTLP_HEADERS="Authorization=Basic ..."',
    );
  if (url.search !== '' || url.hash !== '')
    throw new UsageError(
      `--otlp must be the base URL of a collector, not "${visible(given)}".`,
      'Leave out what follows "?" or "#". Headers are in OTEL_EXPORTER_OTLP_HEADERS.',
    );
  return url.href;
}
