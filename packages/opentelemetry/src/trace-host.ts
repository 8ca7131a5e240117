import { HostTracer } from './host-tracer.ts';
import { loadPosition } from './saved-position.ts';
import type { HostTracing, TraceOptions } from './trace-options.ts';
import type { TracedHost } from './traced-host.ts';

/**
 * Makes spans and metrics of the events that a host has stored, beside the host: no step of an instance waits for it.
 * See docs/traces.md
 *
 * @throws Error when the position cannot be read, or belongs to a host on Restate, which has no common order of its events
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
  const after = saved?.after ?? (await firstCursor(host, options));
  return new HostTracer(host, options, onError, after);
}

/** @returns undefined for a host without a common order of its events: it is followed live */
async function firstCursor(host: TracedHost, options: TraceOptions): Promise<string | undefined> {
  let cursor: string | undefined;
  try {
    cursor = await host.cursor();
  } catch (error) {
    if (Object(error).code !== 'host/bad-request') throw error;
    if (options.position || options.fromBeginning)
      throw new Error(
        'The events of this host have no common order, so a position of them cannot be kept. Leave out "position" and "fromBeginning", and trace in one process.',
        { cause: error },
      );
    return undefined;
  }
  return options.fromBeginning ? 'beginning' : cursor;
}
