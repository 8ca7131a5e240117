import { lifecycle } from '@dramaturg/lifecycle';
import type { Host } from '@dramaturg/host';
import { rehearsalBehaviour } from '@dramaturg/testing';
import { restateHost, type RestateHostOptions } from '@dramaturg/restate';
import { Stage } from '../host/stage.ts';
import type { Deliver } from '../side-by-side/contender.ts';

/** A host on Restate that does the work of the other benchmarks: one call that is answered immediately, and one delivery. */
export function benchHost(
  options: Pick<RestateHostOptions, 'ingress' | 'admin' | 'handlers'>,
  onDelivery: Deliver = () => {},
): Promise<Host> {
  return restateHost({
    ...options,
    definitions: Stage.definitions,
    behaviours: new Map([
      ['rehearsal', rehearsalBehaviour],
      [lifecycle.name, lifecycle.behaviour],
    ]),
    ports: Stage.ports,
    channels: { main: { deliver: ({ instance, text }) => onDelivery(instance, text) } },
    limits: {},
  });
}
