'use client';

import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { hostClient, type HostClientOptions, type HostProtocol } from './host-client.ts';
import { type HostState, HostWatch, unknownHost } from './host-watch.ts';

/** The state of a host, and its client. */
export interface HostControls extends HostState {
  readonly client: HostProtocol;
}

/**
 * Follows the instances and events of a host in another process while the component is mounted. Reconnects when the host
 * restarts.
 *
 * @param url the address of its protocol
 */
export function useHost(url: string, { headers }: HostClientOptions = {}): HostControls {
  const headerText = JSON.stringify(headers ?? {});
  const client = useMemo(
    () => hostClient(url, { headers: JSON.parse(headerText) as Record<string, string> }),
    [url, headerText],
  );
  const [watch, setWatch] = useState<HostWatch>();
  useEffect(() => {
    const began = new HostWatch(client);
    setWatch(began);
    void began.run();
    return () => {
      began.stop();
      setWatch(undefined);
    };
  }, [client]);
  const state = useSyncExternalStore(
    useCallback((listener: () => void) => watch?.subscribe(listener) ?? nothing, [watch]),
    () => watch?.state ?? unknownHost,
    () => unknownHost,
  );
  return { ...state, client };
}

const nothing = () => {};
