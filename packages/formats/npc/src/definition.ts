import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { Report, Rule } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import { end, Fields, fieldsOf, type ReadBy, readOnEnd, readWord } from '@dramaturg/conversation';
import { error, info } from './problems.ts';
import { type Layout, layoutOf, type NpcOptions } from './shape.ts';

/** A rule of meaning for NPC scenarios. */
export type NpcRule = Rule<Npc, NpcOptions>;

/** A rule that looks at each scenario by itself. */
export function eachScenario(check: (scenario: Scenario, report: Report) => void): NpcRule {
  return ({ definition, report }) => {
    for (const each of definition.scenarios) check(each, report);
  };
}

/** A definition in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export type Npc = ReadBy<typeof normalise>;
export type Persona = ReadBy<typeof readPersona>;
export type Variable = ReadBy<typeof readVariable>;
export type Scenario = ReadBy<typeof readScenario>;
export type OutputVariable = ReadBy<typeof readOutputVariable>;
export type State = ReadBy<typeof readState>;
export type Transition = ReadBy<typeof readTransition>;
export type MachineLink = ReadBy<typeof readLink>;
export type ScoringMode = 'scoring' | 'pass_fail';

/** The fields of a scenario that become part of prompts. */
export const promptFields = [
  'creator_objective',
  'creator_win_condition',
  'creator_lose_condition',
  'chat_system_prompt',
  'system_evaluation_prompt',
  'system_summarization_prompt',
] as const;
export type Prompts = Readonly<Record<(typeof promptFields)[number], string>>;

export const decisions = ['pass', 'redirect', 'reject', 'kick_out'] as const;
export type Decision = (typeof decisions)[number];

/** The verdicts of an evaluator on a message: a decision, or a follow-up question. */
export const verdicts = [...decisions, 'follow_up'] as const;
export type Verdict = (typeof verdicts)[number];

/** One string per verdict: when to give it. */
export type Criteria = Readonly<Partial<Record<Verdict, string>>>;

export const outcomes = ['ACCEPT', 'REJECT', 'KICK_OUT'] as const;
export type Outcome = (typeof outcomes)[number];

export type LinkCondition =
  | { readonly type: 'outcome'; readonly value: Outcome }
  | { readonly type: 'score_gte' | 'score_lte'; readonly value: number }
  | { readonly type: 'always' };

/** A part of a definition as it is stored in a node of the chart: without paths and empty strings. */
export function withoutPlaces(part: object): JsonObject {
  return JSON.parse(
    JSON.stringify(part, (key, value: unknown) =>
      key === 'at' || value === '' ? undefined : value,
    ),
  ) as JsonObject;
}

/** The engine's own state. Its name is reserved. */
export const followUp = 'follow_up';

/** Whether a scenario has an end of its own: a terminal state, or a transition to `__end__`. */
export function hasEnd({ states, transitions }: Pick<Scenario, 'states' | 'transitions'>): boolean {
  const leadsToEnd = transitions.some(({ to_state_key }) => to_state_key === end);
  return leadsToEnd || states.some((state) => state.is_terminal_state);
}

const tooMany = error('too-many', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Leave out what is not needed, or split the scenario.',
}));

/**
 * Brings a definition of any layout into one spelling and fills in the defaults. It never fails: a part
 * of a wrong shape is left out (the shape check reports it), so that rules can check the rest. Spec: docs/formats/npc.md#layouts
 */
export function normalise(value: unknown, report: Report) {
  const root = new Fields(value, [], { report, tooMany });
  const { machines, scenarios: listed } = root.values;
  const layout = layoutOf(value);
  const field = machines === undefined && listed ? 'scenarios' : 'machines';
  const hasScenarios = layout === 'envelope' || layout === 'persona';
  const scenarios: readonly Scenario[] = hasScenarios
    ? root.list(field).map((one) => readScenario(one))
    : [readBare(value, root, layout, report)];
  const machine_links: readonly MachineLink[] = root
    .list('machine_links')
    .filter(having('source_machine_key', 'target_machine_key'))
    .map(readLink);
  const variables: readonly Variable[] = root.list('variables').map(readVariable);
  return {
    scenarios,
    persona: readPersona(root, layout),
    /** The path of the scenarios. */
    scenariosAt: Object.hasOwn(root.values, field) ? [field] : [],
    machine_links,
    /** Values that prompts may use before any scenario has provided them. */
    variables,
  };
}

