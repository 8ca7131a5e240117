import type { lifecycle } from '@dramaturg/compiler/format';
import { type LiveInstance, resetsTimers, type StepResult, timersIn } from '@dramaturg/host/engine';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { Engine } from '../engine.ts';
import type { Absence } from '../work/presence.ts';
import type { Alarm, Head } from './state-layout.ts';
import { type Decision, step } from './step.ts';
import { readHead } from './stored-instance.ts';

/** For `recover`. Times are milliseconds since 1970 UTC. */
export interface RecoverOrder {
  readonly at: number;
  /** When the last process has gone. */
  readonly stoppedAt: number;
}

/** Fires the timers that are due. An alarm that was replaced does nothing. */
export async function wake(
  engine: Engine,
  context: ObjectContext,
  { at, number }: Alarm,
): Promise<unknown> {
  const head = await readHead(context);
  if (head.alarm?.number !== number) return undefined;
  const { now, absence } = await context.run('time', () => ({
    now: Math.max(at, Date.now()),
    absence: engine.absence() ?? null,
  }));
  const pauses = absence && covers(absence, at) && (await pausesTimers(engine, head));
  return step(engine, context, now, async (instance) => {
    const results: StepResult[] = [];
    const isNew = pauses && head.recoveredFrom !== absence.from;
    if (isNew) results.push(await instance.decideEvent(recovered(absence.from)));
    const due = timersIn(instance.waits()).filter((timer) => timer.at <= now);
    for (const { key } of due.toSorted((one, other) => one.at - other.at))
      results.push(await instance.decideCall(key, { output: { firedAt: now } }));
    const changed = { alarm: null, ...(isNew && { recoveredFrom: absence.from }) };
    return { results, head: changed };
  });
}

/** Tells an instance that no process was present, unless its alarm has told it. */
export async function recover(
  instance: LiveInstance,
  head: Head,
  stoppedAt: number,
): Promise<Decision> {
  if (head.recoveredFrom === stoppedAt) return { results: [] };
  const results = [await instance.decideEvent(recovered(stoppedAt))];
  return { results, head: { recoveredFrom: stoppedAt } };
}

function recovered(stopped_at: number) {
  return { type: 'instance.recovered', stopped_at } satisfies lifecycle.LifecycleEvent;
}

function covers({ from, until }: Absence, at: number): boolean {
  return from <= at && at <= until;
}

async function pausesTimers({ library }: Engine, { origin }: Head): Promise<boolean> {
  const definition = await library.load(origin.definition!);
  const { lifecycle: ref } = definition;
  return resetsTimers((ref ? await library.load(ref) : definition).chart);
}
