import { isRecord, type JsonObject, type Path } from '@dramaturg/compiler';
import {
  fieldsWithoutMeaning,
  type Problem,
  type Report,
  type Rule,
} from '@dramaturg/compiler/format';
import { didYouMean, nearestName, quotedList } from '@dramaturg/compiler/text';
import {
  Fields,
  isOtherTarget,
  type OtherTarget,
  type ReadBy,
  readOnEnd,
  usualOutcomes,
} from '@dramaturg/conversation';
import { error, info } from './problems.ts';
import {
  type ContextGraphOptions,
  graphFields,
  isBareState,
  isStateType,
  type StateType,
  stateTypes,
} from './shape.ts';

/** A rule of meaning for context graphs. */
export type GraphRule = Rule<Graph, ContextGraphOptions>;

/** A graph in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export type Graph = ReadBy<typeof readGraph>;

export type State = { [Type in StateType]: StateOf<Type> }[StateType];
export type ActionState = StateOf<'action'>;
export type DecisionState = StateOf<'decision'>;

/** A state has the fields of its type. */
type StateOf<Type extends StateType> = PlaceOfState & { readonly type: Type } & Pick<
    ReadFields,
    keyof ReadFields & NamesIn<(typeof fieldsOf)[Type]>
  >;

type NamesIn<Lists> =
  Lists extends Readonly<Record<string, readonly (infer Name)[]>> ? Name : never;

interface PlaceOfState {
  readonly name: string;
  readonly at: Path;
  /** Where the name is written; it is a key when `states` is keyed. */
  readonly nameAt: Path;
}

/** The fields of states as they are read. */
export type ReadFields = {
  readonly [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]>;
};

export interface GraphReference {
  readonly name: string;
  readonly id: string;
  readonly version: number;
  /** The graph itself, if it was given. */
  readonly graph: Graph | undefined;
  /** The problems of its text. They have no paths, because they are in another text. */
  readonly problems: readonly Problem[];
  /** Other versions of the graph that were given. */
  readonly otherVersions: readonly string[];
  /** Why it was not resolved although it was given: it leads back to a graph that enters it, or is nested too deeply. */
  readonly refused: 'cycle' | 'too deep' | undefined;
  readonly at: Path;
}

/** Where `next_state` leads. */
export type Target = OtherTarget & { readonly at: Path } & (
    | { readonly kind: 'state'; readonly state: string }
    /** Leads into another graph, and to `jumpback` once that graph's terminal state is reached. */
    | {
        readonly kind: 'call';
        readonly reference: string;
        readonly state: string;
        readonly jumpback: string;
      }
    /** The end, a person, or the beginning. */
    | { readonly kind: 'other'; readonly target: string }
    | { readonly kind: 'malformed' }
  );

export type ExitCondition = ReturnType<typeof readExit>;
export type ToolCallSpec = NonNullable<ReturnType<typeof readTool>>;

/** The outcomes of a graph: those of every conversation, and its author's own. */
export function outcomesOf({ states, references }: Graph): string[] {
  const own = states.flatMap(targetsOf).flatMap(({ outcome }) => outcome ?? []);
  const others = references.flatMap(({ graph }) => (graph ? outcomesOf(graph) : []));
  return [...new Set([...usualOutcomes, ...own, ...others])];
}

/** The exits of a state: its conditions, or its single exit. */
export function targetsOf(state: State): readonly Target[] {
  const written = 'exit_conditions' in state ? state.exit_conditions : [state];
  return written.flatMap(({ next_state: target }) => target ?? []);
}

/** The tools of a state, by their lists. */
export function toolsOf(state: State): Readonly<Record<string, readonly ToolCallSpec[]>> {
  const fields: Partial<ReadFields> = state;
  return {
    action_tools: fields.action_tool_call_specs ?? [],
    exit_tools: fields.exit_condition_tool_call_specs ?? [],
    tools: fields.tool_call_specs ?? [],
    designated: fields.designated_tool ? [fields.designated_tool] : [],
  };
}

/**
 * Brings a graph of any dialect into one spelling and fills in the defaults. It never fails: a part of a
 * wrong shape is left out (the shape check reports it), so that rules can check the rest. Referenced graphs are normalised along with it.
 * Spec: docs/formats/context-graph.md#spellings
 */
export function normalise(value: unknown, report: Report, options: ContextGraphOptions): Graph {
  return readGraph(value, report, { options, open: [], done: new Map() });
}

const bareState = error('bare-state', () => ({
  message:
    'This is a state without a graph around it, so a conversation has no beginning and no end.',
  hint: 'Put it into "states" of a graph with "new_user_initial_state", "returning_user_initial_state" and "terminal_state".',
}));

