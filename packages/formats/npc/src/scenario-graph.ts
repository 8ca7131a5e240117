import type { Path } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import { firstBy, groupedBy, once, restart } from '@dramaturg/conversation';
import type { Decision, LinkCondition, Npc, Outcome, Scenario, Transition } from './definition.ts';
import { layoutOf } from './shape.ts';

/** The transitions of a scenario by their source, and the targets of a pass. Created once for a scenario. */
export const scenarioGraph = once((scenario: Scenario) => {
  const byKey = firstBy(scenario.states, ({ state_key }) => state_key);
  const read = scenario.transitions.filter(({ decision_type }) => decision_type !== undefined);
  const all = groupedBy(read, ({ from_state_key }) => from_state_key);
  const initial = scenario.states.find(({ is_initial_state }) => is_initial_state);
  const allRows = (state: string): readonly Transition[] => all.get(state) ?? [];
  const rows = (state: string, decision: Decision) =>
    allRows(state).filter(({ decision_type }) => decision_type === decision);
  return {
    byKey,
    /** The rows of a state for one decision, in order of priority. */
    rows,
    /** Every row of a state, in order of priority. */
    allRows,
    /** The states that the conversation can move to; only a pass leads anywhere. A restart leads to the initial state. */
    targets: (state: string) =>
      rows(state, 'pass').flatMap(({ to_state_key: to }) => {
        const entered = to === restart ? initial?.state_key : to;
        return entered !== undefined && byKey.has(entered) ? [entered] : [];
      }),
  };
});

/** Scenarios open from the start: those marked as entries, and those that no link leads to. */
export function openScenarios({ scenarios, machine_links }: Npc): readonly Scenario[] {
  const linked = new Set(machine_links.map(({ target_machine_key }) => target_machine_key));
  const open = scenarios.filter(
    ({ is_entry_machine, machine_key }) => is_entry_machine || !linked.has(machine_key),
  );
  // An entry comes before a scenario that is open only because no link leads to it.
  return open.toSorted((a, b) => Number(b.is_entry_machine) - Number(a.is_entry_machine));
}

/** Whether a link leads on. A link depends only on the session that has just ended. Spec: docs/formats/npc.md#links */
export function linkHolds(
  condition: LinkCondition,
  { outcome, score }: { readonly outcome: Outcome | null; readonly score: number },
): boolean {
  switch (condition.type) {
    case 'outcome':
      return outcome === condition.value;
    case 'score_gte':
      return score >= condition.value;
    case 'score_lte':
      return score <= condition.value;
    case 'always':
      return true;
  }
}

/** The places of a scenario's parts in the definition as authored, from which findings follow. */

/** The fields of states, wherever the states of a scenario are. */
export function inStates(
  { at, states }: Scenario,
  ...fields: readonly string[]
): readonly Pattern[] {
  const own = fields.map((field) => [...at, 'states', '*', field]);
  // Bare states are the items of the definition, or the whole definition.
  const isBare = states.some((state) => !state.at.includes('states'));
  return isBare ? [...own, ...fields.flatMap((field) => [['*', field], [field]])] : own;
}

/** The fields of transitions, in the scenario's list and in the lists of its states. */
export function inRows(scenario: Scenario, ...fields: readonly string[]): readonly Pattern[] {
  const nested = inStates(scenario, 'transitions');
  return [[...scenario.at, 'transitions'], ...nested].flatMap((list) =>
    fields.map((field) => [...list, '*', field]),
  );
}

/** The cause of an unknown state: a broken declaration, unless the key is a misspelling of another state's. */
export function unknownFrom(scenario: Scenario, key: string): { follows?: readonly Pattern[] } {
  const keys = scenario.states.map(({ state_key }) => state_key);
  return nearestName(key, keys) === undefined ? { follows: inStates(scenario, 'state_key') } : {};
}

/** The places that say which state leads to which. */
export function waysOf(scenario: Scenario): readonly Pattern[] {
  return [
    ...inStates(scenario, 'state_key', 'is_initial_state', 'is_terminal_state'),
    ...inRows(scenario, 'from_state_key', 'to_state_key', 'decision_type'),
  ];
}

/** The places that declare scenarios. */
export function scenarioKeysOf({ scenariosAt }: Npc): readonly Pattern[] {
  return scenariosAt.length > 0
    ? [[...scenariosAt, '*', 'machine_key']]
    : [['machines'], ['scenarios']];
}

/** The places that say which state leads to which, in a definition as authored. */
export function wiringIn(value: unknown): readonly Pattern[] {
  const layout = layoutOf(value);
  const isBare = layout === 'states' || layout === 'state';
  const named = layout === 'envelope' ? ['machines', 'scenarios'] : [];
  const scenarios = named.length > 0 ? named.map((list) => [list, '*']) : [[]];
  const states = scenarios.map((at) => [...at, ...(isBare ? [] : ['states']), '*']);
  const rows = [...scenarios, ...states].map((at) => [...at, 'transitions', '*']);
  const each = (lists: readonly Path[], ...fields: readonly string[]) =>
    lists.flatMap((at) => fields.map((field) => [...at, field]));
  return [
    ...each(states, 'state_key', 'is_initial_state'),
    ...each(rows, 'from_state_key', 'to_state_key', 'decision_type'),
  ];
}
