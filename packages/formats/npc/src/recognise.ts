import { isRecord } from '@dramaturg/compiler';
import type { Recognition } from '@dramaturg/compiler/format';
import { layoutOf } from './definition.ts';

/** Judges by shape whether a value is a persona with its scenarios, one scenario, or the states of one. */
export function recognise(value: unknown): Recognition {
  const layout = layoutOf(value);
  const root = isRecord(value) ? value : {};
  const signs: string[] = [];
  const persona = isRecord(root['persona']) ? root['persona'] : root;
  if (typeof persona['persona_identity_prompt'] === 'string')
    signs.push('the "persona_identity_prompt" of its persona');
  const scenarios = layout === 'envelope' ? records(root['machines'] ?? root['scenarios']) : [root];
  const inScenarios = (field: string) => scenarios.flatMap((scenario) => records(scenario[field]));
  const states = layout === 'states' ? records(value) : inScenarios('states');
  if (layout === 'state' || states.some((state) => typeof state['state_key'] === 'string'))
    signs.push('the "state_key" of its states');
  if (inScenarios('transitions').some((row) => typeof row['from_state_key'] === 'string'))
    signs.push('the "from_state_key" of its transitions');
  return signs.length > 0
    ? { matches: true, signs }
    : {
        matches: false,
        because:
          'it has no persona with a "persona_identity_prompt" and no states with a "state_key"',
      };
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
