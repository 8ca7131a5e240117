import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { type Criteria, type State, type Verdict, verdicts } from '../definition.ts';
import { blankStateKey, unknownOutcome } from '../diagnostics/states.ts';
import { type Placed, optionalText, wholeNumber } from './fields.ts';

export function readState(
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
    terminal_outcome: readOutcome(fields['terminal_outcome'], at, report),
    redirect_limit:
      fields['redirect_limit'] === null
        ? null
        : (wholeNumber(fields['redirect_limit']) ?? limits.redirect_limit),
    follow_up_limit: wholeNumber(fields['follow_up_limit']) ?? limits.follow_up_limit,
    at,
  };
}

/** A text or a list of texts alone is the criterion for a pass. */
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

function readOutcome(written: unknown, at: Path, report: Report): State['terminal_outcome'] {
  if (typeof written !== 'string') return undefined;
  const word = written.trim().toUpperCase();
  if (word === 'ACCEPT' || word === 'REJECT') return word;
  report(unknownOutcome(written), [...at, 'terminal_outcome']);
  return undefined;
}
