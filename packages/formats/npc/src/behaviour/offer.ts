import { decisions, followUp, type Verdict } from '../definition.ts';
import { currentState, type RowMeta, type StateMeta, type Place } from './meta.ts';

/** The answers that an evaluator may give, and their meaning. Spec: docs/formats/npc.md#evaluation */

export interface Offer {
  readonly id: string;
  readonly verdict: Verdict;
  /** The row that the option selects, if the state has one. */
  readonly row: RowMeta | undefined;
  readonly description: string;
}

/** Every verdict that can have an effect now; a follow-up only while another probe is allowed. */
export function offers(scope: Place): Offer[] {
  const all = optionsOf(currentState(scope));
  // The player has not seen the state's question, so only bad behaviour and an emergency can be judged.
  if (scope.context.early)
    return all.filter(({ verdict, row }) => verdict === 'kick_out' || row?.hands_over);
  return mayProbe(scope) ? all : all.filter(({ id }) => id !== followUp);
}

/** Every verdict that can have an effect in a state. */
export function optionsOf(state: StateMeta): Offer[] {
  const { rows = [], evaluation_criteria: criteria = {}, follow_up_limit = 0 } = state;
  const ofDecisions = decisions.flatMap((verdict): Offer[] => {
    const own = rows.filter(({ decision_type }) => decision_type === verdict);
    const criterion = criteria[verdict];
    if (own.length > 1)
      return own.map((row) => ({
        id: row.row,
        verdict,
        row,
        description: sentences(row.condition ?? criterion ?? usual[verdict], leadsTo(row)),
      }));
    const [row] = own;
    const description = sentences(criterion ?? usual[verdict], row?.condition ?? '');
    return [{ id: verdict, verdict, row, description }];
  });
  if (criteria.follow_up === undefined || follow_up_limit === 0) return ofDecisions;
  const probe = { id: followUp, verdict: followUp, row: undefined } as const;
  return [...ofDecisions, { ...probe, description: criteria.follow_up }];
}

/** When to give a verdict, for states whose author does not say. */
const usual: Readonly<Record<(typeof decisions)[number], string>> = {
  pass: 'The player has done what this state asks for.',
  redirect: 'The player has not got there yet, or talks of something else.',
  reject: 'The player has failed what this state asks for.',
  kick_out: 'The player behaves so badly that the conversation must end at once.',
};

function leadsTo({ leads_to }: RowMeta): string {
  return leads_to === undefined ? '' : `Leads to "${leads_to}".`;
}

function sentences(...parts: readonly string[]): string {
  return parts.filter(Boolean).join(' ');
}

export function mayProbe(scope: Place): boolean {
  return isProbed(scope) && scope.context.probes < (currentState(scope).follow_up_limit ?? 0);
}

/** Whether the state has follow-ups at all. */
export function isProbed(scope: Place): boolean {
  const { evaluation_criteria, follow_up_limit = 0 } = currentState(scope);
  return evaluation_criteria?.follow_up !== undefined && follow_up_limit > 0;
}

/**
 * The option that an answer selects. A decision without a row, or with an unknown row, selects its first row. Any other
 * answer outside the options is invalid.
 */
export function offerFor(scope: Place, answer: unknown): Offer | undefined {
  if (typeof answer !== 'string') return undefined;
  const all = offers(scope);
  const named = answer.trim();
  const [word = ''] = named.split(':', 1);
  return (
    all.find(({ id }) => id === named) ??
    all.find(({ verdict }) => verdict === word && verdict !== followUp)
  );
}

/** The first row of a decision. Used when a limit overrides the verdict. */
export function firstRow(scope: Place, verdict: Verdict): string | undefined {
  return currentState(scope).rows?.find(({ decision_type }) => decision_type === verdict)?.row;
}
