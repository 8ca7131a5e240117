import { isRecord } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { type Layout, layoutOf, type Npc, type Persona, type Scenario } from '../definition.ts';
import { noPersona } from '../diagnostics/assumptions.ts';
import { completed } from './complete.ts';
import { having, longestListOfStates, record, records, optionalText } from './fields.ts';
import { readLink } from './link.ts';
import { readScenario } from './scenario.ts';

/**
 * Brings a definition of any layout into one spelling and fills in the defaults. It never fails: a part
 * of a wrong shape is left out (the shape check reports it), so that rules can check the rest. Spec: docs/formats/npc.md#layouts
 */
export function normalise(value: unknown, report: Report): Npc {
  const root = record(value);
  const layout = layoutOf(value);
  const field = root['machines'] === undefined && root['scenarios'] ? 'scenarios' : 'machines';
  const hasScenarios = layout === 'envelope' || layout === 'persona';
  const scenarios = hasScenarios
    ? records(root[field], [field], report).map((placed) => readScenario(placed, report))
    : [readBare(value, layout, report)];
  const persona = readPersona(root, layout, report);
  return {
    persona,
    scenarios,
    scenariosAt: Object.hasOwn(root, field) ? [field] : [],
    machine_links: records(root['machine_links'], ['machine_links'], report)
      .filter(having('source_machine_key', 'target_machine_key'))
      .map((placed) => readLink(placed, report)),
    variables: records(root['variables'], ['variables'], report).map(({ value: fields, at }) => ({
      key: optionalText(fields['key']),
      value: typeof fields['value'] === 'string' ? fields['value'] : undefined,
      at,
    })),
  };
}

/** A scenario without a persona, or states without a scenario. */
function readBare(value: unknown, layout: Layout, report: Report): Scenario {
  if (layout === 'scenario') return readScenario({ value: record(value), at: [] }, report);
  const states =
    layout === 'state'
      ? [{ value: record(value), at: [] }]
      : records(value, [], report, longestListOfStates);
  const scenario = readScenario({ value: {}, at: [] }, report, states);
  return completed({ ...scenario, scoring_mode: 'pass_fail' }, report);
}

/** A persona has its own field, or its fields are siblings of its scenarios. */
function readPersona(root: Record<string, unknown>, layout: Layout, report: Report): Persona {
  const isInside = isRecord(root['persona']);
  const around = layout === 'envelope' || layout === 'persona' ? root : {};
  const fields = isInside ? record(root['persona']) : around;
  const name = optionalText(fields['name']);
  const persona_identity_prompt = optionalText(fields['persona_identity_prompt']);
  // For bare states, `bare-states` already reports it.
  const isBare = layout === 'states' || layout === 'state';
  if (!isBare && name === '' && persona_identity_prompt === '') report(noPersona(), []);
  return {
    name,
    description: optionalText(fields['description']),
    persona_identity_prompt,
    at: isInside ? ['persona'] : [],
  };
}
