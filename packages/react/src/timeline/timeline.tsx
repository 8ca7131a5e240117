'use client';

import type { EventObject, Json } from '@dramaturg/compiler';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { ColorScheme } from '../color-scheme.ts';
import { durationText } from '../duration.ts';

/** An event of a timeline. */
export interface TimelineEvent {
  readonly id: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** The emitter: a part of the system, or the person. */
  readonly source?: string;
  readonly event: EventObject;
}

export interface TimelineProps {
  /** In order of time. */
  readonly events: readonly TimelineEvent[];
  /** The id of the selected event. */
  readonly selected?: string | undefined;
  /** Called with the event that the reader picks. */
  readonly onSelect?: ((event: TimelineEvent) => void) | undefined;
  /** The text shown without events. */
  readonly empty?: string | undefined;
  /** Light, dark, or as the reader's system says (`auto`, the default). */
  readonly colorScheme?: ColorScheme | undefined;
}

/** Within this many pixels from the end, the reader counts as being at the end. */
const nearEnd = 40;

/** Events in order of time; each expands to its details. A list that is scrolled to its end follows new events. */
export function Timeline({
  events,
  selected,
  onSelect,
  empty = 'No events yet.',
  colorScheme = 'auto',
}: TimelineProps) {
  const place = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const { current } = place;
    if (current && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [events]);
  const select = useRef(onSelect);
  useEffect(() => {
    select.current = onSelect;
  });
  const pick = useCallback((event: TimelineEvent) => select.current?.(event), []);
  const [first] = events;
  return (
    <div
      role="group"
      className="dg dg-timeline"
      data-color-scheme={colorScheme}
      aria-label="Events"
      ref={place}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
      }}
    >
      {!first && <p className="dg-empty">{empty}</p>}
      <ol tabIndex={0} aria-label="Events in order of time">
        {events.map((each) => (
          <Entry
            key={each.id}
            entry={each}
            start={first!.at}
            isSelected={each.id === selected}
            onPick={pick}
          />
        ))}
      </ol>
    </div>
  );
}

interface EntryProps {
  readonly entry: TimelineEvent;
  readonly start: number;
  readonly isSelected: boolean;
  readonly onPick: (event: TimelineEvent) => void;
}

/** Memoised, because there may be thousands of entries. Details are rendered when an entry is expanded. */
const Entry = memo(function Entry({ entry, start, isSelected, onPick }: EntryProps) {
  const { at, source, event } = entry;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li data-source={source} data-type={event.type}>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary aria-current={isSelected || undefined} onClick={() => onPick(entry)}>
          <time dateTime={new Date(at).toISOString()}>{since(start, at)}</time>
          {source !== undefined && <span className="dg-source">{source}</span>}
          <strong>{event.type}</strong>
          <span className="dg-event-summary">{summaryOf(event)}</span>
        </summary>
        {isOpen && <pre tabIndex={0}>{JSON.stringify(fieldsOf(event), null, 2)}</pre>}
      </details>
    </li>
  );
});

function fieldsOf(event: EventObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'type'));
}

/** The short fields of an event, in one line. */
function summaryOf(event: EventObject): string {
  return Object.entries(fieldsOf(event))
    .filter(([name, value]) => name !== 'key' && isShort(value))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
}

function isShort(value: unknown): value is Json {
  return value !== undefined && JSON.stringify(value).length <= 160;
}

/** The time since the first event: `+1.250 s`, `+2 h 5 min`. */
function since(start: number, at: number): string {
  const milliseconds = Math.max(0, at - start);
  if (milliseconds < 60_000) return `+${(milliseconds / 1000).toFixed(3)} s`;
  return `+${durationText(milliseconds)}`;
}