function readGraph(value: unknown, report: Report, resolving: Resolving) {
  const isBare = isBareState(value);
  if (isBare) report(bareState(), []);
  const fields = new Fields(isBare ? {} : value, [], { report });
  reportUnknownFields(fields, fieldsOfGraph, 'a context graph');
  const { states: written, references, on_end } = fields.values;
  const placed = placedStates(fields);
  const states: readonly State[] = placed.map((state) => readState(state, resolving.options));
  return {
    name: shown(fields, 'name') || 'context-graph',
    description: shown(fields, 'description'),
    new_user_initial_state: asText(fields, 'new_user_initial_state'),
    returning_user_initial_state: asText(fields, 'returning_user_initial_state'),
    terminal_state: asText(fields, 'terminal_state'),
    references: resolveReferences(references, resolving),
    /** False when "references" is not an object, so that the references are unknown. */
    areReferencesRead: references === undefined || references === null || isRecord(references),
    global_intra_state_navigation_guidelines: asTexts(
      fields,
      'global_intra_state_navigation_guidelines',
    ),
    global_action_guidelines: asTexts(fields, 'global_action_guidelines'),
    global_boundary_constraints: asTexts(fields, 'global_boundary_constraints'),
    /** The author's own map, shown to models instead of the rendered one. */
    topology_description: shown(fields, 'topology_description'),
    on_end: readOnEnd(on_end),
    states,
    /** Some states have unreadable names, which is reported. */
    hasNameless:
      Array.isArray(written) &&
      (written.length > placed.length || placed.some(({ name }) => name === '')),
    /** Names of states that have another key; this is reported. */
    otherNames: placed.flatMap(({ fields: state, name }) => {
      const own = shown(state, 'name');
      return state.optional('name') !== undefined && own !== name ? [own] : [];
    }),
    /** The text is one state without a graph. This is then the only finding. */
    isBare,
  };
}

interface PlacedState {
  readonly fields: Fields;
  readonly name: string;
  readonly nameAt: Path;
}

const nameMismatch = error('name-mismatch', (key: string, name: string) => ({
  message: `The state has the key "${key}" and the name "${name}".`,
  hint: 'Remove "name": the key is the name.',
}));

/** The states of a list, each with its name, or of an object keyed by name. */
function placedStates(graph: Fields): PlacedState[] {
  const { states } = graph.values;
  if (Array.isArray(states)) {
    return graph.list('states', Infinity).map((fields) => {
      reportMissingFields(fields, ['name', 'type'], 'state');
      return { fields, name: asText(fields, 'name'), nameAt: fields.path('name') };
    });
  }
  if (!isRecord(states)) return [];
  return Object.keys(states).map((key) => {
    const fields = graph.within('states').within(key);
    if (isRecord(states[key])) reportMissingFields(fields, ['type'], 'state');
    const name = fields.optional('name');
    if (name !== undefined && name.trim() !== key)
      fields.report(nameMismatch(key, name), 'name', { topic: 'keys' });
    return { fields, name: key, nameAt: fields.at };
  });
}

function readState({ fields, name, nameAt }: PlacedState, { profile }: ContextGraphOptions): State {
  const type = readType(fields);
  const place = { name, at: fields.at, nameAt };
  if (type === undefined) return replacement(fields, place);
  const { required, lenient = [], optional }: FieldsOfType = fieldsOf[type];
  const needed = profile === 'lenient' ? required : [...required, ...lenient];
  reportMissingFields(fields, needed, `${type} state`);
  const known = [...required, ...lenient, ...optional];
  reportUnknownFields(fields, known, `a state of type ${type}`);
  const read = Object.entries(readers).flatMap(([field, reader]) =>
    known.includes(field) ? [[field, reader(fields, field)]] : [],
  );
  return { type, ...place, ...Object.fromEntries(read) } as State;
}

const unsupportedType = error('unsupported-type', (type: string) => ({
  message: `The state type "${type}" is not supported.`,
  hint: () =>
    didYouMean(type, stateTypes) ??
    `The types are ${stateTypes.map((one) => `"${one}"`).join(', ')}.`,
}));

function readType(fields: Fields): StateType | undefined {
  const { type } = fields.values;
  if (isStateType(type)) return type;
  if (typeof type === 'string') fields.report(unsupportedType(type), 'type');
  return undefined;
}

/** Replaces a state of an unknown type. It keeps its targets, so that rules can check the rest. */
function replacement(fields: Fields, place: PlaceOfState): State {
  const exit_conditions = asExits(fields, 'exit_conditions');
  const [objective, inner_thought] = ['', ''];
  const next_state = asTarget(fields, 'next_state') ?? asTarget(fields, 'on_complete');
  return exit_conditions.length > 0
    ? {
        type: 'decision',
        ...place,
        objective,
        decision_guidelines: [],
        exit_conditions,
        tool_call_specs: [],
      }
    : { type: 'annotation', ...place, inner_thought, next_state };
}

