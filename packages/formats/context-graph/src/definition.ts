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
  own,
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

/** A rule that looks at each state of a type by itself. */
export function eachState<Type extends StateType>(
  type: Type,
  check: (state: StateOf<Type>, subject: Parameters<GraphRule>[0]) => void,
): GraphRule {
  return (subject) => {
    for (const state of subject.definition.states)
      if (state.type === type) check(state as unknown as StateOf<Type>, subject);
  };
}

/** A graph in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export type Graph = ReadBy<typeof readGraph>;

export type State = { [Type in StateType]: StateOf<Type> }[StateType];
export type ActionState = StateOf<'action'>;
export type DecisionState = StateOf<'decision'>;

/** A state has the fields of its type. */
type StateOf<Type extends StateType> = PlaceOfState & { readonly type: Type } & {
  readonly [
    Name in keyof ReadFields as Type extends Rows[Name][number] ? Name : never
  ]: ReadFields[Name];
};

type Rows = typeof fieldsOfStates;

interface PlaceOfState {
  readonly name: string;
  readonly at: Path;
  /** Where the name is written; it is a key when `states` is keyed. */
  readonly nameAt: Path;
}

/** The fields of states as they are read. */
export type ReadFields = {
  readonly [Name in keyof Rows]: ReturnType<Rows[Name][0]>;
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
  const authored = states.flatMap(targetsOf).flatMap(({ outcome }) => outcome ?? []);
  const others = references.flatMap(({ graph }) => (graph ? outcomesOf(graph) : []));
  return [...new Set([...usualOutcomes, ...authored, ...others])];
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
      const shownName = shown(state, 'name');
      return state.optional('name') !== undefined && shownName !== name ? [shownName] : [];
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
  const has = (types: readonly string[]) => types.includes(type);
  const rows = Object.entries(fieldsOfStates).filter(([, [, , ...types]]) => has(types));
  const needed = (wanted: string) =>
    rows.flatMap(([field, [, need]]) => (need === wanted ? field : []));
  const listed = type === 'action' && profile !== 'lenient' ? needed('listed') : [];
  reportMissingFields(fields, [...needed('required'), ...listed], `${type} state`);
  const unread = Object.keys(unreadFields).filter((field) => has(unreadFields[field]!));
  const known = [...rows.map(([field]) => field), ...unread];
  reportUnknownFields(fields, known, `a state of type ${type}`);
  const read = rows.map(([field, [reader]]) => [field, reader(fields, field)]);
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
  hint: fields.every((field) => own(fieldsOfStates, field)?.[1] === 'listed')
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

const fieldsOfGraph = [...Object.keys(graphFields), 'states'];

const asFlag = (fields: Fields, name: string) => fields.values[name] === true;
const asNumber = (fields: Fields, name: string) => fields.number(name);
const asObject = (fields: Fields, name: string) => fields.within(name).values as JsonObject;
const asTool = (fields: Fields, name: string) => readTool(fields.within(name));

/** The types of states with a single exit. */
const passing = ['reflection', 'recall', 'annotation', 'side-effect', 'tool-call'] as const;
const voiced = ['decision', 'reflection'];

/**
 * How each field of states is read, whether it is needed, and the types that have it. The seed needs the listed fields of action states, and
 * the profile `lenient` reads missing ones as empty. A field of a wrong shape is left out: the shape check reports it. Other rules check that
 * there are actions and exits. Spec: docs/formats/context-graph.md#states
 */
const fieldsOfStates = {
  objective: [asText, 'required', 'action', 'decision'],
  actions: [asActions, 'optional', 'action'],
  decision_guidelines: [asTexts, 'optional', 'decision'],
  intra_state_navigation_guidelines: [asTexts, 'listed', 'action'],
  action_guidelines: [asTexts, 'listed', 'action'],
  boundary_constraints: [asTexts, 'listed', 'action'],
  exit_conditions: [asExits, 'listed', 'action', 'decision'],
  action_tool_call_specs: [asTools, 'optional', 'action'],
  exit_condition_tool_call_specs: [asTools, 'optional', 'action'],
  skip_active_memory_retrieval: [asFlag, 'optional', 'action'],
  problem: [asText, 'required', 'reflection'],
  word_limit: [asNumber, 'optional', 'reflection'],
  queries: [asTexts, 'optional', 'recall'],
  requested_information: [shown, 'optional', 'recall'],
  inner_thought: [asText, 'required', 'annotation'],
  side_effect: [asObject, 'required', 'side-effect'],
  designated_tool: [asTool, 'required', 'tool-call'],
  designated_tool_call_objective: [asText, 'required', 'tool-call'],
  designated_tool_call_context: [asText, 'required', 'tool-call'],
  designated_tool_call_guidances: [asTexts, 'optional', 'tool-call'],
  designated_tool_call_validations: [asTexts, 'optional', 'tool-call'],
  tool_call_specs: [asTools, 'optional', 'decision', 'reflection', 'tool-call'],
  next_state: [asTarget, 'required', ...passing],
} as const;

/** Fields of states that have no effect, or are read with a target, and the types that have them. */
const unreadFields: Readonly<Record<string, readonly string[]>> = {
  type: stateTypes,
  name: stateTypes,
  outcome: passing,
  reason: passing,
  audio_fillers: voiced,
  audio_filler_triggered_after: voiced,
  designated_tool_call_params_generation_audio_fillers: ['tool-call'],
  designated_tool_call_params_generation_audio_filler_triggered_after: ['tool-call'],
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
