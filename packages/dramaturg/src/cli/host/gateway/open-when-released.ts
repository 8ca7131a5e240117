import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '@dramaturg/host';
import type { LocalGateway } from './gateway.ts';
import { ownerName } from './open-gateway.ts';
import { type HostSettings, openHost } from './open-host.ts';

/** How long to wait for another command to release the store. */
const ownershipTimeoutMs = 5_000;

/** Opens a store as its owner, once another command has released it. */
export async function openWhenReleased(settings: HostSettings): Promise<LocalGateway> {
  const deadline = Date.now() + ownershipTimeoutMs;
  for (;;) {
    try {
      return await openHost(settings);
    } catch (error) {
      const owned = error instanceof StoreError && error.code === 'store/owned';
      const isBrief =
        owned &&
        error.message.includes(`in use by "${ownerName('')}`) &&
        !error.message.includes(`in use by "${ownerName('serve')}"`);
      if (!isBrief || Date.now() >= deadline) throw error;
      await pause(50);
    }
  }
}
