import type { EventObject } from '@dramaturg/compiler';
import type { Effects } from '@dramaturg/compiler/format';
import type { PlanContext, Refusal } from '../context.ts';
import type { Misfit } from '../value.ts';

/** The most refusals that the next reply explains. */
const mostRefusals = 5;

/** @param more the author's sentence for the person, instead of the reason; whether an agent has failed */
export function refuse(
  context: PlanContext,
  what: string,
  because: string,
  { code, ...more }: Omit<Refusal, 'what' | 'because'> & Pick<Misfit, 'code'> = {},
): Effects<PlanContext> {
  const refusal = { what, because, ...more };
  return {
    context: { refused: [...context.refused, refusal].slice(-mostRefusals) },
    emit: [{ ...refused(context, what, because), ...(code && { code }) }],
  };
}

/** A refusal that the next reply does not explain: it does not concern the person. */
export function refused({ state }: PlanContext, what: string, because: string): EventObject {
  return { type: 'update.refused', what, because, state };
}
