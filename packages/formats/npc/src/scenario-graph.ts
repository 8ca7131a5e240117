import { end, once, restart } from '@dramaturg/conversation';
import type { Decision, Scenario, State, Transition } from './definition.ts';

/** The transitions of a scenario by their source, and the targets of a pass. Created once for a scenario. */
export interface ScenarioGraph {
  readonly byKey: ReadonlyMap<string, State>;
  /** The rows of a state for one decision, in order of priority. */
  readonly rows: (state: string, decision: Decision) => readonly Transition[];
  /** Every row of a state, in order of priority. */
  readonly allRows: (state: string) => readonly Transition[];
  /** The states that the conversation can move to; only a pass leads anywhere. A restart leads to the initial state. */
  readonly targets: (state: string) => readonly string[];
}

/** Whether a scenario has an end of its own: a terminal state, or a transition to `__end__`. */
export function hasEnd({ states, transitions }: Pick<Scenario, 'states' | 'transitions'>): boolean {
  return (
    states.some((state) => state.is_terminal_state) ||
    transitions.some(({ to_state_key }) => to_state_key === end)
  );
}

export const scenarioGraph = once((scenario: Scenario): ScenarioGraph => {
  const byKey = new Map<string, State>();
  for (const state of scenario.states)
    if (!byKey.has(state.state_key)) byKey.set(state.state_key, state);
  const all = new Map<string, Transition[]>();
  const rows = new Map<string, Partial<Record<Decision, Transition[]>>>();
  for (const row of scenario.transitions) {
    if (row.decision_type === undefined) continue;
    const listed = all.get(row.from_state_key);
    if (listed) listed.push(row);
    else all.set(row.from_state_key, [row]);
    const ofState = rows.get(row.from_state_key) ?? {};
    rows.set(row.from_state_key, ofState);
    (ofState[row.decision_type] ??= []).push(row);
  }
  const initial = scenario.states.find(({ is_initial_state }) => is_initial_state);
  const rowsOf = (state: string, decision: Decision) => rows.get(state)?.[decision] ?? [];
  return {
    byKey,
    rows: rowsOf,
    allRows: (state) => all.get(state) ?? [],
    targets: (state) =>
      rowsOf(state, 'pass').flatMap(({ to_state_key: to }) => {
        const entered = to === restart ? initial?.state_key : to;
        return entered !== undefined && byKey.has(entered) ? [entered] : [];
      }),
  };
});
