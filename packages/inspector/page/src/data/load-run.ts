import { messagesOf } from './connection.ts';
import { type Doing, doingsIn } from './comparison.ts';
import { Playback } from './playback.ts';

export interface LoadOptions {
  /** The last step to load; the latest when undefined. */
  readonly until?: number | undefined;
  /** Called after each part of a long run. `first` is the first step that is loaded, `last` the last one. */
  readonly onProgress?: (first: number, last: number) => void;
}

/** Loads what was done in a whole run, as it is now. */
export async function loadDoings(
  id: string,
  signal: AbortSignal,
  options: LoadOptions = {},
): Promise<readonly Doing[]> {
  return (await loadParts(id, signal, doingsIn, options)).flat();
}

/**
 * Loads a whole run as it is now. The server sends the last part of a long run, so the parts before it follow.
 *
 * @param read what is kept of each part
 */
export async function loadParts<Part>(
  id: string,
  signal: AbortSignal,
  read: (part: Playback) => Part,
  { until, onProgress }: LoadOptions = {},
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  let last: number | undefined;
  for (let end = until; end === undefined || end > 0;) {
    const part = await loadPart(id, end, signal);
    parts.push(read(part));
    const { moments, isStored } = part;
    const first = moments[0]?.number;
    if (!isStored || first === undefined || first === 1) break;
    last ??= moments.at(-1)!.number;
    onProgress?.(first, last);
    end = first - 1;
  }
  return parts.toReversed();
}

async function loadPart(
  id: string,
  until: number | undefined,
  signal: AbortSignal,
): Promise<Playback> {
  const part = until === undefined ? '' : `?until=${until}`;
  const path = `/api/runs/${encodeURIComponent(id)}/recording${part}`;
  // The server follows a run until the request ends.
  const reading = new AbortController();
  const response = await fetch(path, { signal: AbortSignal.any([signal, reading.signal]) });
  if (!response.ok) throw new Error(`The run "${id}" could not be loaded.`);
  let playback = new Playback();
  for await (const message of messagesOf(response)) {
    if (message.kind === 'recording') playback = new Playback(message);
    else if (message.kind === 'actors') playback.know(message.actors);
    else if (message.kind === 'events') playback.append(message.events);
    // The status follows the recording, except while its steps are repeated.
    else if (message.because === undefined) break;
  }
  reading.abort();
  return playback;
}
