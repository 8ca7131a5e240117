import { StoreError } from '../store/errors.ts';
import type { HostOptions } from './options.ts';

/** Reports an error of background work, with what the host was doing. */
export type OnError = (error: unknown, doing: string) => void;

/** @param isStopping errors because the store is closed are expected then: the next host resumes the work */
export function errorReporter(onError: HostOptions['onError'], isStopping: () => boolean): OnError {
  return (error, doing) => {
    if (isStopping() && error instanceof StoreError && error.code === 'store/closed') return;
    if (onError) return onError(error, doing);
    const reason = error instanceof Error ? error.message : String(error);
    // oxlint-disable-next-line no-console -- No caller waits for this error, and it must not be lost.
    console.error(`dramaturg: ${doing} failed: ${reason}`);
  };
}
