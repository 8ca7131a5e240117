import type { JsonObject } from '@dramaturg/compiler';
import { type ChartNode, type ChartTransition, nodeKey } from '@dramaturg/compiler/chart';
import {
  type MachineLink,
  type Npc,
  type NpcOptions,
  type Scenario,
  withoutPlaces,
} from '../definition.ts';
import { internal, scenarioNode } from '../names.ts';

import { lowerState } from './state.ts';
import { action, guard } from './references.ts';

/** A scenario: its states, and the links that lead on once it is completed. Spec: docs/formats/npc.md#scenario */
export function lowerScenario(
  scenario: Scenario,
  { machine_links }: Npc,
  isOpen: boolean,
  options: NpcOptions,
): ChartNode {
  const links = machine_links.filter(
    ({ source_machine_key }) => source_machine_key === scenario.machine_key,
  );
  const advancing = links.filter(({ is_auto_advance }) => is_auto_advance);
  // `lower` is called only for definitions without errors, so there is exactly one.
  const initial = scenario.states.find(({ is_initial_state }) => is_initial_state)!;
  return {
    id: scenarioNode(scenario.machine_key),
    ...(scenario.description ? { description: scenario.description } : {}),
    entry: [action('startSession', { machine_key: scenario.machine_key })],
    initial: nodeKey(initial.state_key),
    ...(advancing.length > 0 ? { on: { [internal.completed]: advancing.map(advance) } } : {}),
    meta: metaOf(scenario, links, isOpen, options),
    states: Object.fromEntries(
      scenario.states.map((state) => [nodeKey(state.state_key), lowerState(state, scenario)]),
    ),
  };
}

function advance({ target_machine_key, condition, at }: MachineLink): ChartTransition {
  return {
    target: `#${scenarioNode(target_machine_key)}`,
    guard: guard('linkHolds', { ...condition! }),
    // A link may lead back to its own scenario, which then begins anew.
    reenter: true,
    meta: { origin: at },
  };
}

/** All that guards and prompts read of a scenario. */
function metaOf(
  scenario: Scenario,
  links: readonly MachineLink[],
  isOpen: boolean,
  { summariseAfter }: NpcOptions,
): NonNullable<ChartNode['meta']> {
  const {
    at,
    states: _states,
    transitions: _transitions,
    is_entry_machine: _entry,
    description: _description,
    name: title,
    pass_threshold: _threshold,
    early_fail_bound: _bound,
    redirect_limit: _redirect,
    follow_up_limit: _followUp,
    on_end,
    ...rest
  } = scenario;
  return {
    origin: at,
    title,
    ...withoutPlaces(rest),
    ...(on_end && { on_end: { ...on_end } as unknown as JsonObject }),
    ...(isOpen ? { open: true } : {}),
    ...(scenario.system_summarization_prompt ? { summarise_after: summariseAfter } : {}),
    ...(links.length > 0 ? { machine_links: links.map(withoutPlaces) } : {}),
  };
}
