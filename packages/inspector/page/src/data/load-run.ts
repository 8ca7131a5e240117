import { messagesOf } from './connection.ts';
import { Playback } from './playback.ts';

/** Loads the last part of a run as it is now, without following it. */
export async function loadRun(id: string, signal: AbortSignal): Promise<Playback> {
  const response = await fetch(`/api/runs/${encodeURIComponent(id)}/recording`, { signal });
  if (!response.ok) throw new Error(`The run "${id}" could not be loaded.`);
  let playback = new Playback();
  for await (const message of messagesOf(response)) {
    if (message.kind === 'recording') playback = new Playback(message);
    else if (message.kind === 'actors') playback.know(message.actors);
    else if (message.kind === 'events') playback.append(message.events);
    // The status follows the recording, except while its steps are repeated.
    else if (message.because === undefined) return playback;
  }
  return playback;
}
