import type { InspectorEvent } from '../../../src/events.ts';
import { actorTitle } from './actor-names.ts';
import type { Actors } from './playback.ts';

/** Something said or done that contains the searched text. */
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

/** Finds a text in the types and data of what was sent and emitted, in the names of its actors, and in errors. */
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
 * What people can read of an event. A snapshot repeats what led to it, except for an error, and a caller repeats the answers of
 * its calls.
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

/** The keys and values of data, without the signs of JSON. */
function wordsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, part]) => (Array.isArray(value) ? wordsOf(part) : `${key}: ${wordsOf(part)}`))
    .join(' ');
}
