import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { HostSession, type SessionOptions } from './host-session.ts';

/** Runs a host while the page is shown. */
export function useHostSession(options: SessionOptions): HostSession | undefined {
  const [session, setSession] = useState<HostSession>();
  useEffect(() => {
    const created = new HostSession(options);
    setSession(created);
    void created.open();
    const watching = setInterval(() => void created.look(), 200);
    return () => {
      clearInterval(watching);
      void created.close();
    };
    // Later changes of the options have no effect.
  }, []);
  useSyncExternalStore(
    useCallback((listener: () => void) => session?.subscribe(listener) ?? nothing, [session]),
    () => session?.state,
  );
  return session;
}

const nothing = () => {};
