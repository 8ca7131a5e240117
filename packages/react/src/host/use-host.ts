import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { hostClient, type HostClientOptions } from './host-client.ts';
import { type HostState, HostWatch, unknownHost } from './host-watch.ts';
import type { HostProtocol } from './protocol.ts';

/** What is known of a host, and what can be asked of it. */
export interface HostControls extends HostState {
  readonly client: HostProtocol;
}

/**
 * Follows a host in another process: its instances and what happens to them, from the moment the page is shown until the
 * component goes. A host that stops is found again when it is back.
 *
 * @param url where its protocol is served
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
