import { isRecord, type Path } from '@dramaturg/compiler';
import { fieldsWithoutMeaning, type Report } from '@dramaturg/compiler/format';
import { didYouMean, nearestName, quotedList } from '@dramaturg/compiler/text';
import { readOnEnd } from '@dramaturg/conversation';
import {
  type ContextGraphOptions,
  type Graph,
  graphFields,
  isBareState,
  isStateType,
  type State,
  type StateType,
  stateTypes,
} from '../definition.ts';
import { error, info } from '../problems.ts';
import { Reader, readers } from './reader.ts';
import { resolveReferences, type Resolving } from './references.ts';

/**
 * Brings a graph of any dialect into one spelling and fills in the defaults. It never fails: a part of a
 * wrong shape is left out (the shape check reports it), so that rules can check the rest. Referenced graphs are normalised along with it.
 * Spec: docs/formats/context-graph.md#spellings
 */
export function normalise(value: unknown, report: Report, options: ContextGraphOptions): Graph {
  const resolving = { options, normalise: normaliseGraph, open: [], done: new Map() };
  return normaliseGraph(value, report, resolving);
}

const bareState = error('bare-state', () => ({
  message:
    'This is a state without a graph around it, so a conversation has no beginning and no end.',
  hint: 'Put it into "states" of a graph with "new_user_initial_state", "returning_user_initial_state" and "terminal_state".',
}));

function normaliseGraph(value: unknown, report: Report, resolving: Resolving): Graph {
  const isBare = isBareState(value);
  if (isBare) report(bareState(), []);
  const fields = isRecord(value) && !isBare ? value : {};
  const reader = new Reader(fields, [], report);
  reportUnknownFields(fields, fieldsOfGraph, 'a context graph', [], report);
  const placed = placedStates(fields['states'], report);
  const { references } = fields;
  return {
    name: reader.optional('name') || 'context-graph',
    description: reader.optional('description'),
    new_user_initial_state: reader.text('new_user_initial_state'),
    returning_user_initial_state: reader.text('returning_user_initial_state'),
    terminal_state: reader.text('terminal_state'),
    references: resolveReferences(references, resolving),
    areReferencesRead: references === undefined || references === null || isRecord(references),
    global_intra_state_navigation_guidelines: reader.texts(
      'global_intra_state_navigation_guidelines',
    ),
    global_action_guidelines: reader.texts('global_action_guidelines'),
    global_boundary_constraints: reader.texts('global_boundary_constraints'),
    topology_description: reader.optional('topology_description'),
    on_end: readOnEnd(fields['on_end']),
    states: placed.map((state) => readState(state, resolving.options, report)),
    hasNameless:
      Array.isArray(fields['states']) &&
      (fields['states'].length > placed.length || placed.some(({ name }) => name === '')),
    otherNames: placed.flatMap(({ fields: { name: own }, name }) =>
      typeof own === 'string' && own.trim() !== name ? [own.trim()] : [],
    ),
    isBare,
  };
}

interface PlacedState {
  readonly fields: Record<string, unknown>;
  readonly name: string;
  readonly at: Path;
  readonly nameAt: Path;
}

const nameMismatch = error('name-mismatch', (key: string, name: string) => ({
  message: `The state has the key "${key}" and the name "${name}".`,
  hint: 'Remove "name": the key is the name.',
}));

/** The states of a list, each with its name, or of an object keyed by name. */
function placedStates(states: unknown, report: Report): PlacedState[] {
  if (Array.isArray(states)) {
    return states.flatMap((fields: unknown, index) => {
      if (!isRecord(fields)) return [];
      const at = ['states', index];
      reportMissingFields(
        fields,
        ['name', 'type'].filter((field) => fields[field] === undefined),
        'state',
        at,
        report,
      );
      const reader = new Reader(fields, at, report);
      return [{ fields, name: reader.text('name'), at, nameAt: [...at, 'name'] }];
    });
  }
  if (!isRecord(states)) return [];
  return Object.entries(states).flatMap(([key, fields]) => {
    const at = ['states', key];
    if (!isRecord(fields)) return [{ fields: {}, name: key, at, nameAt: at }];
    if (fields['type'] === undefined) reportMissingFields(fields, ['type'], 'state', at, report);
    const { name } = fields;
    if (typeof name === 'string' && name.trim() !== key)
      report(nameMismatch(key, name), [...at, 'name'], { topic: 'keys' });
    return [{ fields, name: key, at, nameAt: at }];
  });
}

function readState(
  { fields, name, at, nameAt }: PlacedState,
  { profile }: ContextGraphOptions,
  report: Report,
): State {
  const type = readType(fields, at, report);
  const reader = new Reader(fields, at, report);
  const place = { name, at, nameAt };
  if (type === undefined) return replacement(reader, place);
  const { required, lenient = [], optional } = fieldsOf[type];
  const needed = profile === 'lenient' ? required : [...required, ...lenient];
  const missing = needed.filter((field) => fields[field] === undefined);
  reportMissingFields(fields, missing, `${type} state`, at, report);
  const known = [...required, ...lenient, ...optional];
  reportUnknownFields(fields, known, `a state of type ${type}`, at, report);
  const read = known.flatMap((field) => (field in readers ? [[field, reader.read(field)]] : []));
  return { type, ...place, ...Object.fromEntries(read) };
}

