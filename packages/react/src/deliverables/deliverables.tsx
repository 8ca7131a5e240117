import type { Json } from '@dramaturg/compiler';
import type { ColorScheme } from '../color-scheme.ts';

/** A value that a conversation collects. */
export interface Deliverable {
  readonly key: string;
  /** A description for people. */
  readonly description?: string;
  /** Absent while unknown. */
  readonly value?: Json;
  readonly required?: boolean;
  /** Set if the value was mentioned in passing, without a question. */
  readonly unconfirmed?: boolean;
  /** The state in which it was collected. */
  readonly state?: string;
}

export interface DeliverablesProps {
  /** As in `deliverables` of `useConversation`. */
  readonly items: readonly Deliverable[];
  /** The text shown when there are none. */
  readonly empty?: string | undefined;
  /** Light, dark, or as the reader's system says (`auto`, the default). */
  readonly colorScheme?: ColorScheme | undefined;
}

/** Shows collected and missing deliverables. */
export function Deliverables({
  items,
  empty = 'No deliverables.',
  colorScheme = 'auto',
}: DeliverablesProps) {
  const known = items.filter(({ value }) => value !== undefined).length;
  return (
    <div
      role="group"
      // Makes the list scrollable by keyboard.
      tabIndex={0}
      className="dg dg-deliverables"
      data-color-scheme={colorScheme}
      aria-label="Deliverables"
    >
      {items.length === 0 ? (
        <p className="dg-empty">{empty}</p>
      ) : (
        <p className="dg-count">
          {known} of {items.length} known
        </p>
      )}
      <dl>
        {items.map(({ key, description, value, required, unconfirmed, state }) => (
          <div key={key} data-known={value !== undefined || undefined}>
            <dt title={description}>
              {key}
              {required === true && value === undefined && <em>required</em>}
              {unconfirmed === true && <em>unconfirmed</em>}
            </dt>
            <dd title={state === undefined ? undefined : `Collected in ${state}`}>
              {value === undefined ? 'not known yet' : toText(value)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
