import type { Lifecycle, Row, State } from './definition.ts';

/** Rows by the event that they wait for; undefined for rows without an event. */
type ByEvent = ReadonlyMap<string | undefined, readonly Row[]>;

const none: ByEvent = new Map();

/** A lifecycle's rows, looked up by their state and event. */
export class Table {
  readonly states: ReadonlyMap<string, State>;
  /** Rows from any state that is not terminal. */
  readonly anywhere: ByEvent;
  readonly #own: ReadonlyMap<string, ByEvent>;

  constructor({ states, rows }: Lifecycle) {
    this.states = new Map(states.map((state) => [state.name, state]));
    this.anywhere = byEvent(rows.filter(({ from }) => from.kind === 'any'));
    const own = new Map<string, Row[]>();
    for (const row of rows) {
      if (row.from.kind !== 'states') continue;
      for (const { name } of row.from.states) push(own, name, row);
    }
    this.#own = new Map(Array.from(own, ([state, its]) => [state, byEvent(its)]));
  }

  /** The rows that name a state. */
  own(state: string): ByEvent {
    return this.#own.get(state) ?? none;
  }

  /**
   * The rows that apply in a state for an event, those that name the state first; an undefined event means rows without an event.
   * A row from anywhere does not lead to the current state. Spec: docs/formats/lifecycle.md#wildcards
   */
  rows(state: string, event: string | undefined): Row[] {
    const anywhere = this.anywhere.get(event) ?? [];
    return [
      ...(this.own(state).get(event) ?? []),
      ...anywhere.filter(({ to }) => !(to?.kind === 'state' && to.name === state)),
    ];
  }
}

function byEvent(rows: readonly Row[]): ByEvent {
  const found = new Map<string | undefined, Row[]>();
  for (const row of rows) push(found, row.event, row);
  return found;
}

function push<Key>(lists: Map<Key, Row[]>, key: Key, row: Row): void {
  const list = lists.get(key);
  if (list) list.push(row);
  else lists.set(key, [row]);
}
