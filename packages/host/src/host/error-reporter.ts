import { errorWithoutSecrets } from '@dramaturg/compiler/secrets';
import type { Schedule } from '../admission/schedule.ts';
import type { HostErrorCode } from '../errors.ts';
import { StoreError, type StoreErrorCode } from '../store/errors.ts';
import type { HostOptions } from './options.ts';

/**
 * Reports an error of background work.
 *
 * @param doing what the host was doing, as the first words of a sentence: `loading the instance "a"`
 * @param kind errors of one kind are reported together; by default what the host was doing, without names in quotes
 */
export type OnError = (error: unknown, doing: string, kind?: string) => void;

export interface ErrorReporterOptions {
  readonly onError: HostOptions['onError'];
  readonly schedule: Schedule;
  /** Whether the host is stopping. Errors because the host or its store has ended are then expected: the next host resumes the work. */
  readonly isStopping: () => boolean;
}

/** After the first report of a kind, at most one is made in this time. */
const intervalMs = 10_000;

/** Codes of work that a stop has ended. */
const endings: readonly string[] = ['store/closed', 'host/stopped'] satisfies (
  | StoreErrorCode
  | HostErrorCode
)[];

interface Suppressed {
  count: number;
  last: { readonly error: unknown; readonly doing: string } | undefined;
}

/**
 * Reports trouble to the person who runs the host, without secrets, because it is logged. The first error of a kind is reported
 * immediately. Further errors are counted, and the last one is reported with their number at the end of the interval: an outage
 * does not flood the log, and is not lost.
 */
export class ErrorReporter {
  readonly #options: ErrorReporterOptions;
  /** Suppressed errors by kind, for the kinds that were reported in the current interval. */
  readonly #suppressed = new Map<string, Suppressed>();

  #hasReportedLoss = false;

  constructor(options: ErrorReporterOptions) {
    this.#options = options;
  }

  readonly report: OnError = (error, doing, kind = doing.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')) => {
    const { isStopping } = this.#options;
    if (isStopping() && endings.includes(codeOf(error))) return;
    // All later work of the host fails with this error.
    if (error instanceof StoreError && error.code === 'store/lost') {
      if (this.#hasReportedLoss) return;
      this.#hasReportedLoss = true;
    }
    const key = `${kind} ${codeOf(error)}`;
    const suppressed = this.#suppressed.get(key);
    if (suppressed) {
      suppressed.count += 1;
      suppressed.last = { error, doing };
      return;
    }
    this.#begin(key);
    this.#tell(error, doing, 1);
  };

  /** Reports the suppressed errors. */
  flush(): void {
    for (const key of this.#suppressed.keys()) this.#end(key);
  }

  #begin(key: string): void {
    this.#suppressed.set(key, { count: 0, last: undefined });
    this.#options.schedule.after(intervalMs, () => this.#end(key));
  }

  #end(key: string): void {
    const { count, last } = this.#suppressed.get(key) ?? { count: 0, last: undefined };
    this.#suppressed.delete(key);
    if (!last) return;
    this.#begin(key);
    this.#tell(last.error, last.doing, count);
  }

  #tell(original: unknown, doing: string, count: number): void {
    const { onError } = this.#options;
    const error = errorWithoutSecrets(original);
    if (onError) return onError(error, doing, count);
    const reason = error instanceof Error ? error.message : String(error);
    const times = count === 1 ? '' : ` (${count} times)`;
    // oxlint-disable-next-line no-console -- No caller waits for this error, and it must not be lost.
    console.error(`dramaturg: ${doing} failed: ${reason}${times}`);
  }
}

function codeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  const kind = code ?? name;
  return typeof kind === 'string' ? kind : typeof error;
}
