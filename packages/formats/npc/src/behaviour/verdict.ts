import type { Effects } from '@dramaturg/compiler/format';
import { helpRequested } from '@dramaturg/conversation';
import { type NpcContext, withLine } from '../context.ts';
import { decisions, followUp, type Outcome, type Verdict } from '../definition.ts';
import type { VerdictReached } from '../events.ts';
import { internal } from '../names.ts';
import {
  currentState,
  type NpcAction,
  type NpcActions,
  type Place,
  type RowMeta,
  type StateMeta,
} from './meta.ts';
import { concluded, unlockedMachines } from './turn.ts';

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
    const when = criteria[verdict] ?? usual[verdict];
    const described = ({ condition, leads_to: to }: Partial<RowMeta> = {}) =>
      own.length > 1
        ? sentences(condition ?? when, to === undefined ? '' : `Leads to "${to}".`)
        : sentences(when, condition ?? '');
    return (own.length > 0 ? own : [undefined]).map((row) => ({
      id: row?.row ?? verdict,
      verdict,
      row,
      description: described(row),
    }));
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
    const first = currentState(scope).rows?.find((row) => row.decision_type === verdict);
    return give(verdict, first?.row, {
      ...given,
      effect: verdict,
      ...(given?.effect ? { given: given.given ?? given.effect } : {}),
    });
  };
}

const applied = [{ type: internal.applied }];