const missingField = error('missing-field', (what: string, fields: readonly string[]) => ({
  message: `This ${what} has no ${quotedList(fields, 'or')}.`,
  hint: fields.every((field) => (listFields as readonly string[]).includes(field))
    ? `Write ${fields.map((field) => `"${field}": []`).join(' and ')} if there are none, or compile with the option profile=lenient.`
    : `Add ${quotedList(fields)}.`,
}));

/** Reports all missing fields of a state in one finding. The shape check reports misspelt fields. */
function reportMissingFields(fields: Fields, needed: readonly string[], what: string): void {
  const missing = needed.filter((field) => fields.values[field] === undefined);
  const isMisspelt = (field: string) =>
    Object.keys(fields.values).some((key) => nearestName(key, [field]) !== undefined);
  const lost = missing.filter((field) => !isMisspelt(field));
  const groups = [...missing.filter(isMisspelt).map((field) => [field]), lost];
  for (const group of groups)
    if (group.length > 0)
      fields.report(missingField(what, group), [], {
        about: group.map((field) => fields.path(field)),
      });
}

const unknownField = info('unknown-field', (what: string, field: string) => ({
  message: `The field "${field}" has no meaning in ${what} and is ignored.`,
}));

/** Reports fields of other dialects, which are left out of the chart. The shape check reports misspelt fields. */
function reportUnknownFields(fields: Fields, known: readonly string[], what: string): void {
  for (const field of fieldsWithoutMeaning(fields.values, known))
    fields.report(unknownField(what, field), field, { at: 'key' });
}

/** The fields of a type of state. Spec: docs/formats/context-graph.md#states */
interface FieldsOfType {
  readonly required: readonly string[];
  /** Required by the seed. The profile `lenient` reads missing ones as empty. */
  readonly lenient?: readonly string[];
  readonly optional: readonly string[];
}

const fieldsOfGraph = [...Object.keys(graphFields), 'states'];

const named = ['type', 'name'] as const;

/** The fields of a state with a single exit. */
const passing = [...named, 'outcome', 'reason'] as const;

const voiced = ['audio_fillers', 'audio_filler_triggered_after'] as const;

const listFields = [
  'intra_state_navigation_guidelines',
  'action_guidelines',
  'boundary_constraints',
  'exit_conditions',
] as const;

