import type { Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { readOnEnd } from '@dramaturg/conversation';
import type { Scenario, ScoringMode } from '../definition.ts';
import { unknownScoringMode } from '../diagnostics/scenarios.ts';
import {
  having,
  longestListOfStates,
  type Placed,
  records,
  optionalText,
  wholeNumber,
} from './fields.ts';
import { readState } from './state.ts';
import { inOrder, readTransition } from './transition.ts';

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
