import type { ReasonMaker } from '@dramaturg/compiler/format';
import { counted } from '@dramaturg/compiler/text';
import type { NpcContext } from '../context.ts';
import type { LinkCondition } from '../definition.ts';
import type { NpcScope } from './meta.ts';

type NpcReason<Params = unknown> = ReasonMaker<NpcContext, NpcScope['event'], Params>;

const linkHolds: NpcReason<LinkCondition> = ({ context: { outcome, score } }, { type }) => {
  if (type === 'always') return { text: 'it always holds' };
  return type === 'outcome'
    ? { text: `the outcome is ${outcome ?? 'open'}`, values: { outcome } }
    : { text: `the score is ${score}`, values: { score } };
};

const failsEarly: NpcReason<{ row?: string; score_delta: number; early_fail_bound: number }> = (
  { context, event },
  { row, score_delta, early_fail_bound },
) => {
  if (row !== undefined && event['row'] !== row) return undefined;
  const score = context.score + score_delta;
  return {
    text: `the score becomes ${score}, and the scenario fails at ${early_fail_bound}`,
    values: { score: context.score, change: score_delta },
  };
};

const isOutOfRedirects: NpcReason<{ redirect_limit: number }> = (
  { context: { redirects } },
  { redirect_limit },
) => ({
  text: `${redirects} of ${counted(redirect_limit, 'redirect')} used`,
  values: { redirects },
});

const hasProbesLeft: NpcReason<{ follow_up_limit: number }> = (
  { context: { probes } },
  { follow_up_limit },
) => ({ text: `${probes} of ${counted(follow_up_limit, 'follow-up')} asked`, values: { probes } });

const isRow: NpcReason<{ row: string }> = ({ event }, _params, result) =>
  result ? undefined : { text: `the verdict was for the row "${String(event['row'])}"` };

const hasOutcome: NpcReason = ({ context: { outcome } }) => ({
  text: outcome === null ? 'the scenario goes on' : `the outcome is ${outcome}`,
  values: { outcome },
});

const isEndedByAgent: NpcReason = ({ context: { endedByAgent } }, _params, result) =>
  result
    ? { text: `the NPC ended the conversation: ${endedByAgent?.reason ?? 'no reason'}` }
    : undefined;

export const reasons: Readonly<Record<string, ReasonMaker>> = {
  linkHolds,
  failsEarly,
  isOutOfRedirects,
  hasProbesLeft,
  isRow,
  hasOutcome,
  isEndedByAgent,
};
