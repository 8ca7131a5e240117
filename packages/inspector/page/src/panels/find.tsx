import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { Playback } from '../data/playback.ts';
import { mostHits, searchIn } from '../data/search.ts';
import { momentWith, type View } from '../use-view.ts';

/** Searches the shown run, and goes to the step of a match. */
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
