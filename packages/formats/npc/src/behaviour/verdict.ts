import type { Effects } from '@dramaturg/compiler/format';
import { helpRequested } from '@dramaturg/conversation';
import type { Line, NpcContext } from '../context.ts';
import { followUp, type Outcome, type Verdict } from '../definition.ts';
import { internal } from '../names.ts';
import { currentState, type NpcAction, type NpcActions } from './meta.ts';
import { firstRow, offerFor } from './offer.ts';
import { concluded, unlockedMachines } from './session.ts';
import type { VerdictReached } from '../events.ts';

/** Actions of a verdict. It is read once, has one effect, and is announced before the reply is composed. */

const longestReason = 500;

export const verdictActions = {
  redirectInstead: instead('redirect'),
  rejectInstead: instead('reject'),

  /** Turns the verdict into an event of the scene. */
  takeVerdict: (scope) => {
    const { option, reason } = scope.event['output'] as { option: string; reason?: string };
    const offer = offerFor(scope, option)!;
    return give(offer.verdict, offer.row?.row, {
      effect: offer.verdict,
      ...(reason ? { reason: reason.slice(0, longestReason) } : {}),
    });
  },

  /**
   * Neither answer was on offer. A follow-up that is not allowed counts as a redirect. Any other invalid answer is the evaluator's
   * fault and costs the player nothing.
   */
  takeNoVerdict: (scope) => {
    const output = scope.event['output'] as { option?: string } | undefined;
    return output?.option?.trim() === followUp
      ? give(followUp, undefined, { effect: followUp })
      : { context: { verdict: { effect: null } }, raise: [{ type: internal.none }] };
  },

  score: ({ context: { score: from, state } }, { score_delta: delta }: { score_delta: number }) => {
    const to = from + delta;
    return { context: { score: to }, emit: [{ type: 'score.changed', state, from, to, delta }] };
  },

  /** Announces that the verdict was applied. The target changes the context in its own entry. */
  move: () => ({ raise: applied }),

  redirect: (scope) => {
    const { redirect_limit } = currentState(scope);
    const { redirects } = scope.context;
    return {
      // Without a limit nothing reads the count.
      context: { redirects: redirect_limit === null ? 0 : redirects + 1, directive: 'redirect' },
      raise: applied,
    };
  },

  /** The evaluator's fault: like a redirect that does not count. */
  stay: () => ({ context: { directive: 'redirect' }, raise: applied }),

  /** Asks for a person. The scenario stays in its state. */
  handOver: ({ context }, { reason }: { reason?: string }) => ({
    context: { directive: 'hand_over' },
    raise: applied,
    emit: [helpRequested(reason, context.state)],
  }),

  /** Ends the conversation in the current state. */
  end: (scope, { outcome, voice }: { outcome: Outcome; voice?: string }) => ({
    ...concluded(scope, outcome, voice ?? scope.context.state),
    raise: applied,
  }),

  // Follow-up

  enterFollowUp: ({ context }) => ({
    emit: [{ type: 'followup.entered', state: context.state }],
  }),

  /** Asks one more question. The message in doubt is kept, because the answer alone cannot be judged. */
  probe: ({ context }) => ({
    context: {
      probes: context.probes + 1,
      directive: 'probe',
      thread: withLine(context.thread, { by: 'player', text: context.message ?? '' }),
    },
    raise: applied,
  }),

  leaveFollowUp: ({ context }) => ({
    context: { probes: 0, thread: [] },
    emit: [{ type: 'followup.left', state: context.state }],
  }),

  /** Emitted before the reply is composed. Spec: docs/formats/npc.md#events */
  announceVerdict: (scope) => {
    const { context } = scope;
    const { effect = null, given, reason } = context.verdict ?? {};
    const announced: VerdictReached = {
      type: 'verdict.reached',
      // After an evaluator without a verdict, the reply is that of a redirect.
      decision: effect === followUp ? null : (effect ?? 'redirect'),
      follow_up: effect === followUp,
      state: context.state,
      score: context.score,
      outcome: context.outcome,
      redirect_count: currentState(scope).redirect_limit === null ? null : context.redirects,
      machine_completed: context.outcome !== null,
      unlocked_machines: unlockedMachines(scope),
      ...(given ? { given } : {}),
      ...(reason ? { reason } : {}),
      ...(effect === null ? { evaluation_error: true } : {}),
    };
    return { emit: [{ ...announced }] };
  },
} satisfies NpcActions;

function give(
  verdict: Verdict,
  row: string | undefined,
  given: NpcContext['verdict'],
): Effects<NpcContext> {
  return { context: { verdict: given }, raise: [{ type: internal[verdict], row }] };
}

/** Replaces a verdict that a limit or a missing transition does not allow. */
function instead(verdict: Verdict): NpcAction {
  return (scope) => {
    const { verdict: given } = scope.context;
    return give(verdict, firstRow(scope, verdict), {
      ...given,
      effect: verdict,
      ...(given?.effect ? { given: given.given ?? given.effect } : {}),
    });
  };
}

const applied = [{ type: internal.applied }];

/** The first message of the follow-up and the latest lines; the log has the rest. */
const longestThread = 9;

export function withLine(thread: readonly Line[], line: Line): readonly Line[] {
  const lines = [...thread, line];
  return lines.length <= longestThread ? lines : [lines[0]!, ...lines.slice(-(longestThread - 1))];
}
