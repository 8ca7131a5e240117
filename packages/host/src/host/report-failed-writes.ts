import type { Store } from '../store/contract.ts';
import { overriding } from '../store/overriding.ts';
import { StoreError, type StoreErrorCode } from '../store/errors.ts';
import type { OnError } from './error-reporter.ts';

const writes = ['create', 'commit', 'acknowledge', 'delete', 'compact'] as const;

/** After these, the store may refuse every write until it is opened again. */
const untilReopened: readonly StoreErrorCode[] = ['store/failed', 'store/lost'];

/**
 * A store whose failures are reported. The caller of a write gets the error, too; but a caller may be a person far away,
 * and only the person who runs the host can open the store again.
 */
export function reportFailedWrites(store: Store, onError: OnError): Store {
  const report = (error: unknown) => {
    if (error instanceof StoreError && untilReopened.includes(error.code))
      onError(error, 'writing to the store');
  };
  const reported = writes.flatMap((name) => {
    const write = store[name]?.bind(store) as Write | undefined;
    return write ? [[name, reporting(write, report)] as const] : [];
  });
  return overriding(store, Object.fromEntries(reported));
}

type Write = (...given: unknown[]) => Promise<unknown>;

function reporting(write: Write, report: (error: unknown) => void): Write {
  return (...given) => {
    const written = write(...given);
    written.catch(report);
    return written;
  };
}
