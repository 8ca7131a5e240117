import type { TraceOptions } from './trace-options.ts';
import type { TracedHost } from './traced-host.ts';

type Events = ReturnType<TracedHost['events']>;

/** The events to trace, after those that the last process traced. */
export interface EventSource {
  /** The cursor after which they begin. Undefined when they begin now and no later process can continue. */
  readonly after: string | undefined;
  /** Whether the events of all instances have a common order. */
  readonly isOrdered: boolean;
  readonly events: (signal: AbortSignal) => Events;
}

/**
 * @param saved the cursor of the last process
 * @throws Error when the options want a position that cannot be kept
 */
export async function openEvents(
  host: TracedHost,
  { position, fromBeginning = false }: Pick<TraceOptions, 'position' | 'fromBeginning'>,
  saved: string | undefined,
): Promise<EventSource> {
  const now = await cursorNow(host);
  const isOrdered = now !== undefined;
  if (position?.begin && position.events) {
    const { begin, events } = position;
    const after = saved ?? (await begin.call(position, fromBeginning));
    return { after, isOrdered, events: (signal) => events.call(position, after, signal) as Events };
  }
  if (!isOrdered && (position || fromBeginning))
    throw new Error(
      'The events of this host have no common order, so only the host can keep a position of them: position: host.readerPosition("traces").',
    );
  const after = saved ?? (fromBeginning ? 'beginning' : now);
  const filter = after === undefined ? {} : { after };
  return { after, isOrdered, events: (signal) => host.events({ ...filter, signal }) };
}

/** @returns undefined for a host without a common order of its events */
async function cursorNow(host: TracedHost): Promise<string | undefined> {
  try {
    return await host.cursor();
  } catch (error) {
    if (Object(error).code !== 'host/bad-request') throw error;
    return undefined;
  }
}
