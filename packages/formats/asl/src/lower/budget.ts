import type { ChartNode, ChartTransition } from '@dramaturg/compiler';
import { about, hasFailed, type Place } from './place.ts';
import type { Recovery } from './recovery.ts';

/**
 * Whether the workflow can pay, before a call: a person may be asked for more, or the call put off.
 *
 * @param next where it leads when it can
 */
export function budgetNodes(
  id: string,
  place: Place,
  recover: Recovery,
  next: readonly ChartTransition[],
): Readonly<Record<string, ChartNode>> {
  const params = about(place, id);
  const held = (reason: string) => ({
    type: 'isHeld',
    params: { machine: place.machine, held: reason },
  });
  const onError = [recover.failing([{ type: 'taskFailed', params }])];
  const again = `#${id}:budget`;
  return {
    budget: {
      id: `${id}:budget`,
      entry: [{ type: 'checkBudget', params }],
      always: [
        { ...recover.failing(), guard: hasFailed(place) },
        { target: `#${id}:asking`, guard: held('asks') },
        { target: `#${id}:throttling`, guard: held('waits') },
        ...next,
      ],
    },
    asking: {
      id: `${id}:asking`,
      tags: ['waiting'],
      entry: [{ type: 'askForMore', params }],
      invoke: [
        {
          id: `${id}:grant`,
          src: 'requestDecision',
          input: { type: 'grantCall', params },
          onDone: [{ target: `#${id}:granted`, actions: [{ type: 'takeGrant', params }] }],
          onError,
        },
      ],
    },
    granted: {
      id: `${id}:granted`,
      always: [{ ...recover.failing(), guard: hasFailed(place) }, { target: again }],
    },
    throttling: {
      id: `${id}:throttling`,
      invoke: [
        {
          id: `${id}:throttle`,
          src: 'timer',
          input: { type: 'throttleTimer', params },
          onDone: [{ target: again, actions: [{ type: 'hasWaited', params }] }],
          onError,
        },
      ],
    },
  };
}
