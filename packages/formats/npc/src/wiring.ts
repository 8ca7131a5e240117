import type { Path } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import { layoutOf, type Npc, type Scenario } from './definition.ts';

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

/** The places that declare the states of a scenario. */
function keysOf(scenario: Scenario): readonly Pattern[] {
  return inStates(scenario, 'state_key');
}

/** The cause of an unknown state: a broken declaration, unless the key is a misspelling of another state's. */
export function unknownFrom(scenario: Scenario, key: string): { follows?: readonly Pattern[] } {
  const isSlip =
    nearestName(
      key,
      scenario.states.map((state) => state.state_key),
    ) !== undefined;
  return isSlip ? {} : { follows: keysOf(scenario) };
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
  const lists: readonly Path[] =
    layout === 'envelope'
      ? [
          ['machines', '*'],
          ['scenarios', '*'],
        ]
      : [[]];
  const states = lists.map((at) => [
    ...at,
    ...(layout === 'states' || layout === 'state' ? [] : ['states']),
  ]);
  const rows = [
    ...lists.map((at) => [...at, 'transitions', '*']),
    ...states.map((at) => [...at, '*', 'transitions', '*']),
  ];
  return [
    ...states.flatMap((at) => [
      [...at, '*', 'state_key'],
      [...at, '*', 'is_initial_state'],
    ]),
    ...rows.flatMap((at) =>
      ['from_state_key', 'to_state_key', 'decision_type'].map((field) => [...at, field]),
    ),
  ];
}
