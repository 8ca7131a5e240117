import { isRecord } from '@dramaturg/compiler';
import { didYouMean } from '@dramaturg/compiler/text';
import { type Fields, readOnEnd } from '@dramaturg/conversation';
import {
  type Criteria,
  type Decision,
  decisions,
  type Outcome,
  outcomes,
  promptFields,
  type Scenario,
  type ScoringMode,
  type State,
  type Transition,
  type Verdict,
  verdicts,
} from '../definition.ts';
import { error } from '../problems.ts';

/** The most states and transitions: rules compare them only with the states they name. */
export const longestListOfStates = 10_000;

/** @param bare states without a scenario, read instead of the scenario's own */
export function readScenario(fields: Fields, bare?: readonly Fields[]): Scenario {
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
    output_variables: fields
      .list('output_variables')
      .map((one) => ({ ...one.texts('key', 'extraction_prompt'), at: one.at })),
    on_end: readOnEnd(on_end),
    states: states.map((state) => readState(state, limits)),
    transitions: inOrder(
      [...own, ...nested].filter(having('from_state_key', 'to_state_key')).map(readTransition),
    ),
    at: fields.at,
  };
}

/** Whether an object has these fields as strings. Without them a transition or link connects nothing. */
export function having(...names: readonly string[]): (fields: Fields) => boolean {
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

function readTransition(fields: Fields): Transition {
  const written = fields.optional('decision_type');
  const decision_type = decisions.find((decision) => decision === written?.trim().toLowerCase());
  if (written !== undefined && decision_type === undefined)
    fields.report(unknownDecision(written), 'decision_type');
  return {
    row: '',
    ...fields.texts('from_state_key', 'to_state_key', 'condition'),
    decision_type,
    score_delta: fields.integer('score_delta') ?? 0,
    priority: fields.integer('priority') ?? 1,
    outcome: readOutcome(fields, 'outcome', outcomes),
    reason: fields.text('reason') || undefined,
    at: fields.at,
  };
}

/** In order of priority. Each has the name by which an evaluator selects it in its state. */
function inOrder(transitions: readonly Transition[]): Transition[] {
  const groups = new Map<string, number>();
  const groupOf = ({ from_state_key, decision_type }: Transition) =>
    JSON.stringify([from_state_key, decision_type]);
  for (const one of transitions) groups.set(groupOf(one), (groups.get(groupOf(one)) ?? 0) + 1);
  const taken = new Map<string, Map<string, number>>();
  return transitions
    .toSorted((a, b) => a.priority - b.priority)
    .map((one) => {
      if (one.decision_type === undefined) return one;
      if (groups.get(groupOf(one)) === 1) return { ...one, row: one.decision_type };
      const inUse = taken.get(groupOf(one)) ?? new Map<string, number>();
      taken.set(groupOf(one), inUse);
      return { ...one, row: freeName(one.decision_type, one.to_state_key, inUse) };
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
  limits: Pick<State, 'redirect_limit' | 'follow_up_limit'>,
): State {
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
    terminal_outcome: readOutcome(fields, 'terminal_outcome', ['ACCEPT', 'REJECT']),
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

function readOutcome<Known extends Outcome>(
  fields: Fields,
  field: string,
  known: readonly Known[],
): Known | undefined {
  const written = fields.optional(field);
  const outcome = known.find((word) => word === written?.trim().toUpperCase());
  if (written !== undefined && outcome === undefined)
    fields.report(unknownOutcome(written, known), field);
  return outcome;
}
