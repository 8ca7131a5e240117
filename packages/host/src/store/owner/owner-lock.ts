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
  /** Milliseconds between two signs of life. */
  readonly renewalMs?: number;
  /** Milliseconds without one after which an owner that cannot be looked at is taken for dead. */
  readonly expiryMs?: number;
  /** Called when the lock has been taken away, or cannot be kept. */
  readonly onLoss: (error: StoreError) => void;
}

/**
 * The one owner of a store (H6): a file that says who it is. It is taken away when its owner is dead:
 *
 * - An owner on the same running machine is dead when no process has its number and its time of beginning. A process
 *   that was killed leaves its lock behind, and the next one has it at once.
 * - An owner elsewhere (another machine, a container, before this machine was started again) cannot be looked at. It
 *   touches its lock every second; when it has not for eight seconds of watching, it is dead. No two clocks are
 *   compared. A machine that sleeps longer than that loses its lock, finds out with its next touch, and stops writing.
 */
export class OwnerLock {
  readonly #path: string;
  readonly #claim: Claim;
  readonly #options: OwnerLockOptions;
  #timer: NodeJS.Timeout | undefined;
  /** By the time of day, which goes on while a machine sleeps. */
  #renewedAt = Date.now();

  private constructor(path: string, claim: Claim, options: OwnerLockOptions) {
    this.#path = path;
    this.#claim = claim;
    this.#options = options;
  }

  /**
   * @param path of the lock, in a folder that exists
   * @throws `store/owned`, naming the owner
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
    const { renewalMs: beat = defaultRenewalMs } = options;
    // A lock keeps no process alive.
    lock.#timer = setInterval(() => lock.#renew(), beat).unref();
    return lock;
  }

  /**
   * Looks at once when the last sign of life is too old: a process that was stopped for a while may write before its
   * timers tell it that another has taken the lock in the meantime.
   */
  confirm(): void {
    const { renewalMs: beat = defaultRenewalMs } = this.#options;
    if (Math.abs(Date.now() - this.#renewedAt) > 2 * beat) this.#renew();
  }

  release(): void {
    clearInterval(this.#timer);
    if (readText(this.#path) === formatClaim(this.#claim)) rmSync(this.#path, { force: true });
  }

  async #acquire(): Promise<void> {
    let tookAway = false;
    while (!this.#create()) {
      const text = readText(this.#path);
      if (text === undefined) continue;
      const claim = parseClaim(text);
      const alive = (claim && isAlive(claim.process)) ?? (await this.#isRenewed(text));
      if (alive) throw storeOwned(this.#path, claim);
      tookAway = this.#removeStale(text) || tookAway;
    }
    // Whoever took the lock away by mistake puts it back within this time; see #takeAway.
    if (tookAway) await pause(restoreMs);
    const text = readText(this.#path);
    if (text !== formatClaim(this.#claim)) throw storeOwned(this.#path, parseClaim(text ?? ''));
  }

  /** Makes the lock with its content in one step, unless there is one. */
  #create(): boolean {
    const draft = `${this.#path}.${this.#claim.token}`;
    writeFileSync(draft, formatClaim(this.#claim));
    try {
      linkSync(draft, this.#path);
      return true;
    } catch (error) {
      // A draft that has gone was swept by an owner who came first.
      if (['EEXIST', 'ENOENT'].includes(systemCodeOf(error) ?? '')) return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  async #isRenewed(text: string): Promise<boolean> {
    const { renewalMs: beat = defaultRenewalMs, expiryMs: patience = defaultExpiryMs } =
      this.#options;
    const first = modifiedAtMs(this.#path);
    for (let watched = 0; watched < patience; watched += beat) {
      await pause(beat);
      if (readText(this.#path) !== text || modifiedAtMs(this.#path) !== first) return true;
    }
    return false;
  }

  /**
   * Takes a dead owner's lock away. Between looking at it and this, another may have taken it away and made its own:
   * then that one is put back.
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
      // A third one has made its own: the one taken away sees that, and gives up.
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

  /** Takes away what processes left that were killed while they took the lock. */
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
    `The store is in use by ${who}. Stop it first. If you are certain that it is gone, remove ${path}.`,
  );
}

function storeLost(path: string): StoreError {
  return new StoreError(
    'store/lost',
    `Another owner has taken the store: the lock ${path} is not ours any more. Nothing more is written.`,
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
