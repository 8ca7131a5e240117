import type { Json } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import { Fields, fieldsOf, longestList, readOnEnd } from '@dramaturg/conversation';
import { isBareState, type Plan, type SessionField, sessionFieldNames } from '../definition.ts';
import { error, info, warning } from '../problems.ts';
import { readDeliverables, readState, reportMissingTitle } from './state.ts';
import { readTransition, withAutomaticTransitions, withEnds } from './transition.ts';

/**
 * Brings a plan of any dialect into one spelling and fills in the defaults. It never fails: a part of a
 * wrong shape is left out (the shape check reports it), so that rules can check the rest. Each object may have its own
 * spelling, because real plans mix generations. Spec: docs/formats/plan.md#spellings
 */
export function normalise(value: unknown, report: Report): Plan {
  const { root, placed, isWhole } = rootOf(value, report);
  const statesAt = isWhole ? ['states'] : [];
  const builder = root.within('metadata').within('plan_builder');
  const canvas = builder.within('canvas');
  const title = root.optional('title', 'name');
  if (title === undefined && isWhole) reportMissingTitle('The plan', root);
  const authored = placed.map(readState);
  const linear = withAutomaticTransitions(authored, statesAt, report);
  const states = withEnds(linear, canvas);
  const initial = root.optional('initial_state_id');
  return {
    id: root.optional('id', 'name') ?? 'plan',
    title: title ?? root.optional('id') ?? 'Conversation plan',
    description: root.text('description'),
    initial_state_id: initial ?? states[0]?.id ?? '',
    initialAt: initial === undefined ? undefined : ['initial_state_id'],
    states,
    statesAt,
    transitions: readPlanTransitions(root, states.length),
    deliverables: Array.isArray(root.values['deliverables']) ? readDeliverables(root) : undefined,
    on_correction: root.values['on_correction'] === 'keep' ? 'keep' : undefined,
    on_end: readOnEnd(root.values['on_end']),
    system_prompt: root.text('system_prompt', 'systemPrompt'),
    language: root.optional('language') ?? 'auto',
    session_context: readSessionContext(root),
    agent_spawn_mode: readSpawnMode(builder.within('start')),
    farewell_message: canvas.within('end_node_config').text('farewell_message').trim(),
  };
}

function readPlanTransitions(root: Fields, states: number): Plan['transitions'] {
  if (!Array.isArray(root.values['transitions'])) return undefined;
  // Each of these is a transition of every state.
  const limit = Math.min(longestList, Math.max(10, Math.floor(20_000 / states)));
  return root
    .list('transitions', limit)
    .map((one) => ({ ...readTransition(one), except_states: one.scalars('except_states') }))
    .toSorted((a, b) => a.priority - b.priority);
}

const mostStates = 10_000;

const tooMany = error('too-many', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Split it into several plans.',
}));

const noStates = error('no-states', () => ({
  message: 'The plan has no states.',
  hint: 'Add at least one state: { "id": "greeting", "title": "Greeting", "tasks": [] }.',
}));

const bareStates = info('bare-states', (count: number) => ({
  message:
    count === 1
      ? 'This is a state without a plan around it. It is compiled as a plan with one state.'
      : 'These are states without a plan around them. They are compiled as a plan.',
  hint: 'Write { "id": ..., "title": ..., "states": [...] } to name the plan.',
}));

function rootOf(
  value: unknown,
  report: Report,
): { root: Fields; placed: Fields[]; isWhole: boolean } {
  const reading = { report, tooMany };
  const empty = new Fields({}, [], reading);
  if (Array.isArray(value)) {
    report(value.length === 0 ? noStates() : bareStates(value.length), []);
    return { root: empty, placed: fieldsOf(value, [], reading, mostStates), isWhole: false };
  }
  const root = new Fields(value, [], reading);
  if (isBareState(value)) {
    report(bareStates(1), []);
    return { root: empty, placed: [root], isWhole: false };
  }
  const { states } = root.values;
  if (Array.isArray(states) && states.length === 0) root.report(noStates(), 'states');
  return { root, placed: root.list('states', mostStates), isWhole: true };
}

const unknownSpawnMode = warning('unknown-spawn-mode', (mode: string) => ({
  message: `There is no spawn mode "${mode}", so the agent speaks first, as with "immediate".`,
  hint: () => didYouMean(mode, ['immediate', 'on_demand']) ?? 'Write "immediate" or "on_demand".',
}));

/** An unknown mode is read as `immediate`, the default. */
function readSpawnMode(start: Fields): Plan['agent_spawn_mode'] {
  const mode = start.optional('agent_spawn_mode') ?? 'immediate';
  if (mode === 'on_demand') return mode;
  if (mode !== 'immediate') start.report(unknownSpawnMode(mode), 'agent_spawn_mode');
  return 'immediate';
}

const unknownContextField = warning(
  'unknown-context-field',
  (field: string, known: readonly string[]) => ({
    message: `The session context has no field "${field}", so it is ignored.`,
    hint: () => didYouMean(field, known) ?? `Remove it. The fields are ${known.join(', ')}.`,
  }),
);

/** Reports unknown fields. Only the session context does so: it is a form, filled in before the conversation. */
function reportUnknown(fields: Fields, known: readonly string[]): void {
  for (const field of Object.keys(fields.values).filter((one) => !known.includes(one)))
    fields.report(unknownContextField(field, known), field, { at: 'key' });
}

function readSessionContext(root: Fields): SessionField[] {
  const { session_context: written } = root.values;
  const form = root.within(written === undefined ? 'sessionContext' : 'session_context');
  reportUnknown(form, ['fields']);
  return form.list('fields').map((field) => {
    const id = field.text('id');
    const { type, required, default_value } = field.values;
    reportUnknown(field, sessionFieldNames);
    return {
      id,
      label: field.optional('label') ?? id,
      type: (['number', 'boolean', 'select'] as const).find((one) => one === type) ?? 'string',
      required: required !== false,
      description: field.text('description'),
      options: field.scalars('options'),
      default_value: default_value as Json | undefined,
      at: field.at,
    };
  });
}
