import type { ReasonMaker } from '@dramaturg/compiler/format';
import { counted } from '@dramaturg/compiler/text';
import { errorCode, isSummaryDue } from '@dramaturg/conversation';
import type { NpcContext } from '../context.ts';
import type { LinkCondition } from '../definition.ts';
import { linkHolds } from '../scenario-graph.ts';
import { currentScenario, type NpcGuard, type NpcScope, scenarioMeta } from './meta.ts';
import { offerFor } from './verdict.ts';
import { problemOf } from './turn.ts';

export interface EarlyFailure {
  readonly row?: string;
  readonly score_delta: number;
  readonly early_fail_bound: number;
}

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
  failsEarly: ({ context, event }, { row, score_delta, early_fail_bound }: EarlyFailure) =>
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
  isUnreadable: ({ event }) => isUnreadable(event),
  isEarlyAndUnreadable: ({ context, event }) => context.early === true && isUnreadable(event),
  isEndedByAgent: ({ context }) => context.endedByAgent !== null,
  hasOutcome: ({ context }) => context.outcome !== null,
  hasOutputVariables: (scope) =>
    scope.context.outcome !== null && currentScenario(scope).output_variables.length > 0,
  isSummaryDue: (scope) =>
    isSummaryDue(scope.context, currentScenario(scope).summarise_after ?? Infinity),
} satisfies Readonly<Record<string, NpcGuard>>;

function isUnreadable(event: NpcScope['event']): boolean {
  return errorCode(event) === 'port/bad-output';
}

type NpcReason = ReasonMaker<NpcContext, NpcScope['event']>;

/** Why a guard holds or not. */
export const reasons: Readonly<Record<string, NpcReason>> = {
  linkHolds: ({ context: { outcome, score } }, { type }: LinkCondition) => {
    if (type === 'always') return { text: 'it always holds' };
    return type === 'outcome'
      ? { text: `the outcome is ${outcome ?? 'open'}`, values: { outcome } }
      : { text: `the score is ${score}`, values: { score } };
  },
  failsEarly: ({ context, event }, { row, score_delta, early_fail_bound }: EarlyFailure) => {
    if (row !== undefined && event['row'] !== row) return undefined;
    const score = context.score + score_delta;
    return {
      text: `the score becomes ${score}, and the scenario fails at ${early_fail_bound}`,
      values: { score: context.score, change: score_delta },
    };
  },
  isOutOfRedirects: (
    { context: { redirects } },
    { redirect_limit }: { redirect_limit: number },
  ) => ({
    text: `${redirects} of ${counted(redirect_limit, 'redirect')} used`,
    values: { redirects },
  }),
  hasProbesLeft: ({ context: { probes } }, { follow_up_limit }: { follow_up_limit: number }) => ({
    text: `${probes} of ${counted(follow_up_limit, 'follow-up')} asked`,
    values: { probes },
  }),
  isRow: ({ event }, _params, result) =>
    result ? undefined : { text: `the verdict was for the row "${String(event['row'])}"` },
  hasOutcome: ({ context: { outcome } }) => ({
    text: outcome === null ? 'the scenario goes on' : `the outcome is ${outcome}`,
    values: { outcome },
  }),
  isEndedByAgent: ({ context: { endedByAgent } }, _params, result) =>
    result
      ? { text: `the NPC ended the conversation: ${endedByAgent?.reason ?? 'no reason'}` }
      : undefined,
};
