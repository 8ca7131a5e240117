import { badEvent } from '../diagnostics/rows.ts';
import { longestEvent } from '../limits.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports event names that are blank, too long or reserved by XState or JavaScript. Spec: docs/formats/lifecycle.md#rows */
export const badEvents: LifecycleRule = ({ definition, report }) => {
  for (const { event, eventAt, raise, at } of definition.rows) {
    if (event !== undefined && !isEventName(event))
      report(badEvent(event), eventAt.path, {
        ...(eventAt.at ? { at: eventAt.at } : {}),
        follows: [[...at, 'event']],
      });
    if (raise && !isEventName(raise.event)) report(badEvent(raise.event), raise.at);
  }
  for (const { timer } of definition.states)
    if (timer && !isEventName(timer.event)) report(badEvent(timer.event), timer.at);
};

export function isEventName(name: string): boolean {
  if (name.trim() === '' || name.length > longestEvent || name === '__proto__') return false;
  return !name.includes('*') && !name.startsWith('xstate.');
}
