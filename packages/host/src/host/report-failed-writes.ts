import type { Store } from '../store/contract.ts';
import { StoreError, type StoreErrorCode } from '../store/errors.ts';
import type { OnError } from './error-reporter.ts';

const writes: ReadonlySet<PropertyKey> = new Set<keyof Store>([
  'create',
  'commit',
  'acknowledge',
  'delete',
  'compact',
]);

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
  const methods = new Map<PropertyKey, unknown>();
  return new Proxy(store, {
    get(_, name) {
      const known = methods.get(name);
      if (known) return known;
      const value: unknown = Reflect.get(store, name);
      if (typeof value !== 'function') return value;
      const call = value.bind(store) as (...given: unknown[]) => unknown;
      const method = writes.has(name) ? reporting(call, report) : call;
      methods.set(name, method);
      return method;
    },
  });
}

function reporting(call: (...given: unknown[]) => unknown, report: (error: unknown) => void) {
  return (...given: unknown[]) => {
    const written = call(...given) as Promise<unknown>;
    written.catch(report);
    return written;
  };
}
