import { type EventObject, isRecord } from '@dramaturg/compiler';
import { useState } from 'react';
import { type AnyMachineSnapshot, getNextTransitions } from 'xstate';

interface EventSenderProps {
  readonly snapshot: AnyMachineSnapshot;
  /** Whether the panel is expanded at first. */
  readonly isOpen: boolean;
  readonly onSend: (event: EventObject) => void;
}

/** Buttons for the events that the machine accepts, and a text field for their data. */
export function EventSender({ snapshot, isOpen, onSend }: EventSenderProps) {
  const [fields, setFields] = useState('');
  const parsed = fieldsIn(fields);
  const names = snapshot.status === 'active' ? eventsFor(snapshot) : [];
  return (
    <details className="wb-sender" open={isOpen}>
      <summary>Send an event</summary>
      <div className="wb-buttons">
        {names.map((type) => (
          <button
            key={type}
            type="button"
            disabled={!parsed}
            onClick={() => onSend({ ...parsed, type })}
          >
            {type}
          </button>
        ))}
        {names.length === 0 && <span>It accepts no more events.</span>}
      </div>
      <input
        aria-label="Fields of the event, as JSON"
        aria-invalid={!parsed}
        placeholder='fields, such as {"reason": "..."}'
        value={fields}
        onChange={(event) => setFields(event.target.value)}
      />
    </details>
  );
}

/** Names of the events that people send, without the internal ones. */
function eventsFor(snapshot: AnyMachineSnapshot): string[] {
  const types = getNextTransitions(snapshot).map(({ eventType }) => eventType);
  return [...new Set(types)].filter(
    (type) => type !== '' && type !== '*' && !type.startsWith('xstate.'),
  );
}

function fieldsIn(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
