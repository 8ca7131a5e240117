import { reachableFrom } from '@dramaturg/compiler/chart';
import { restart } from '@dramaturg/conversation';
import { type Scenario, type State } from '../definition.ts';
import { noWayToAnEnd } from '../diagnostics/states.ts';
import { waysOf } from '../wiring.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import type { NpcRule } from './rule.ts';

/** Reports states from which passes never reach a terminal state. */
export const statesWithoutEnd: NpcRule = ({ definition, report }) => {
  for (const scenario of definition.scenarios) {
    const { targets, rows, byKey } = scenarioGraph(scenario);
    // A pass to an unknown state may have been meant to lead to the end. A person who takes over is an end, too.
    const leadsNowhere = ({ state_key }: State) =>
      rows(state_key, 'pass').some(({ to_state_key: to }) => to !== restart && !byKey.has(to));
    const begins = keysOf(scenario, (state) => state.is_initial_state);
    const ends = keysOf(scenario, (state) => state.is_terminal_state || leadsNowhere(state));
    if (ends.length === 0) continue; // `missingTerminalStates` reports this.
    const reached = reachableFrom(begins, targets);
    const canEnd = reachableFrom(ends, sourcesOf(scenario));
    const stuck = [...byKey.values()].filter(
      ({ state_key: key }) => targets(key).length > 0 && reached.has(key) && !canEnd.has(key),
    );
    const [first] = stuck;
    if (first)
      report(noWayToAnEnd(stuck.map(({ state_key }) => state_key)), first.at, {
        about: stuck.map((state) => [...state.at, 'transitions']),
        follows: waysOf(scenario),
      });
  }
};

function keysOf({ states }: Scenario, isMeant: (state: State) => boolean): string[] {
  return states.filter(isMeant).map(({ state_key }) => state_key);
}

function sourcesOf(scenario: Scenario): (key: string) => readonly string[] {
  const { targets } = scenarioGraph(scenario);
  const sources = new Map<string, string[]>();
  for (const { state_key } of scenario.states) {
    for (const target of targets(state_key)) {
      const known = sources.get(target);
      if (known) known.push(state_key);
      else sources.set(target, [state_key]);
    }
  }
  return (key) => sources.get(key) ?? [];
}
