import type { Json, Path } from '@dramaturg/compiler';
import { readOnEnd } from '@dramaturg/conversation';
import type { Report } from '@dramaturg/compiler/format';
import { isBareState, type Plan, type SessionField, sessionFieldNames } from '../definition.ts';
import { bareStates, noStates, unknownSpawnMode } from '../diagnostics/states.ts';
import { unknownContextField } from '../diagnostics/tasks.ts';
import { longestList, type Placed, record, records, scalars, optionalString } from './fields.ts';
import { readDeliverables, readState, reportMissingTitle } from './state.ts';
import { readTransition, withAutomaticTransitions, withEnds } from './transition.ts';

/**
 * Brings a plan of any dialect into one spelling and fills in the defaults. It never fails: a part of a
 * wrong shape is left out (the shape check reports it), so that rules can check the rest. Each object may have its own
 * spelling, because real plans mix generations. Spec: docs/formats/plan.md#spellings
 */
export function normalise(value: unknown, report: Report): Plan {
  const root = rootOf(value, report);
  const metadata = record(record(root.fields['metadata'])['plan_builder']);
  const canvas = record(metadata['canvas']);
  const canvasAt = ['metadata', 'plan_builder', 'canvas'];

  const title = optionalString(root.fields['title']) ?? optionalString(root.fields['name']);
  if (title === undefined && root.statesAt.length > 0) reportMissingTitle('The plan', [], report);

  const authored = root.states.map(({ value: state, at }) => readState(state, at, report));
  const linear = withAutomaticTransitions(authored, root.statesAt, report);
  const states = withEnds(linear, canvas['end_state_ids'], [...canvasAt, 'end_state_ids'], report);
  const initial = optionalString(root.fields['initial_state_id']);
  return {
    id: optionalString(root.fields['id']) ?? optionalString(root.fields['name']) ?? 'plan',
    title: title ?? optionalString(root.fields['id']) ?? 'Conversation plan',
    description: optionalString(root.fields['description']) ?? '',
    initial_state_id: initial ?? states[0]?.id ?? '',
    initialAt: initial === undefined ? undefined : ['initial_state_id'],
    states,
    statesAt: root.statesAt,
    transitions: readPlanTransitions(root.fields['transitions'], states.length, report),
    deliverables: Array.isArray(root.fields['deliverables'])
      ? readDeliverables(root.fields['deliverables'], ['deliverables'], report)
      : undefined,
    on_correction: root.fields['on_correction'] === 'keep' ? 'keep' : undefined,
    on_end: readOnEnd(root.fields['on_end']),
    system_prompt:
      optionalString(root.fields['system_prompt']) ??
      optionalString(root.fields['systemPrompt']) ??
      '',
    language: optionalString(root.fields['language']) ?? 'auto',
    session_context: readSessionContext(root.fields, report),
    agent_spawn_mode: readSpawnMode(record(metadata['start'])['agent_spawn_mode'], report),
    farewell_message:
      optionalString(record(canvas['end_node_config'])['farewell_message'])?.trim() ?? '',
  };
}

function readPlanTransitions(value: unknown, states: number, report: Report): Plan['transitions'] {
  if (!Array.isArray(value)) return undefined;
  // Each of these is a transition of every state.
  const limit = Math.min(longestList, Math.max(10, Math.floor(20_000 / states)));
  return records(value, ['transitions'], report, limit)
    .map((placed) => ({
      ...readTransition(placed, undefined, report),
      except_states: scalars(
        placed.value['except_states'],
        [...placed.at, 'except_states'],
        report,
      ),
    }))
    .toSorted((a, b) => a.priority - b.priority);
}

const mostStates = 10_000;

function rootOf(
  value: unknown,
  report: Report,
): { fields: Record<string, unknown>; states: Placed[]; statesAt: Path } {
  if (Array.isArray(value)) {
    report(value.length === 0 ? noStates() : bareStates(value.length), []);
    return { fields: {}, states: records(value, [], report, mostStates), statesAt: [] };
  }
  if (isBareState(value)) {
    report(bareStates(1), []);
    return { fields: {}, states: [{ value: record(value), at: [] }], statesAt: [] };
  }
  const fields = record(value);
  if (Array.isArray(fields['states']) && fields['states'].length === 0) {
    report(noStates(), ['states']);
  }
  return {
    fields,
    states: records(fields['states'], ['states'], report, mostStates),
    statesAt: ['states'],
  };
}

/** An unknown mode is read as `immediate`, the default. */
function readSpawnMode(written: unknown, report: Report): Plan['agent_spawn_mode'] {
  if (written === 'on_demand') return 'on_demand';
  if (typeof written === 'string' && written !== 'immediate')
    report(unknownSpawnMode(written), ['metadata', 'plan_builder', 'start', 'agent_spawn_mode']);
  return 'immediate';
}

/** Reports unknown fields. Only the session context does so: it is a form, filled in before the conversation. */
function reportUnknown(
  fields: Record<string, unknown>,
  known: readonly string[],
  at: Path,
  report: Report,
): void {
  for (const field of Object.keys(fields).filter((one) => !known.includes(one)))
    report(unknownContextField(field, known), [...at, field], { at: 'key' });
}

function readSessionContext(root: Record<string, unknown>, report: Report): SessionField[] {
  const name = root['session_context'] === undefined ? 'sessionContext' : 'session_context';
  reportUnknown(record(root[name]), ['fields'], [name], report);
  return records(record(root[name])['fields'], [name, 'fields'], report).map(
    ({ value: fields, at }) => {
      const id = optionalString(fields['id']) ?? '';
      const type = fields['type'];
      reportUnknown(fields, sessionFieldNames, at, report);
      return {
        id,
        label: optionalString(fields['label']) ?? id,
        type: type === 'number' || type === 'boolean' || type === 'select' ? type : 'string',
        required: fields['required'] !== false,
        description: optionalString(fields['description']) ?? '',
        options: scalars(fields['options'], [...at, 'options'], report),
        default_value: fields['default_value'] as Json | undefined,
        at,
      };
    },
  );
}
