import { errorCode, isSummaryDue } from '@dramaturg/conversation';
import type { LinkCondition } from '../definition.ts';
import { linkHolds } from '../links.ts';
import { currentScenario, scenarioMeta, type NpcGuard } from './meta.ts';
import { offerFor } from './offer.ts';
import { problemOf } from './turn.ts';

export const guards = {
  // The scene

  beginsWith: ({ context }, { machine_key }: { machine_key: string }) =>
    context.machine === machine_key,
  /** The scenario is open, and the current one is not about to end. */
  mayStart: ({ context, event, meta }, { machine_key }: { machine_key: string }) => {
    const wanted = event['machine_key'] ?? context.machine;
    if (wanted !== machine_key || context.outcome !== null) return false;
    return scenarioMeta(meta, machine_key)?.open === true || context.unlocked.includes(machine_key);
  },
  linkHolds: ({ context }, condition: LinkCondition) => linkHolds(condition, context),

  // Verdicts

  isRow: ({ event }, { row }: { row: string }) => event['row'] === row,
  failsEarly: (
    { context, event },
    {
      row,
      score_delta,
      early_fail_bound,
    }: { row?: string; score_delta: number; early_fail_bound: number },
  ) =>
    (row === undefined || event['row'] === row) && context.score + score_delta <= early_fail_bound,
  isOutOfRedirects: ({ context }, { redirect_limit }: { redirect_limit: number }) =>
    context.redirects >= redirect_limit,
  hasProbesLeft: ({ context }, { follow_up_limit }: { follow_up_limit: number }) =>
    context.probes < follow_up_limit,

  // The turn

  /** The player was asked to speak first, and this is the first session: the input is about it. */
  personOpens: ({ context }) => context.opening === 'person' && context.session === 1,
  isFirstWord: ({ context, event }) =>
    !context.opened && problemOf(context, event['text']) === undefined,
  isEarly: ({ context }) => context.early === true,
  isOffered: (scope) => {
    const output = scope.event['output'] as { option: string };
    return offerFor(scope, output.option) !== undefined;
  },
  /** The evaluator's answer has the wrong shape. */
  isUnreadable: ({ event }) => errorCode(event) === 'port/bad-output',
  isEarlyAndUnreadable: ({ context, event }) =>
    context.early === true && errorCode(event) === 'port/bad-output',
  isEndedByAgent: ({ context }) => context.endedByAgent !== null,
  hasOutcome: ({ context }) => context.outcome !== null,
  hasOutputVariables: (scope) =>
    scope.context.outcome !== null && currentScenario(scope).output_variables.length > 0,
  isSummaryDue: (scope) =>
    isSummaryDue(scope.context, currentScenario(scope).summarise_after ?? Infinity),
} satisfies Readonly<Record<string, NpcGuard>>;
