import { openEvents } from './event-source.ts';
import { HostTracer } from './host-tracer.ts';
import { loadPosition } from './saved-position.ts';
import type { HostTracing, TraceOptions } from './trace-options.ts';
import type { TracedHost } from './traced-host.ts';

/**
 * Makes spans and metrics from the stored events of a host. No step of an instance waits for it. See docs/traces.md
 *
 * @throws Error when the position cannot be read, or is not the host's own on Restate, where events have no common order
 */
export async function traceHost(host: TracedHost, options: TraceOptions): Promise<HostTracing> {
  const onError = options.onError ?? ((error: Error) => process.emitWarning(error));
  const saved = options.position && (await loadPosition(options.position));
  if (saved && saved.exporting > 0 && options.guarantee !== 'at-least-once')
    onError(
      new Error(
        `The last process has ended while it handed ${saved.exporting} spans to the collector. They may be missing.`,
      ),
    );
  const source = await openEvents(host, options, saved?.after);
  return new HostTracer(host, options, onError, source);
}