const unsupportedType = error('unsupported-type', (type: string) => ({
  message: `The state type "${type}" is not supported.`,
  hint: () =>
    didYouMean(type, stateTypes) ??
    `The types are ${stateTypes.map((one) => `"${one}"`).join(', ')}.`,
}));

function readType(
  fields: Record<string, unknown>,
  at: Path,
  report: Report,
): StateType | undefined {
  const written = fields['type'];
  if (isStateType(written)) return written;
  if (typeof written === 'string') report(unsupportedType(written), [...at, 'type']);
  return undefined;
}

/** Replaces a state of an unknown type. It keeps its targets, so that rules can check the rest. */
function replacement(reader: Reader, place: Pick<State, 'name' | 'at' | 'nameAt'>): State {
  const exits = reader.exits('exit_conditions');
  return exits.length > 0
    ? {
        type: 'decision',
        ...place,
        objective: '',
        decision_guidelines: [],
        exit_conditions: exits,
        tool_call_specs: [],
      }
    : {
        type: 'annotation',
        ...place,
        inner_thought: '',
        next_state: reader.target('next_state') ?? reader.target('on_complete'),
      };
}

const missingField = error('missing-field', (what: string, fields: readonly string[]) => ({
  message: `This ${what} has no ${quotedList(fields, 'or')}.`,
  hint: fields.every((field) => listFields.has(field))
    ? `Write ${fields.map((field) => `"${field}": []`).join(' and ')} if there are none, or compile with the option profile=lenient.`
    : `Add ${quotedList(fields)}.`,
}));

const listFields = new Set([
  'intra_state_navigation_guidelines',
  'action_guidelines',
  'boundary_constraints',
  'exit_conditions',
]);

/** Reports all missing fields of a state in one finding. The shape check reports misspelt fields. */
function reportMissingFields(
  fields: Record<string, unknown>,
  missing: readonly string[],
  what: string,
  at: Path,
  report: Report,
): void {
  const isMisspelt = (field: string) =>
    Object.keys(fields).some((key) => nearestName(key, [field]) !== undefined);
  const lost = missing.filter((field) => !isMisspelt(field));
  const groups = [...missing.filter(isMisspelt).map((field) => [field]), lost];
  for (const group of groups) {
    if (group.length === 0) continue;
    const about = group.map((field) => [...at, field]);
    report(missingField(what, group), at, { about });
  }
}

const unknownField = info('unknown-field', (what: string, field: string) => ({
  message: `The field "${field}" has no meaning in ${what} and is ignored.`,
}));

/** Reports fields of other dialects, which are left out of the chart. The shape check reports misspelt fields. */
function reportUnknownFields(
  fields: Record<string, unknown>,
  known: readonly string[],
  what: string,
  at: Path,
  report: Report,
): void {
  for (const field of fieldsWithoutMeaning(fields, known))
    report(unknownField(what, field), [...at, field], { at: 'key' });
}

/** The fields of a type of state. Spec: docs/formats/context-graph.md#states */
interface Fields {
  readonly required: readonly string[];
  /** Required by the seed. The profile `lenient` reads missing ones as empty. */
  readonly lenient?: readonly string[];
  readonly optional: readonly string[];
}

const fieldsOfGraph = [...Object.keys(graphFields), 'states'];

const named = ['type', 'name'];

/** The fields of a state with a single exit. */
const passing = [...named, 'outcome', 'reason'];

const voiced = ['audio_fillers', 'audio_filler_triggered_after'];

const fieldsOf: Readonly<Record<StateType, Fields>> = {
  action: {
    required: ['objective'],
    lenient: [
      'intra_state_navigation_guidelines',
      'action_guidelines',
      'boundary_constraints',
      'exit_conditions',
    ],
    optional: [
      ...named,
      // Another rule checks that there is at least one.
      'actions',
      'action_tool_call_specs',
      'exit_condition_tool_call_specs',
      'skip_active_memory_retrieval',
    ],
  },
  decision: {
    required: ['objective'],
    optional: [
      ...named,
      // Another rule checks that there is at least one.
      'exit_conditions',
      'decision_guidelines',
      'tool_call_specs',
      ...voiced,
    ],
  },
  reflection: {
    required: ['problem', 'next_state'],
    optional: [...passing, 'word_limit', 'tool_call_specs', ...voiced],
  },
  recall: {
    required: ['next_state'],
    optional: [...passing, 'queries', 'requested_information'],
  },
  annotation: { required: ['inner_thought', 'next_state'], optional: passing },
  'side-effect': { required: ['side_effect', 'next_state'], optional: passing },
  'tool-call': {
    required: [
      'designated_tool',
      'designated_tool_call_objective',
      'designated_tool_call_context',
      'next_state',
    ],
    optional: [
      ...passing,
      'designated_tool_call_guidances',
      'designated_tool_call_validations',
      'designated_tool_call_params_generation_audio_fillers',
      'designated_tool_call_params_generation_audio_filler_triggered_after',
      'tool_call_specs',
    ],
  },
};
