import { isTimeZone } from '@dramaturg/compiler/text';
import { badTime } from '../diagnostics/policies.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports times of the policies that no clock or calendar shows. */
export const badTimes: LifecycleRule = ({ definition, report }) => {
  const { time_zone } = definition.policies;
  if (time_zone !== '' && !isTimeZone(time_zone))
    report(badTime('zone', time_zone), ['policies', 'time_zone']);
};