function readVariable(fields: Fields) {
  return { key: fields.text('key'), value: fields.optional('value'), at: fields.at };
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
function readPersona(root: Fields, layout: Layout) {
  const around = layout === 'envelope' || layout === 'persona' ? root : root.with({});
  const fields = root.record('persona') ?? around;
  const persona = fields.texts('name', 'description', 'persona_identity_prompt');
  const isMissing = persona.name === '' && persona.persona_identity_prompt === '';
  // For bare states, `bare-states` already reports it.
  const isBare = layout === 'states' || layout === 'state';
  if (!isBare && isMissing) root.report(noPersona(), []);
  return { ...persona, at: fields.at };
}

function readLink(fields: Fields) {
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

const bareStates = info('bare-states', () => ({
  message:
    'These are states without a persona or a scenario around them. They are compiled as a scenario in pass/fail mode.',
  hint: 'Write { "persona": {...}, "machine_key": ..., "states": [...], "transitions": [...] } to add a persona and transitions.',
}));

const assumedInitialState = info('assumed-initial-state', (key: string) => ({
  message: `No state is initial, so the conversation begins in the first one, "${key}".`,
  hint: 'Set "is_initial_state": true in the state where the conversation begins.',
}));

const assumedEnd = info('assumed-end', () => ({
  message: 'No state is terminal, so a last state is added in which the NPC says goodbye.',
  hint: 'Set "is_terminal_state": true in the state that ends the conversation.',
}));

const assumedTransitions = info('assumed-transitions', () => ({
  message: 'There are no transitions, so a pass leads from each state to the next one in the list.',
  hint: 'Write "transitions" to choose the order yourself.',
}));

/**
 * Makes a scenario of bare states, as on the page "States", and reports each assumption. A whole scenario is
 * never completed: there the same gaps are errors. Spec: docs/formats/npc.md#bare-states
 */
function completed(scenario: Scenario, report: Report): Scenario {
  const { at } = scenario;
  report(bareStates(), at);
  let { states, transitions } = scenario;
  const [first] = states;
  if (first && states.every((state) => !state.is_initial_state)) {
    report(assumedInitialState(first.state_key), first.at);
    states = [{ ...first, is_initial_state: true }, ...states.slice(1)];
  }
  const last = states.at(-1);
  if (last && !hasEnd({ states, transitions })) {
    report(assumedEnd(), at);
    const added = suppliedEnd(states, last);
    if (transitions.length > 0) transitions = withWaysTo(added, states, transitions);
    states = [...states, added];
  }
  if (states.length > 1 && transitions.length === 0) {
    // A single state can only lead to the added end, so there is no assumption to report.
    if (scenario.states.length > 1) report(assumedTransitions(), at);
    transitions = states.flatMap((state, index) => {
      const next = states[index + 1];
      return next && !state.is_terminal_state ? [passTo(state, next)] : [];
    });
  }
  return { ...scenario, states, transitions };
}

function suppliedEnd(states: readonly State[], last: State): State {
  const keys = new Set(states.map(({ state_key }) => state_key));
  let state_key = 'end';
  for (let number = 2; keys.has(state_key); number += 1) state_key = `end ${number}`;
  return {
    ...last,
    state_key,
    label: 'End',
    prompt_instruction: 'Bring the conversation to a friendly end and take your leave.',
    is_initial_state: false,
    is_terminal_state: true,
    display_order: undefined,
    evaluation_criteria: {},
    terminal_outcome: undefined,
  };
}

/** Adds a pass to the end for each state without a pass. */
function withWaysTo(
  added: State,
  states: readonly State[],
  transitions: readonly Transition[],
): readonly Transition[] {
  const passes = transitions.filter(({ decision_type }) => decision_type === 'pass');
  const leaving = new Set(passes.map(({ from_state_key }) => from_state_key));
  const open = states.filter(({ state_key }) => !leaving.has(state_key));
  return [...transitions, ...open.map((state) => passTo(state, added))];
}

function passTo(from: State, to: State): Transition {
  return {
    row: 'pass',
    from_state_key: from.state_key,
    to_state_key: to.state_key,
    decision_type: 'pass',
    score_delta: 0,
    priority: 1,
    condition: '',
    at: from.at,
  };
}

/** The most states and transitions: rules compare them only with the states they name. */
const longestListOfStates = 10_000;

/** @param bare states without a scenario, read instead of the scenario's own */
function readScenario(fields: Fields, bare?: readonly Fields[]) {
  const { redirect_limit, is_entry_machine, on_end } = fields.values;
  const limits = {
    redirect_limit: redirect_limit === null ? null : (fields.integer('redirect_limit') ?? 3),
    follow_up_limit: fields.integer('follow_up_limit') ?? 2,
  };
  const states = bare ?? fields.list('states', longestListOfStates);
  const own = fields.list('transitions', longestListOfStates);
  const nested = states.flatMap((state) =>
    state
      .list('transitions')
      .map((row) => row.with({ from_state_key: state.values['state_key'], ...row.values })),
  );
  const transitions: readonly Transition[] = inOrder(
    [...own, ...nested].filter(having('from_state_key', 'to_state_key')).map(readTransition),
  );
  const machine_key = fields.text('machine_key') || 'scenario';
  return {
    machine_key,
    name: fields.text('name') || machine_key,
    ...fields.texts('description', ...promptFields),
    scoring_mode: readScoringMode(fields),
    pass_threshold: fields.integer('pass_threshold') ?? 3,
    early_fail_bound: fields.integer('early_fail_bound') ?? -3,
    ...limits,
    is_entry_machine: is_entry_machine === true,
    output_variables: fields.list('output_variables').map(readOutputVariable),
    on_end: readOnEnd(on_end),
    states: states.map((state): State => readState(state, limits)),
    transitions,
    at: fields.at,
  };
}

function readOutputVariable(fields: Fields) {
  return { ...fields.texts('key', 'extraction_prompt'), at: fields.at };
}

/** Whether an object has these fields as strings. Without them a transition or link connects nothing. */
function having(...names: readonly string[]): (fields: Fields) => boolean {
  return (fields) => names.every((name) => fields.optional(name) !== undefined);
}

const unknownScoringMode = error('unknown-scoring-mode', (mode: string) => ({
  message: `There is no scoring mode "${mode}".`,
  hint: () =>
    didYouMean(mode, ['scoring', 'pass_fail'], { pass: 'pass_fail', score: 'scoring' }) ??
    'The modes are scoring and pass_fail.',
}));

/** The source does not define the spelling of modes in stored data, so separators and capitals are ignored. */
function readScoringMode(fields: Fields): ScoringMode {
  const written = fields.optional('scoring_mode');
  const word = written?.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (word === 'passfail') return 'pass_fail';
  if (written !== undefined && word !== 'scoring')
    fields.report(unknownScoringMode(written), 'scoring_mode');
  return 'scoring';
}

const unknownDecision = error('unknown-decision', (word: string) => ({
  message: `There is no decision type "${word}".`,
  hint: () => didYouMean(word, decisions) ?? `The types are ${decisions.join(', ')}.`,
}));

function readTransition(fields: Fields) {
  return {
    /** Its name for the evaluator: the decision, or if several rows share it, the decision and the target. */
    row: '',
    ...fields.texts('from_state_key', 'to_state_key', 'condition'),
    decision_type: readWord(fields, 'decision_type', decisions, unknownDecision),
    score_delta: fields.integer('score_delta') ?? 0,
    priority: fields.integer('priority') ?? 1,
    outcome: readWord(fields, 'outcome', outcomes, unknownOutcome),
    reason: fields.text('reason') || undefined,
    at: fields.at,
  };
}

/** In order of priority. Each has the name by which an evaluator selects it in its state. */
function inOrder(transitions: readonly Transition[]): Transition[] {
  /** For each state and decision: how many rows it has, and the names in use with the next number to try for each. */
  const groups = new Map<string, { count: number; readonly taken: Map<string, number> }>();
  const groupOf = ({ from_state_key, decision_type }: Transition) => {
    const name = JSON.stringify([from_state_key, decision_type]);
    const group = groups.get(name) ?? { count: 0, taken: new Map<string, number>() };
    groups.set(name, group);
    return group;
  };
  for (const one of transitions) groupOf(one).count += 1;
  return transitions
    .toSorted((a, b) => a.priority - b.priority)
    .map((one) => {
      const { decision_type: decision, to_state_key } = one;
      if (decision === undefined) return one;
      const { count, taken } = groupOf(one);
      return { ...one, row: count === 1 ? decision : freeName(decision, to_state_key, taken) };
    });
}

/** @param taken names in use, each with the next number to try for it */
function freeName(decision: Decision, target: string, taken: Map<string, number>): string {
  const name = `${decision}:${target}`;
  let number = taken.get(name) ?? 1;
  let free = name;
  for (; taken.has(free); number += 1) free = `${name}:${number + 1}`;
  taken.set(name, number);
  if (free !== name) taken.set(free, 1);
  return free;
}

const blankStateKey = error('blank-state-key', () => ({
  message: 'The state_key is blank.',
  hint: 'Write a name by which transitions can refer to the state.',
}));

function readState(
  fields: Fields,
  limits: { readonly redirect_limit: number | null; readonly follow_up_limit: number },
) {
  const { is_initial_state, is_terminal_state, evaluation_criteria, redirect_limit } =
    fields.values;
  const state_key = fields.text('state_key');
  if (fields.optional('state_key')?.trim() === '') fields.report(blankStateKey(), 'state_key');
  return {
    state_key,
    label: fields.text('label') || state_key,
    prompt_instruction: fields.text('prompt_instruction'),
    is_initial_state: is_initial_state === true,
    is_terminal_state: is_terminal_state === true,
    display_order: fields.number('display_order'),
    evaluation_criteria: readCriteria(evaluation_criteria),
    terminal_outcome: readWord(
      fields,
      'terminal_outcome',
      ['ACCEPT', 'REJECT'] as const,
      unknownOutcome,
    ),
    redirect_limit:
      redirect_limit === null ? null : (fields.integer('redirect_limit') ?? limits.redirect_limit),
    follow_up_limit: fields.integer('follow_up_limit') ?? limits.follow_up_limit,
    at: fields.at,
  };
}

/** A string or a list of strings alone is the criterion for a pass. */
function readCriteria(written: unknown): Criteria {
  if (!isRecord(written)) return criterion('pass', written);
  return Object.assign({}, ...verdicts.map((verdict) => criterion(verdict, written[verdict])));
}

function criterion(verdict: Verdict, written: unknown): Criteria {
  const lines = (Array.isArray(written) ? written : [written]).filter(
    (line) => typeof line === 'string' && line.trim() !== '',
  );
  return lines.length > 0 ? { [verdict]: lines.join('\n') } : {};
}

const unknownOutcome = error('unknown-outcome', (outcome: string, known: readonly string[]) => ({
  message: `There is no outcome "${outcome}" here.`,
  hint: () => didYouMean(outcome, known) ?? `The outcomes are ${known.join(', ')}.`,
}));
