import { basename, dirname, join } from 'node:path';
import type { System } from '../disk/system.ts';
import { type StoreError, storeClosed, systemCodeOf, systemFailure } from '../errors.ts';
import type { Ownership } from '../ownership.ts';
import { type Claim, formatClaim, parseClaim } from './claim.ts';
import {
  findLock,
  type FoundLock,
  readLock,
  releasedTokens,
  renewalMs,
  storeLost,
  storeOwned,
} from './lock-file.ts';

export interface OwnerLockOptions {
  readonly system: System;
  /** Called when the lock cannot be renewed: once, until a renewal succeeds. */
  readonly onTrouble: (error: StoreError) => void;
}

/**
 * The state of the previous owner. `none`: there was no lock. The owner has released it, or a person has removed it, so the store
 * itself must know whether it was closed. `dead`: the process is certainly dead. `silent`: the process cannot be checked and has
 * not renewed its lock for eight seconds; it may be frozen and write again.
 */
export type PreviousOwner = 'none' | 'dead' | 'silent';

/**
 * The owner lock of a store (H6): a file that names the one owner. Owns that file and the timer that renews it. The lock of a
 * dead owner is removed:
 *
 * - An owner on the same running machine is dead when no process has its number and start time. The lock of a killed process is
 *   therefore taken over immediately.
 * - An owner that cannot be checked (another machine, a container, an earlier start of this machine, a hidden process) touches
 *   its lock every second, and counts as dead after eight seconds without a touch. An owner that was frozen for longer notices
 *   its loss at its next renewal. The store has to prevent its writes until then, and learns of it by `previous`.
 *
 * The owner is certain of its store for two seconds from the beginning of a renewal. A renewal counts when the lock is still its
 * own after the touch, and a touched lock is not removed. So no other owner has the store for six more seconds.
 *
 * States: acquiring → held (certain or uncertain) → released or lost. A lost lock is never acquired again.
 */
export class OwnerLock implements Ownership {
  readonly #path: string;
  readonly #claim: Claim;
  readonly #options: OwnerLockOptions;
  /** When the last renewal began, by the time of day, which continues while the machine sleeps. */
  #renewedAt: number;
  #cancelRenewal: (() => void) | undefined;
  #renewing: Promise<void> | undefined;
  readonly #lost = new AbortController();
  #released = false;
  #renewalFails = false;
  #previous: PreviousOwner = 'none';

  private constructor(path: string, claim: Claim, options: OwnerLockOptions) {
    this.#path = path;
    this.#claim = claim;
    this.#options = options;
    this.#renewedAt = options.system.scheduler.now();
  }

  /**
   * Acquires the lock. When it rejects, it leaves no lock.
   *
   * @param path the file of the lock, in an existing folder
   * @throws `store/owned`, with a message that names the owner
   */
  static async acquire(path: string, owner: string, options: OwnerLockOptions): Promise<OwnerLock> {
    const { system } = options;
    const { processes, scheduler } = system;
    const claim: Claim = {
      token: system.randomId(),
      owner,
      process: processes.self(),
      since: new Date(scheduler.now()).toISOString(),
    };
    const lock = new OwnerLock(path, claim, options);
    try {
      await lock.#acquire();
      await lock.#sweep();
    } catch (error) {
      await lock.#giveUp(error);
      throw systemFailure(`Taking the lock ${path}`, error);
    }
    lock.#scheduleRenewal();
    return lock;
  }

