import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { HostSession, type SessionOptions } from './host-session.ts';

/** A host for as long as the page is shown. */
export function useHostSession(options: SessionOptions): HostSession | undefined {
  const [session, setSession] = useState<HostSession>();
  useEffect(() => {
    const began = new HostSession(options);
    setSession(began);
    void began.open();
    const watching = setInterval(() => void began.look(), 200);
    return () => {
      clearInterval(watching);
      void began.close();
    };
    // What a stage is given first is what it has.
  }, []);
  useSyncExternalStore(
    useCallback((listener: () => void) => session?.subscribe(listener) ?? nothing, [session]),
    () => session?.state,
  );
  return session;
}

const nothing = () => {};
