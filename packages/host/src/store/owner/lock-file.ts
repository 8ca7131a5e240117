import type { System } from '../disk/system.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { type Claim, describeClaim, parseClaim } from './claim.ts';

/** The time between two renewals of a lock. */
export const renewalMs = 1_000;

/** Without a renewal for this long, an owner that cannot be checked counts as dead. */
const expiryMs = 8_000;

/** The state of the owner in a lock file. `dead`: certainly. `silent`: it cannot be checked, and has not renewed its lock in time. */
export type OwnerState = 'alive' | 'dead' | 'silent';

/** The content of a lock file, and the state of the owner that it names. */
export interface FoundLock {
  readonly text: string;
  readonly claim: Claim | undefined;
  readonly state: OwnerState;
  /** When the found lock was last renewed, by the clock of the device. */
  readonly modifiedAt: number | undefined;
}

/** Tokens of claims that this process has released while the device refused to remove their lock. */
export const releasedTokens = new Set<string>();

/**
 * Finds out whether the owner in a lock file is alive. Watches the lock for eight seconds when the owner cannot be checked.
 * Clocks of machines are not compared.
 *
 * @returns undefined when the lock file does not exist
 */
export async function findLock(path: string, system: System): Promise<FoundLock | undefined> {
  const text = await readLock(path, system);
  if (text === undefined) return undefined;
  const { modifiedAt } = (await system.files.stat(path)) ?? {};
  const claim = parseClaim(text);
  const isReleased = claim !== undefined && releasedTokens.has(claim.token);
  const isAlive = isReleased ? false : claim && system.processes.isAlive(claim.process);
  const found = { text, claim, modifiedAt };
  if (isAlive !== undefined) return { ...found, state: isAlive ? 'alive' : 'dead' };
  const isRenewed = await watchRenewal(path, found, system);
  return { ...found, state: isRenewed ? 'alive' : 'silent' };
}

/**
 * Checks that a store has no owner, for readers, which take no lock.
 *
 * @throws `store/owned` when a living process has the lock
 */
export async function checkNotOwned(path: string, system: System): Promise<void> {
  const found = await findLock(path, system);
  if (found?.state === 'alive') throw await storeOwned(path, found.claim, system);
}

/** @returns undefined when the lock file does not exist */
export async function readLock(
  path: string,
  { files }: Pick<System, 'files'>,
): Promise<string | undefined> {
  try {
    return (await files.readFile(path)).toString('utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function watchRenewal(
  path: string,
  { text, modifiedAt }: Pick<FoundLock, 'text' | 'modifiedAt'>,
  system: System,
): Promise<boolean> {
  const { files, scheduler } = system;
  for (let watchedMs = 0; watchedMs < expiryMs; watchedMs += renewalMs) {
    await scheduler.pause(renewalMs);
    const now = await files.stat(path);
    const hasChanged = now?.modifiedAt !== modifiedAt || (await readLock(path, system)) !== text;
    if (hasChanged) return true;
  }
  return false;
}

export async function storeOwned(
  path: string,
  claim: Claim | undefined,
  { files, scheduler }: Pick<System, 'files' | 'scheduler'>,
): Promise<StoreError> {
  const who = claim === undefined ? 'another process' : describeClaim(claim);
  const { modifiedAt = Infinity } = (await files.stat(path)) ?? {};
  const advice =
    scheduler.now() - modifiedAt < expiryMs
      ? `Stop that process first. If it is certainly dead, remove ${path}.`
      : `It has not answered since ${new Date(modifiedAt).toISOString()}, so it is probably frozen. Continue it (SIGCONT), or kill it (SIGKILL) to free the store.`;
  return new StoreError('store/owned', `The store is in use by ${who}. ${advice}`);
}

export function storeLost(path: string): StoreError {
  return new StoreError(
    'store/lost',
    `Another owner has taken the store: the lock ${path} names another owner. This process writes nothing more. Stop it.`,
  );
}
