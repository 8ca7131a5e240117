import type { Report } from '@dramaturg/compiler/format';
import { Fields, fieldsOf } from '@dramaturg/conversation';
import {
  type Layout,
  layoutOf,
  type LinkCondition,
  type MachineLink,
  type Npc,
  outcomes,
  type Persona,
  type Scenario,
} from '../definition.ts';
import { error, info } from '../problems.ts';
import { completed } from './complete.ts';
import { having, longestListOfStates, readScenario } from './scenario.ts';

const tooMany = error('too-many', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Leave out what is not needed, or split the scenario.',
}));

/**
 * Brings a definition of any layout into one spelling and fills in the defaults. It never fails: a part
 * of a wrong shape is left out (the shape check reports it), so that rules can check the rest. Spec: docs/formats/npc.md#layouts
 */
export function normalise(value: unknown, report: Report): Npc {
  const root = new Fields(value, [], { report, tooMany });
  const { machines, scenarios: listed } = root.values;
  const layout = layoutOf(value);
  const field = machines === undefined && listed ? 'scenarios' : 'machines';
  const hasScenarios = layout === 'envelope' || layout === 'persona';
  return {
    scenarios: hasScenarios
      ? root.list(field).map((one) => readScenario(one))
      : [readBare(value, root, layout, report)],
    persona: readPersona(root, layout),
    scenariosAt: Object.hasOwn(root.values, field) ? [field] : [],
    machine_links: root
      .list('machine_links')
      .filter(having('source_machine_key', 'target_machine_key'))
      .map(readLink),
    variables: root
      .list('variables')
      .map((one) => ({ key: one.text('key'), value: one.optional('value'), at: one.at })),
  };
}

/** A scenario without a persona, or states without a scenario. */
function readBare(value: unknown, root: Fields, layout: Layout, report: Report): Scenario {
  if (layout === 'scenario') return readScenario(root);
  const states =
    layout === 'state' ? [root] : fieldsOf(value, [], { report, tooMany }, longestListOfStates);
  return completed({ ...readScenario(root.with({}), states), scoring_mode: 'pass_fail' }, report);
}

const noPersona = info('no-persona', () => ({
  message: 'There is no persona, so the NPC has no name and no identity.',
  hint: 'Add "persona": { "name": ..., "persona_identity_prompt": ... }.',
}));

/** A persona has its own field, or its fields are siblings of its scenarios. */
function readPersona(root: Fields, layout: Layout): Persona {
  const around = layout === 'envelope' || layout === 'persona' ? root : root.with({});
  const fields = root.record('persona') ?? around;
  const { name, persona_identity_prompt, ...rest } = fields.texts(
    'name',
    'description',
    'persona_identity_prompt',
  );
  // For bare states, `bare-states` already reports it.
  const isBare = layout === 'states' || layout === 'state';
  if (!isBare && name === '' && persona_identity_prompt === '') root.report(noPersona(), []);
  return { name, ...rest, persona_identity_prompt, at: fields.at };
}

function readLink(fields: Fields): MachineLink {
  return {
    ...fields.texts('source_machine_key', 'target_machine_key'),
    condition: readLinkCondition(fields),
    is_auto_advance: fields.values['is_auto_advance'] === true,
    at: fields.at,
  };
}

const badLinkCondition = error('bad-link-condition', (complaint: string) => ({
  message: `The condition of this link ${complaint}.`,
  hint: 'Use outcome (with ACCEPT, REJECT or KICK_OUT), score_gte or score_lte (with a number), or always.',
}));

function readLinkCondition(fields: Fields): LinkCondition | undefined {
  const type = fields.text('condition_type') || 'always';
  const value = fields.values['condition_value'];
  const word = typeof value === 'string' ? value.trim().toUpperCase() : value;
  const refuse = (complaint: string, field: string) => {
    const about = [fields.path('condition_type'), fields.path('condition_value')];
    const place = Object.hasOwn(fields.values, field) ? field : [];
    fields.report(badLinkCondition(complaint), place, { about });
    return undefined;
  };
  switch (type) {
    case 'always':
      return { type };
    case 'outcome': {
      const outcome = outcomes.find((one) => one === word);
      return outcome ? { type, value: outcome } : refuse('needs an outcome', 'condition_value');
    }
    case 'score_gte':
    case 'score_lte': {
      const number = typeof value === 'number' ? value : Number(word === '' ? NaN : word);
      return Number.isFinite(number) && value !== null && value !== undefined
        ? { type, value: number }
        : refuse('needs a number', 'condition_value');
    }
    default:
      return refuse(`has the unknown type "${type}"`, 'condition_type');
  }
}
