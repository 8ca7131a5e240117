import type { Activity } from '../admission/activity.ts';
import { backoff } from '../admission/backoff.ts';
import { Lane, type Ticket } from '../admission/lane.ts';
import type { Schedule } from '../admission/schedule.ts';
import type { HostErrorCode } from '../errors.ts';
import type { StoreErrorCode } from '../store/errors.ts';
import type { OnError } from './error-reporter.ts';

export interface ReviverOptions {
  /** Loads an instance, which then continues its work. */
  readonly load: (id: string) => Promise<void>;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly activity: Activity;
  readonly onError: OnError;
}

/** How many instances are loaded at the same time. */
const loadsMax = 16;

interface Broken {
  failures: number;
  /** Keeps the number of failures, by cancelling the timer that forgets it. */
  remember: () => void;
}

/**
 * Reloads broken instances from the store, after a pause that grows while they break again. States: running, or stopped for good.
 */
export class Reviver {
  readonly #options: ReviverOptions;
  readonly #lane: Lane;
  readonly #broken = new Map<string, Broken>();
  #isStopped = false;

  constructor(options: ReviverOptions) {
    const { schedule, activity } = options;
    this.#options = options;
    const work = (ticket: Ticket, begin: () => void) => this.#load(ticket.key, begin);
    const onFailure = ({ key }: Ticket, error: unknown) => this.revive(key, error, 'loading');
    this.#lane = new Lane({ concurrency: loadsMax, work, onFailure, schedule, activity });
  }

  /**
   * @param error why the instance could not continue
   * @param doing what failed: the first word of the report
   */
  revive(id: string, error: unknown, doing: 'carrying' | 'loading'): void {
    const { onError, random } = this.#options;
    onError(error, `${doing} the instance ${JSON.stringify(id)}`);
    const broken = this.#broken.get(id) ?? { failures: 0, remember: () => {} };
    broken.remember();
    this.#broken.delete(id);
    if (this.#isStopped || isPermanent(error)) return;
    broken.failures += 1;
    this.#broken.set(id, broken);
    this.#lane.addAfter(backoff(broken.failures, random), { key: id, group: id });
  }

  stop(): void {
    this.#isStopped = true;
    this.#lane.limit(0);
  }

  async #load(id: string, begin: () => void): Promise<void> {
    begin();
    await this.#options.load(id);
    // An instance that soon breaks again has not recovered.
    const { schedule, random } = this.#options;
    const broken = this.#broken.get(id);
    // It broke while it was loaded, and loading it again would not help.
    if (!broken) return;
    const pause = backoff(broken.failures + 2, random);
    broken.remember = schedule.after(pause, () => this.#broken.delete(id));
  }
}

/** Codes of errors that remain when the instance is loaded again. */
const permanentCodes: readonly unknown[] = [
  'store/closed',
  'store/lost',
  'store/damaged',
  'store/unknown',
  'host/damaged',
  'host/unknown-instance',
  'host/unknown-definition',
] satisfies (StoreErrorCode | HostErrorCode)[];

/** Whether repeating the work gives the same error. */
export function isPermanent(error: unknown): boolean {
  return permanentCodes.includes((Object(error) as { code?: unknown }).code);
}
