import type { LinkCondition, Npc, Outcome, Scenario } from './definition.ts';

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
