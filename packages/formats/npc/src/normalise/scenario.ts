import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { readOnEnd } from '@dramaturg/conversation';
import {
  type Criteria,
  type Decision,
  decisions,
  type Outcome,
  outcomes,
  type Scenario,
  type ScoringMode,
  type State,
  type Transition,
  type Verdict,
  verdicts,
} from '../definition.ts';
import { unknownScoringMode } from '../diagnostics/scenarios.ts';
import { blankStateKey, unknownOutcome } from '../diagnostics/states.ts';
import { unknownDecision } from '../diagnostics/transitions.ts';
import {
  having,
  longestListOfStates,
  type Placed,
  records,
  optionalText,
  wholeNumber,
} from './fields.ts';

/** @param bare states without a scenario, read instead of the scenario's own */
export function readScenario(
  { value: fields, at }: Placed,
  report: Report,
  bare?: readonly Placed[],
): Scenario {
  const limits = {
    redirect_limit:
      fields['redirect_limit'] === null ? null : (wholeNumber(fields['redirect_limit']) ?? 3),
    follow_up_limit: wholeNumber(fields['follow_up_limit']) ?? 2,
  };
  const states = bare ?? records(fields['states'], [...at, 'states'], report, longestListOfStates);
  const own = records(fields['transitions'], [...at, 'transitions'], report, longestListOfStates);
  const nested = states.flatMap(({ value, at: stateAt }) =>
    records(value['transitions'], [...stateAt, 'transitions'], report).map((placed) => ({
      ...placed,
      value: { from_state_key: value['state_key'], ...placed.value },
    })),
  );
  const machine_key = optionalText(fields['machine_key']) || 'scenario';
  return {
    machine_key,
    name: optionalText(fields['name']) || machine_key,
    description: optionalText(fields['description']),
    creator_objective: optionalText(fields['creator_objective']),
    creator_win_condition: optionalText(fields['creator_win_condition']),
    creator_lose_condition: optionalText(fields['creator_lose_condition']),
    chat_system_prompt: optionalText(fields['chat_system_prompt']),
    system_evaluation_prompt: optionalText(fields['system_evaluation_prompt']),
    system_summarization_prompt: optionalText(fields['system_summarization_prompt']),
    scoring_mode: readScoringMode(fields['scoring_mode'], at, report),
    pass_threshold: wholeNumber(fields['pass_threshold']) ?? 3,
    early_fail_bound: wholeNumber(fields['early_fail_bound']) ?? -3,
    ...limits,
    is_entry_machine: fields['is_entry_machine'] === true,
    output_variables: records(fields['output_variables'], [...at, 'output_variables'], report).map(
      ({ value, at: variableAt }) => ({
        key: optionalText(value['key']),
        extraction_prompt: optionalText(value['extraction_prompt']),
        at: variableAt,
      }),
    ),
    on_end: readOnEnd(fields['on_end']),
    states: states.map((placed) => readState(placed, limits, report)),
    transitions: inOrder(
      [...own, ...nested]
        .filter(having('from_state_key', 'to_state_key'))
        .map((placed) => readTransition(placed, report)),
    ),
    at,
  };
}

/** The source does not define the spelling of modes in stored data, so separators and capitals are ignored. */
function readScoringMode(written: unknown, at: Path, report: Report): ScoringMode {
  if (typeof written !== 'string') return 'scoring';
  const word = written.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (word === 'scoring') return 'scoring';
  if (word !== 'passfail') {
    report(unknownScoringMode(written), [...at, 'scoring_mode']);
  }
  return word === 'passfail' ? 'pass_fail' : 'scoring';
}

function readTransition({ value: fields, at }: Placed, report: Report): Transition {
  const written = fields['decision_type'];
  const decision_type = decisions.find(
    (decision) => typeof written === 'string' && decision === written.trim().toLowerCase(),
  );
  if (typeof written === 'string' && decision_type === undefined)
    report(unknownDecision(written), [...at, 'decision_type']);
  return {
    row: '',
    from_state_key: optionalText(fields['from_state_key']),
    to_state_key: optionalText(fields['to_state_key']),
    decision_type,
    score_delta: wholeNumber(fields['score_delta']) ?? 0,
    priority: wholeNumber(fields['priority']) ?? 1,
    condition: optionalText(fields['condition']),
    outcome: readOutcome(fields['outcome'], outcomes, [...at, 'outcome'], report),
    reason: optionalText(fields['reason']) || undefined,
    at,
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

function readState(
  { value: fields, at }: Placed,
  limits: Pick<State, 'redirect_limit' | 'follow_up_limit'>,
  report: Report,
): State {
  const key = optionalText(fields['state_key']);
  const order = fields['display_order'];
  if (typeof fields['state_key'] === 'string' && key.trim() === '')
    report(blankStateKey(), [...at, 'state_key']);
  return {
    state_key: key,
    label: optionalText(fields['label']) || key,
    prompt_instruction: optionalText(fields['prompt_instruction']),
    is_initial_state: fields['is_initial_state'] === true,
    is_terminal_state: fields['is_terminal_state'] === true,
    display_order: typeof order === 'number' ? order : undefined,
    evaluation_criteria: readCriteria(fields['evaluation_criteria']),
    terminal_outcome: readOutcome(
      fields['terminal_outcome'],
      ['ACCEPT', 'REJECT'],
      [...at, 'terminal_outcome'],
      report,
    ),
    redirect_limit:
      fields['redirect_limit'] === null
        ? null
        : (wholeNumber(fields['redirect_limit']) ?? limits.redirect_limit),
    follow_up_limit: wholeNumber(fields['follow_up_limit']) ?? limits.follow_up_limit,
    at,
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

function readOutcome<Known extends Outcome>(
  written: unknown,
  known: readonly Known[],
  at: Path,
  report: Report,
): Known | undefined {
  if (typeof written !== 'string') return undefined;
  const outcome = known.find((word) => word === written.trim().toUpperCase());
  if (outcome === undefined) report(unknownOutcome(written, known), at);
  return outcome;
}
