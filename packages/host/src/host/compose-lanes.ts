import type { Activity } from '../admission/activity.ts';
import type { Schedule } from '../admission/schedule.ts';
import type { Channel } from '../channel/channel.ts';
import { isUnknownInstance } from '../errors.ts';
import type { Bounds } from './bounds.ts';
import { CallLanes } from './call-lanes.ts';
import { Deliveries } from './deliveries.ts';
import type { OnError } from './error-reporter.ts';
import { Reviver } from './reviver.ts';
import type { Runner } from './runner.ts';

export interface LanesOptions {
  readonly bounds: Bounds;
  readonly channels: ReadonlyMap<string, Channel>;
  /** Loads an instance unless it is active, and keeps it active during the work. */
  readonly use: (id: string, work: (runner: Runner) => Promise<void>) => Promise<void>;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly activity: Activity;
  readonly onError: OnError;
}

export interface Lanes {
  readonly callLanes: CallLanes;
  readonly deliveries: Deliveries;
  readonly reviver: Reviver;
}

/** Builds the lanes that admit the work of instances: a ticket that gets a slot loads its instance, which then does the work. */
export function composeLanes({ bounds, channels, use, ...parts }: LanesOptions): Lanes {
  const { callConcurrencyOf, deliveryConcurrencyOf, deliveryTimeout } = bounds;
  const reviver = new Reviver({ ...parts, load: (id) => use(id, async () => {}) });
  /** If the instance cannot be loaded now, it resumes its work when it is loaded later. */
  const useOrRevive = async (id: string, work: (runner: Runner) => Promise<void>) => {
    try {
      await use(id, work);
    } catch (error) {
      // It was erased in the meantime.
      if (!isUnknownInstance(error)) reviver.revive(id, error, 'loading');
    }
  };
  const callLanes = new CallLanes({
    ...parts,
    concurrencyOf: callConcurrencyOf,
    makeNext: (instance, port, begin) =>
      useOrRevive(instance, (runner) => {
        begin();
        return runner.makeNextCall(port);
      }),
  });
  const deliveries = new Deliveries({
    ...parts,
    channels,
    concurrencyOf: deliveryConcurrencyOf,
    deliveryTimeout,
    send: ({ instance, route }, begin, transmit) =>
      useOrRevive(instance, (runner) => {
        begin();
        return runner.sendNext(route, transmit);
      }),
  });
  return { callLanes, deliveries, reviver };
}
