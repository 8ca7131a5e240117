import type { AcceptedEvent } from '../data/accepted-events.ts';

interface EventButtonsProps {
  /** The name of the receiving actor. */
  readonly to: string;
  readonly events: readonly AcceptedEvent[];
  readonly onSend: (type: string) => void;
}

/** A button for each event that the actor accepts now. */
export function EventButtons({ to, events, onSend }: EventButtonsProps) {
  if (events.length === 0) return null;
  return (
    <div className="events" role="group" aria-label={`Events of ${to}`}>
      {events.map(({ type, to: target }) => (
        <button
          key={type}
          type="button"
          title={target === undefined ? `Sends "${type}"` : `Leads to ${target}`}
          onClick={() => onSend(type)}
        >
          {type}
        </button>
      ))}
    </div>
  );
}
