import type { Effects } from '@dramaturg/compiler/format';
import { correctedFrom, own, type PlanContext, progressed } from '../context.ts';
import { refused } from './refuse.ts';

/**
 * Takes values back: they are known no more, and no condition sees them. What they have decided is decided again, and tasks that they
 * have completed stay done. The event does not repeat them. Spec: docs/formats/plan.md#withdrawal
 */
export function withdraw(context: PlanContext, keys: readonly string[]): Effects<PlanContext> {
  const { deliverables, volunteered = {}, unchecked, answered, reopened } = context;
  const isTaken = (key: string) => keys.includes(key);
  const waits = (unchecked ?? []).flatMap(({ events }) => events).map(({ key }) => key);
  const isKnown = (key: string) =>
    own(deliverables, key) !== undefined ||
    own(volunteered, key) !== undefined ||
    waits.includes(key);
  if (!keys.some(isKnown)) return { emit: keys.map((key) => unknown(context, key)) };
  const without = (records: PlanContext['deliverables']) =>
    Object.fromEntries(Object.entries(records).filter(([key]) => !isTaken(key)));
  const others = (list: readonly string[]) => list.filter((key) => !isTaken(key));
  return {
    context: {
      deliverables: without(deliverables),
      ...(context.volunteered && { volunteered: without(volunteered) }),
      ...(answered && { answered: others(answered) }),
      ...(reopened && { reopened: others(reopened) }),
      ...(unchecked && {
        unchecked: unchecked.map((update) => ({
          ...update,
          events: update.events.map((event) =>
            isTaken(String(event['key'])) ? { ...event, withdrawn: true } : event,
          ),
        })),
      }),
      noted: 'progress',
      visit: progressed(context),
      ...correctedFrom(
        context,
        Object.fromEntries(
          keys.flatMap((key) => {
            const record = own(deliverables, key) ?? own(volunteered, key);
            return record ? [[key, record.value]] : [];
          }),
        ),
      ),
    },
    emit: keys.map((key) =>
      isKnown(key)
        ? { type: 'deliverable.withdrawn', deliverable: key, state: context.state }
        : unknown(context, key),
    ),
  };
}

function unknown(context: PlanContext, key: string) {
  return refused(context, key, `There is no value of "${key}" to withdraw.`);
}
