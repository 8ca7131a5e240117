import type { Path } from '@dramaturg/compiler';
import type { Row } from '../definition.ts';
import { unheardEvent } from '../diagnostics/rows.ts';
import { agentAvailable } from '../names.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports raised events that no row handles. */
export const unhandledEvents: LifecycleRule = ({ definition, report }) => {
  const table = new Table(definition);
  const { states, rows, policies } = definition;
  const check = (event: string, state: string, at: Path) => {
    const known = table.states.get(state);
    if (!known || known.kind === 'terminal' || table.rows(state, event).length > 0) return;
    const handled = [...table.own(state).keys(), ...table.anywhere.keys()].filter(
      (name) => name !== undefined,
    );
    report(unheardEvent(event, state, handled), at, { follows: definition.wiring, topic: event });
  };
  for (const [index, row] of rows.entries()) {
    if (!row.raise || row.to?.kind === 'previous') continue;
    // Rows for several events share the events that they raise.
    if (rows[index - 1]?.raise === row.raise) continue;
    for (const state of row.to ? [row.to.name] : statesOf(row, states))
      check(row.raise.event, state, row.raise.at);
  }
  for (const { name, timer, entry } of states) {
    if (timer) check(timer.event, name, timer.at);
    if (policies.pick_up === 'when_available') continue;
    for (const { word, at } of entry) if (word === 'call_agent') check(agentAvailable, name, at);
  }
};

function statesOf({ from }: Row, states: readonly { readonly name: string }[]): string[] {
  if (from.kind === 'nothing') return [];
  return (from.kind === 'any' ? states : from.states).map(({ name }) => name);
}
