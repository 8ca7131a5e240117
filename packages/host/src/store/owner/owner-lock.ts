import { randomUUID } from 'node:crypto';
import {
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreError, systemCodeOf, systemFailure } from '../errors.ts';
import { type Claim, parseClaim, formatClaim, describeClaim } from './claim.ts';
import { isAlive, thisProcess } from './process-identity.ts';

export interface OwnerLockOptions {
  /** The time between two renewals of the lock. */
  readonly renewalMs?: number;
  /** Without a renewal for this long, an owner that cannot be checked counts as dead. */
  readonly expiryMs?: number;
  /** Called when the lock is lost or cannot be renewed. */
  readonly onLoss: (error: StoreError) => void;
}

/**
 * The owner lock of a store (H6): a file that names the one owner. Owns that file and the timer that renews it. The
 * lock of a dead owner is removed:
 *
 * - An owner on the same running machine is dead when no process has its number and start time. The lock of a killed
 *   process is therefore taken over at once.
 * - An owner elsewhere (another machine, a container, an earlier start of this machine) cannot be checked. It touches
 *   its lock every second, and counts as dead after eight seconds without a touch. Clocks of machines are not compared.
 *   A machine that sleeps longer loses its lock, notices that at its next renewal, and stops writing.
 *
 * States: acquiring → held → released or lost. A lost lock is never acquired again.
 */
export class OwnerLock {
  readonly #path: string;
  readonly #claim: Claim;
  readonly #options: OwnerLockOptions;
  #timer: NodeJS.Timeout | undefined;
  /** The last renewal, by the time of day, which continues while a machine sleeps. */
  #renewedAt = Date.now();

  private constructor(path: string, claim: Claim, options: OwnerLockOptions) {
    this.#path = path;
    this.#claim = claim;
    this.#options = options;
  }

  /**
   * Acquires the lock.
   *
   * @param path the file of the lock, in a folder that exists
   * @throws `store/owned`, with a message that names the owner
   */
  static async acquire(path: string, owner: string, options: OwnerLockOptions): Promise<OwnerLock> {
    const claim: Claim = {
      token: randomUUID(),
      owner,
      process: thisProcess(),
      since: new Date().toISOString(),
    };
    const lock = new OwnerLock(path, claim, options);
    try {
      await lock.#acquire();
    } catch (error) {
      throw systemFailure(`Taking the lock ${path}`, error);
    }
    lock.#sweep();
    const { renewalMs = defaultRenewalMs } = options;
    // The timer does not keep the process alive.
    lock.#timer = setInterval(() => lock.#renew(), renewalMs).unref();
    return lock;
  }

  /**
   * Renews the lock at once when the last renewal is too old. A suspended process could otherwise write before its
   * timer notices that another owner has the lock.
   */
  confirm(): void {
    const { renewalMs = defaultRenewalMs } = this.#options;
    if (Math.abs(Date.now() - this.#renewedAt) > 2 * renewalMs) this.#renew();
  }

  release(): void {
    clearInterval(this.#timer);
    if (readText(this.#path) === formatClaim(this.#claim)) rmSync(this.#path, { force: true });
  }

  async #acquire(): Promise<void> {
    let removedLock = false;
    while (!this.#create()) {
      const text = readText(this.#path);
      if (text === undefined) continue;
      const claim = parseClaim(text);
      const alive = (claim && isAlive(claim.process)) ?? (await this.#isRenewed(text));
      if (alive) throw storeOwned(this.#path, claim);
      removedLock = this.#removeStale(text) || removedLock;
    }
    // A process that removed this lock by mistake restores it within this time; see #removeStale.
    if (removedLock) await pause(restoreMs);
    const text = readText(this.#path);
    if (text !== formatClaim(this.#claim)) throw storeOwned(this.#path, parseClaim(text ?? ''));
  }

  /** Creates the lock with its content atomically, unless it exists. */
  #create(): boolean {
    const draft = `${this.#path}.${this.#claim.token}`;
    writeFileSync(draft, formatClaim(this.#claim));
    try {
      linkSync(draft, this.#path);
      return true;
    } catch (error) {
      // Another owner was first, and swept the draft or created the lock.
      if (['EEXIST', 'ENOENT'].includes(systemCodeOf(error) ?? '')) return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  async #isRenewed(text: string): Promise<boolean> {
    const { renewalMs = defaultRenewalMs, expiryMs = defaultExpiryMs } = this.#options;
    const first = modifiedAtMs(this.#path);
    for (let watchedMs = 0; watchedMs < expiryMs; watchedMs += renewalMs) {
      await pause(renewalMs);
      if (readText(this.#path) !== text || modifiedAtMs(this.#path) !== first) return true;
    }
    return false;
  }

  /**
   * Removes the lock of a dead owner. Another process may have replaced that lock since the check; its lock is then
   * restored.
   */
  #removeStale(text: string): boolean {
    const aside = `${this.#path}.${this.#claim.token}`;
    try {
      renameSync(this.#path, aside);
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return false;
      throw error;
    }
    const isRight = readText(aside) === text;
    try {
      if (!isRight) linkSync(aside, this.#path);
    } catch (error) {
      // A third process has created its own lock. The owner of the removed lock notices that and gives up.
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(aside, { force: true });
    }
    return isRight;
  }

  #renew(): void {
    try {
      if (readText(this.#path) !== formatClaim(this.#claim)) throw storeLost(this.#path);
      const now = new Date();
      utimesSync(this.#path, now, now);
      this.#renewedAt = now.getTime();
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') this.#reportLoss(storeLost(this.#path));
      else this.#reportLoss(systemFailure(`Keeping the lock ${this.#path}`, error));
    }
  }

  #reportLoss(error: StoreError): void {
    if (error.code === 'store/lost') clearInterval(this.#timer);
    this.#options.onLoss(error);
  }

  /** Removes drafts of processes that were killed while they acquired the lock. */
  #sweep(): void {
    const folder = dirname(this.#path);
    for (const name of readdirSync(folder)) {
      if (name.startsWith(`${basename(this.#path)}.`)) rmSync(join(folder, name), { force: true });
    }
  }
}

const defaultRenewalMs = 1_000;
const defaultExpiryMs = 8_000;
const restoreMs = 50;

function storeOwned(path: string, claim: Claim | undefined): StoreError {
  const who = claim === undefined ? 'another process' : describeClaim(claim);
  return new StoreError(
    'store/owned',
    `The store is in use by ${who}. Stop that process first. If it is certainly dead, remove ${path}.`,
  );
}

function storeLost(path: string): StoreError {
  return new StoreError(
    'store/lost',
    `Another owner has taken the store: the lock ${path} names another owner. This process writes nothing more. Stop it.`,
  );
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function modifiedAtMs(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