  /** The state of the previous owner. */
  get previous(): PreviousOwner {
    return this.#previous;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  isCertain(): boolean {
    const sinceMs = Math.abs(this.#options.system.scheduler.now() - this.#renewedAt);
    return !this.#isOver && sinceMs <= certainMs;
  }

  async confirm(): Promise<void> {
    while (!this.isCertain()) {
      await this.check();
      if (this.#released) throw storeClosed();
      if (!this.isCertain()) await this.#options.system.scheduler.pause(renewalMs);
    }
  }

  /**
   * Renews the lock before a write when the last renewal is too old; after a loss, the store itself refuses the write. Otherwise
   * a suspended process could write before its timer notices that another owner has the lock. A lock that cannot be renewed does
   * not stop the write.
   *
   * @throws `store/lost`
   */
  async check(): Promise<void> {
    if (!this.isCertain()) await this.#renew();
    this.lost.throwIfAborted();
  }

  /** Notes that the store has found another owner. */
  lose(error: StoreError): void {
    this.#cancelRenewal?.();
    this.#lost.abort(error);
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#cancelRenewal?.();
    await this.#renewing;
    await this.#removeOwn();
  }

  get #isOver(): boolean {
    return this.#released || this.lost.aborted;
  }

  async #acquire(): Promise<void> {
    const { system } = this.#options;
    while (!(await this.#create())) {
      const found = await findLock(this.#path, system);
      if (found === undefined) continue;
      if (found.state === 'alive') throw await storeOwned(this.#path, found.claim, system);
      const isRemoved = await this.#removeStale(found);
      if (isRemoved && this.#previous !== 'silent') this.#previous = found.state;
    }
    // A process that removed this lock by mistake restores it within this time; see #removeStale.
    if (this.#previous !== 'none') await system.scheduler.pause(restoreMs);
    const text = await readLock(this.#path, system);
    if (text !== formatClaim(this.#claim))
      throw await storeOwned(this.#path, parseClaim(text ?? ''), system);
  }

  /** Creates the lock with its content atomically, unless it exists. */
  async #create(): Promise<boolean> {
    const { files, scheduler } = this.#options.system;
    const draft = this.#ownDraft;
    this.#renewedAt = scheduler.now();
    await this.#writeDraft(draft);
    try {
      await files.link(draft, this.#path);
      return true;
    } catch (error) {
      // Another owner was faster, and has removed the draft or created the lock.
      if (['EEXIST', 'ENOENT'].includes(systemCodeOf(error) ?? '')) return false;
      throw error;
    } finally {
      await files.remove(draft);
    }
  }

  async #writeDraft(draft: string): Promise<void> {
    const file = await this.#options.system.files.open(draft, 'write');
    try {
      await file.write(Buffer.from(formatClaim(this.#claim)), 0);
    } finally {
      await file.close();
    }
  }

  get #ownDraft(): string {
    return `${this.#path}.${this.#claim.token}`;
  }

  /**
   * Removes the lock of a dead owner. Another process may have replaced that lock since the check, or its owner may have renewed it;
   * it is then restored.
   */
  async #removeStale({ text, modifiedAt }: FoundLock): Promise<boolean> {
    const { system } = this.#options;
    const aside = this.#ownDraft;
    try {
      await system.files.rename(this.#path, aside);
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return false;
      throw error;
    }
    try {
      const isRight =
        (await readLock(aside, system)) === text &&
        (await system.files.stat(aside))?.modifiedAt === modifiedAt;
      if (!isRight) await system.files.link(aside, this.#path);
      return isRight;
    } catch (error) {
      // A third process has created its own lock. The owner of the removed lock notices this and gives up.
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      return false;
    } finally {
      await system.files.remove(aside);
    }
  }

  #scheduleRenewal(): void {
    if (this.#isOver) return;
    const { scheduler } = this.#options.system;
    this.#cancelRenewal = scheduler.after(renewalMs, () => {
      void this.#renew().then(() => this.#scheduleRenewal());
    });
  }

  /** Renews the lock; never rejects. Concurrent calls share one renewal. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#touch().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #touch(): Promise<void> {
    const { files, scheduler } = this.#options.system;
    if (this.#isOver) return;
    const now = scheduler.now();
    try {
      let isOwn = await this.#isOwn();
      if (isOwn) {
        await files.touch(this.#path, now);
        isOwn = await this.#isOwn();
      }
      if (!isOwn) return this.lose(storeLost(this.#path));
      this.#renewedAt = now;
      this.#renewalFails = false;
    } catch (error) {
      // Reports a lasting failure once.
      const isReported = this.#renewalFails;
      this.#renewalFails = true;
      if (!isReported)
        this.#options.onTrouble(systemFailure(`Keeping the lock ${this.#path}`, error));
    }
  }

  /** Reads a missing or foreign lock again: a process that removed it by mistake restores it; see `#removeStale`. */
  async #isOwn(): Promise<boolean> {
    const { system } = this.#options;
    const own = formatClaim(this.#claim);
    if ((await readLock(this.#path, system)) === own) return true;
    await system.scheduler.pause(restoreMs);
    return (await readLock(this.#path, system)) === own;
  }

  /** Removes the lock, and retries after a failure, because a remaining lock would name a living process. */
  async #removeOwn(): Promise<void> {
    const { system } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isOwn = (await readLock(this.#path, system)) === formatClaim(this.#claim);
        if (isOwn) await system.files.remove(this.#path);
        return;
      } catch (error) {
        if (attempt === releaseAttemptsMax) {
          this.#removeLater();
          throw systemFailure(`Releasing ${this.#path}`, error);
        }
      }
      await system.scheduler.pause(restoreMs);
    }
  }

  /** Removes the lock once the device allows it. Until then, this process treats it as the lock of a dead owner. */
  #removeLater(): void {
    const { system } = this.#options;
    releasedTokens.add(this.#claim.token);
    const remove = async () => {
      const found = await findLock(this.#path, system);
      if (found?.text === formatClaim(this.#claim)) await this.#removeStale(found);
      releasedTokens.delete(this.#claim.token);
    };
    system.scheduler.after(renewalMs, () => void remove().catch(() => this.#removeLater()));
  }

  /** Removes the remains of a failed acquisition. */
  async #giveUp(error: unknown): Promise<void> {
    try {
      await this.#removeOwn();
      await this.#options.system.files.remove(this.#ownDraft);
    } catch (second) {
      const both = new AggregateError([error, second]);
      throw systemFailure(`Releasing the lock ${this.#path} after a failure`, both);
    }
  }

  /** Removes drafts of processes that were killed while they acquired the lock. */
  async #sweep(): Promise<void> {
    const { files } = this.#options.system;
    const folder = dirname(this.#path);
    for (const name of await files.list(folder)) {
      if (name.startsWith(`${basename(this.#path)}.`)) await files.remove(join(folder, name));
    }
  }
}

/** The time from the beginning of a renewal for which the owner is certain. */
const certainMs = 2 * renewalMs;
const restoreMs = 50;
const releaseAttemptsMax = 3;
