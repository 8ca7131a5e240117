import type { Activity, Schedule } from '@dramaturg/host/engine';
import type { ServiceNames } from '../names.ts';
import { openWorkQuery } from '../reading/record-query.ts';
import { type Admin, quoted } from '../restate/admin.ts';

export interface SettlingOptions {
  readonly admin: Admin;
  readonly names: ServiceNames;
  readonly activity: Activity;
  readonly schedule: Schedule;
}

/** The pause between two polls, in milliseconds. */
const pause = 20;

/**
 * Waits until this process is idle and Restate has no work in the namespace. Calls with a delay, such as alarms, do not count.
 *
 * Restate lists no invocation that is on its way from one partition to another. Such calls and messages are found in the
 * instances that wait for them. The answer of a child that is on its way is not found.
 *
 * @param within milliseconds
 * @returns false on timeout
 */
export async function settled(
  within: number,
  { admin, names, activity, schedule }: SettlingOptions,
): Promise<boolean> {
  if (within <= 0) return false;
  const end = performance.now() + within;
  const services = Object.values(names).map(quoted).join(', ');
  const sql = `SELECT count(*) AS open FROM sys_invocation WHERE target_service_name IN (${services}) AND status NOT IN ('completed', 'scheduled')`;
  for (;;) {
    if (!(await activity.settled(Math.max(0, end - performance.now()), schedule))) return false;
    const [row] = await admin.query<{ readonly open: number }>(sql);
    if (row?.open === 0 && (await admin.query(openWorkQuery(names.instance))).length === 0)
      return true;
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
