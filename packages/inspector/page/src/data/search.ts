import type { InspectorEvent } from '../../../src/events.ts';
import { actorTitle } from './actor-names.ts';
import type { Actors } from './playback.ts';

/** A match of the searched text in an event. */
export interface Hit {
  /** The index of the event. */
  readonly index: number;
  readonly sessionId: string;
  readonly who: string;
  readonly what: string;
  /** The text around the match. */
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

export const mostHits = 100;
const around = 40;

/** Finds a text in the types and data of sent and emitted events, in the names of their actors, and in errors. */
export function searchIn(
  events: readonly InspectorEvent[],
  actors: Actors,
  wanted: string,
): readonly Hit[] {
  const text = wanted.trim().toLowerCase();
  if (text === '') return [];
  const hits: Hit[] = [];
  for (let index = 0; index < events.length && hits.length < mostHits; index += 1) {
    const event = events[index]!;
    const { sessionId } = event;
    const actor = actors.get(sessionId);
    const said = saidIn(event, actor?.call !== undefined);
    if (said === undefined) continue;
    const who = actor ? actorTitle(actor, actors) : sessionId;
    const at = said.text.toLowerCase().indexOf(text);
    if (at < 0) continue;
    const end = at + text.length;
    hits.push({
      index,
      sessionId,
      who,
      what: said.type,
      before: `${at > around ? '…' : ''}${said.text.slice(Math.max(0, at - around), at)}`,
      match: said.text.slice(at, end),
      after: `${said.text.slice(end, end + around)}${said.text.length > end + around ? '…' : ''}`,
    });
  }
  return hits;
}

/**
 * The searchable text of an event. Snapshots only repeat earlier events, so only their errors are searched. A caller's repetition
 * of its calls' answers is skipped.
 */
function saidIn(
  event: InspectorEvent,
  isCall: boolean,
): { readonly type: string; readonly text: string } | undefined {
  switch (event.type) {
    case '@xstate.event':
    case '@dramaturg.emitted': {
      const { type, ...fields } = event.event;
      if (type.startsWith('xstate.done.actor.')) return undefined;
      if (isCall && type === 'xstate.init') return { type: 'asked', text: wordsOf(fields) };
      return { type, text: `${type} ${wordsOf(fields)}`.trim() };
    }
    case '@xstate.actor':
      return event.call ? undefined : { type: 'created', text: event.name };
    case '@xstate.snapshot': {
      const { error } = event.snapshot;
      return error === undefined ? undefined : { type: 'error', text: wordsOf(error) };
    }
    default:
      return undefined;
  }
}

/** The keys and values of data, without JSON punctuation. */
function wordsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, part]) => (Array.isArray(value) ? wordsOf(part) : `${key}: ${wordsOf(part)}`))
    .join(' ');
}
