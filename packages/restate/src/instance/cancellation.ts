import { CancelledError, type ObjectSharedContext } from '@restatedev/restate-sdk';
import type { ServiceNames } from '../names.ts';
import type { WithdrawOrder } from './messages.ts';
import { send } from './sends.ts';

/**
 * Does work that takes long, in the process that runs the invocation. When the invocation is cancelled, the signal aborts, and
 * what the work ends with then is the outcome. Another process that repeats a cancelled invocation has no such work.
 *
 * The signal aborts too when the attempt is lost, such as by a cut connection: Restate calls the handler again, maybe in another
 * process. Then the work has no outcome.
 */
export async function cancellable<Outcome extends object>(
  context: ObjectSharedContext,
  name: string,
  work: (withdrawn: AbortSignal) => Promise<Outcome>,
): Promise<Partial<Outcome> & { readonly at: number }> {
  const withdrawal = new AbortController();
  const lost = context.request().attemptCompletedSignal;
  lost.addEventListener('abort', () => withdrawal.abort(), { once: true });
  let ending: Promise<Outcome> | undefined;
  try {
    return await context.run(name, async () => {
      ending = work(withdrawal.signal);
      const outcome = await ending;
      // An outcome of work that was given up must not reach Restate by any way.
      if (lost.aborted) await new Promise<never>(() => {});
      return { at: Date.now(), ...outcome };
    });
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    withdrawal.abort();
    return context.run(`${name} was cancelled`, async () => {
      const outcome: Partial<Outcome> = (await ending) ?? {};
      return { at: Date.now(), ...outcome };
    });
  }
}

/**
 * Cancels invocations by their idempotency keys. Sending with the key of an invocation gives its id, wherever it runs. One that
 * has ended is begun again, without anything to do.
 */
export async function cancelAll(
  context: ObjectSharedContext,
  { instance: service }: ServiceNames,
  work: WithdrawOrder['work'],
): Promise<void> {
  const { key } = context;
  for (const { handler, key: idempotencyKey } of work) {
    const sent = send(context, { service, key, handler }, null, { idempotencyKey });
    context.cancel(await sent.invocationId);
  }
}
