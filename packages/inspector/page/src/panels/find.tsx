import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { InspectorEvent } from '../../../src/events.ts';
import { actorTitle } from '../data/actor-names.ts';
import type { Actors, Playback } from '../data/playback.ts';
import { momentWith, type View } from '../use-view.ts';

/** Finds what was said and done in the shown run, and goes to its step. */
export function Find({ view, playback }: { readonly view: View; readonly playback: Playback }) {
  const [wanted, setWanted] = useState('');
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const { events } = playback;
  const { length } = events;
  const hits = useMemo(
    () => (isOpen ? searchIn(events, playback.actorsAfter(length), wanted) : []),
    [isOpen, events, length, playback, wanted],
  );
  const go = (place: number) => {
    const hit = hits[place];
    if (!hit) return;
    view.pick(hit.sessionId);
    view.go(momentWith(view.moments, hit.index));
  };
  const move = ({ key, currentTarget }: KeyboardEvent<HTMLElement>) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (key === 'Escape') {
      setOpen(false);
      currentTarget.querySelector('input')?.blur();
    } else if (key === 'ArrowDown') buttons[Math.min(at + 1, buttons.length - 1)]?.focus();
    else if (key === 'ArrowUp' && at <= 0) currentTarget.querySelector('input')?.focus();
    else if (key === 'ArrowUp') buttons[at - 1]?.focus();
    else if (key === 'Enter' && at < 0) go(0);
  };
  return (
    <search
      className="find"
      onKeyDown={move}
      onBlur={({ currentTarget, relatedTarget }) =>
        currentTarget.contains(relatedTarget) || setOpen(false)
      }
    >
      <input
        type="search"
        id="find"
        aria-label="Find in what was said and done"
        placeholder="Find  ( / )"
        value={wanted}
        onFocus={() => setOpen(true)}
        onChange={({ target }) => setWanted(target.value)}
      />
      {isOpen && wanted.trim() !== '' && (
        <ul ref={list} aria-label="Found">
          {hits.map((hit, place) => (
            <li key={hit.index}>
              <button type="button" className="row" onClick={() => go(place)}>
                <small>
                  {view.moments[momentWith(view.moments, hit.index)]?.number} · {hit.who} ·{' '}
                  {hit.what}
                </small>
                <span>
                  {hit.before}
                  <mark>{hit.match}</mark>
                  {hit.after}
                </span>
              </button>
            </li>
          ))}
          {hits.length === 0 && <li className="hint">Nothing was found in the loaded steps.</li>}
          {hits.length === mostHits && <li className="hint">The first {mostHits} are shown.</li>}
        </ul>
      )}
    </search>
  );
}

/** Something said or done that contains the searched text. */
interface Hit {
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

const mostHits = 100;
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
