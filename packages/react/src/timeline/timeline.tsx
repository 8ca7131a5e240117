import type { EventObject, Json } from '@dramaturg/compiler';
import type { ColorScheme } from '../color-scheme.ts';

/** Something that has happened. */
export interface TimelineEvent {
  readonly id: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Who has told it: a part of the system, or the person. */
  readonly source?: string;
  readonly event: EventObject;
}

export interface TimelineProps {
  /** In order of time. */
  readonly events: readonly TimelineEvent[];
  /** The id of the event that was picked. */
  readonly selected?: string | undefined;
  readonly onSelect?: ((event: TimelineEvent) => void) | undefined;
  /** What stands there while nothing has happened. */
  readonly empty?: string | undefined;
  readonly colorScheme?: ColorScheme | undefined;
}

/** Events in order of time; each opens to show all that it says. */
export function Timeline({
  events,
  selected,
  onSelect,
  empty = 'Nothing has happened yet.',
  colorScheme = 'auto',
}: TimelineProps) {
  const [first] = events;
  return (
    <div
      role="group"
      className="dg dg-timeline"
      data-color-scheme={colorScheme}
      aria-label="Events"
    >
      {!first && <p className="dg-empty">{empty}</p>}
      <ol tabIndex={0} aria-label="Events in order of time">
        {events.map((each) => (
          <li key={each.id} data-source={each.source} data-type={each.event.type}>
            <details>
              <summary
                aria-current={each.id === selected || undefined}
                onClick={() => onSelect?.(each)}
              >
                <time dateTime={new Date(each.at).toISOString()}>{since(first!.at, each.at)}</time>
                {each.source !== undefined && <span className="dg-source">{each.source}</span>}
                <strong>{each.event.type}</strong>
                <span className="dg-event-summary">{summaryOf(each.event)}</span>
              </summary>
              <pre tabIndex={0}>{JSON.stringify(fieldsOf(each.event), null, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}

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

/** `+1.250 s`, `+2 h 5 min`: how long after the first event. */
function since(start: number, at: number): string {
  const milliseconds = Math.max(0, at - start);
  if (milliseconds < 60_000) return `+${(milliseconds / 1000).toFixed(3)} s`;
  const minutes = Math.round(milliseconds / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return `+${parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')}`;
}
