import type { Observation } from './findings.ts';
import { type Moment, ownEvents } from './moment.ts';

/** Why a run goes no further, in a sentence for people; undefined when it may. */
export function whyStopped(moment: Moment): string | undefined {
  const failure = failureOf(moment);
  return failure === undefined
    ? undefined
    : `Runs fail in this state: ${failure.slice(0, longestCause)}`;
}

export function hasFailed(moment: Moment): boolean {
  return failureOf(moment) !== undefined;
}

/** A longer cause is cut off. */
const longestCause = 300;

/** The error and the cause with which a run has failed. */
function failureOf(moment: Moment): string | undefined {
  const end = ownEvents(moment).find(({ event }) => event.type === 'workflow.ended')?.event;
  if (end?.['status'] !== 'failed') return undefined;
  return [end['error'], end['cause']].filter((part) => typeof part === 'string').join(', ');
}

/** The fault of a definition that the end of a run shows. */
export function faultIn(moment: Moment): Observation['kind'] | undefined {
  const end = ownEvents(moment).find(({ event }) => event.type === 'workflow.ended')?.event;
  if (end?.['error'] === 'States.StepLimitExceeded') return 'no-progress';
  // Amazon's workflows fail with `States.Runtime` when no rule holds.
  const hasNoRule =
    end?.['error'] === 'States.NoChoiceMatched' ||
    String(end?.['cause']).startsWith('No rule of the Choice holds');
  return hasNoRule ? 'no-choice' : undefined;
}