const fieldsOf = {
  action: {
    required: ['objective'],
    lenient: listFields,
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
} as const satisfies Record<StateType, FieldsOfType>;

/** How each field of a state is read. A field of a wrong shape is left out: the shape check reports it. */
const readers = {
  objective: asText,
  actions: asActions,
  decision_guidelines: asTexts,
  exit_conditions: asExits,
  intra_state_navigation_guidelines: asTexts,
  action_guidelines: asTexts,
  boundary_constraints: asTexts,
  action_tool_call_specs: asTools,
  exit_condition_tool_call_specs: asTools,
  skip_active_memory_retrieval: (fields: Fields, name: string) => fields.values[name] === true,
  problem: asText,
  word_limit: (fields: Fields, name: string) => fields.number(name),
  queries: asTexts,
  requested_information: shown,
  inner_thought: asText,
  side_effect: (fields: Fields, name: string) => fields.within(name).values as JsonObject,
  designated_tool: (fields: Fields, name: string) => readTool(fields.within(name)),
  designated_tool_call_objective: asText,
  designated_tool_call_context: asText,
  designated_tool_call_guidances: asTexts,
  designated_tool_call_validations: asTexts,
  tool_call_specs: asTools,
  next_state: asTarget,
};

const blankText = error('blank-text', (what: string) => ({
  message: `This ${what} is blank.`,
  hint: 'Write a text, or remove it if it is optional.',
}));

/** A trimmed text that must not be blank; undefined when the value is not a text. */
function trimmed(fields: Fields, value: unknown, what: string, ...at: Path): string | undefined {
  const text = typeof value === 'string' ? value.trim() : undefined;
  if (text === '') fields.report(blankText(what), at);
  return text;
}

function asText(fields: Fields, name: string): string {
  return trimmed(fields, fields.values[name], name, name) ?? '';
}

/** A trimmed text that may be absent or blank. */
function shown(fields: Fields, name: string): string {
  return fields.text(name).trim();
}

function itemsOf(fields: Fields, name: string): readonly unknown[] {
  const { [name]: list } = fields.values;
  return Array.isArray(list) ? list : [];
}

function asTexts(fields: Fields, name: string): readonly string[] {
  return itemsOf(fields, name).flatMap(
    (value, index) => trimmed(fields, value, 'text', name, index) ?? [],
  );
}

/** Actions are strings; in the platform's dialect objects with a `description`. */
function asActions(fields: Fields, name: string): readonly string[] {
  return itemsOf(fields, name).flatMap((value, index) => {
    if (!isRecord(value)) return trimmed(fields, value, 'action', name, index) ?? [];
    const { description } = value;
    return trimmed(fields, description, 'description', name, index, 'description') ?? [];
  });
}

function asExits(fields: Fields, name: string): readonly ExitCondition[] {
  return fields.items(name).map(readExit);
}

function readExit(fields: Fields) {
  return {
    description: asText(fields, 'description'),
    next_state: asTarget(fields, 'next_state'),
    at: fields.at,
  };
}

/** Spec: docs/formats/context-graph.md#targets */
function asTarget(fields: Fields, name: string): Target | undefined {
  const { [name]: value } = fields.values;
  const place = {
    at: fields.path(name),
    outcome: shown(fields, 'outcome') || undefined,
    reason: shown(fields, 'reason') || undefined,
  };
  if (typeof value === 'string') {
    const target = value.trim();
    return isOtherTarget(target)
      ? { kind: 'other', target, ...place }
      : { kind: 'state', state: target, ...place };
  }
  if (!Array.isArray(value)) return undefined;
  const [entry, jumpback]: unknown[] = value;
  const entered = typeof entry === 'string' ? /^(\w+)\.(\w+)$/.exec(entry.trim()) : null;
  if (value.length !== 2 || entered === null || typeof jumpback !== 'string')
    return { kind: 'malformed', ...place };
  const [, reference, state] = entered as unknown as [string, string, string];
  return { kind: 'call', reference, state, jumpback: jumpback.trim(), ...place };
}

function asTools(fields: Fields, name: string): readonly ToolCallSpec[] {
  return fields.items(name).flatMap((tool) => readTool(tool) ?? []);
}

function readTool(fields: Fields) {
  if (fields.optional('tool_id') === undefined) return undefined;
  return {
    tool_id: shown(fields, 'tool_id'),
    version_constraint: shown(fields, 'version_constraint'),
    additional_instruction: shown(fields, 'additional_instruction'),
    // Graphs from before this field kept no tool results.
    result_persistence:
      fields.word('result_persistence', 'persisted', 'persisted-preferred') ??
      ('ephemeral' as const),
    at: fields.at,
  };
}

/** The state of resolving references: the graphs that were given, and those being resolved. */
interface Resolving {
  readonly options: ContextGraphOptions;
  /** Keys of the graphs on the path from the root to this one. */
  readonly open: readonly string[];
  /** Graphs by key: a graph that is referenced twice is resolved once. */
  readonly done: Map<string, Pick<GraphReference, 'graph' | 'problems'>>;
}

/** The most levels of references. A graph can only name versions that exist, so real graphs have few levels. */
export const deepestReference = 16;

/**
 * Resolves the references of a graph among the given graphs: by `id@version`, else by id, else by the reference's name.
 * Where two graphs use one name for different graphs, ids tell them apart. Spec: docs/formats/context-graph.md#references
 */
function resolveReferences(value: unknown, resolving: Resolving): readonly GraphReference[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([name, pinned]) => {
    const [id, version]: unknown[] = Array.isArray(pinned) ? pinned : [];
    return resolve(
      {
        name,
        id: typeof id === 'string' ? id : '',
        version: typeof version === 'number' ? version : 0,
        at: ['references', name],
      },
      resolving,
    );
  });
}

function resolve(
  pinned: Pick<GraphReference, 'name' | 'id' | 'version' | 'at'>,
  resolving: Resolving,
): GraphReference {
  const { open, done } = resolving;
  const { graphs } = resolving.options;
  const { name, id, version } = pinned;
  const otherVersions = Object.keys(graphs).filter((key) => key.startsWith(`${id}@`));
  const unresolved = {
    ...pinned,
    graph: undefined,
    problems: [],
    otherVersions,
    refused: undefined,
  };
  // A graph that is given by version must match the version.
  const keys = otherVersions.length > 0 ? [`${id}@${version}`] : [id, name];
  const key = keys.find((one) => Object.hasOwn(graphs, one));
  if (key === undefined) return unresolved;
  if (open.includes(key)) return { ...unresolved, refused: 'cycle' };
  if (open.length >= deepestReference) return { ...unresolved, refused: 'too deep' };
  let resolved = done.get(key);
  if (!resolved) {
    const problems: Problem[] = [];
    const report: Report = (problem) => problems.push(problem);
    const graph: Graph = readGraph(graphs[key], report, { ...resolving, open: [...open, key] });
    resolved = { graph, problems };
    done.set(key, resolved);
  }
  return { ...unresolved, ...resolved };
}
