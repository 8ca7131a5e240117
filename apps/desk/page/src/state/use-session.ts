import { HostRequestError } from '@dramaturg/react';
import { useCallback, useEffect, useState } from 'react';
import { Connection, DeskClient } from '../service/desk-client.ts';
import type { Me, Operator } from '../service/protocol.ts';
import { sentenceOf } from '../ui/problem.tsx';
import { wording } from '../wording.ts';

/** The session of the operator at this page. */
export type Session =
  | { readonly status: 'connecting' }
  | { readonly status: 'signedOut'; readonly problem?: string | undefined }
  /** The service requires no token, so the operator enters a name. */
  | { readonly status: 'unnamed'; readonly me: Me; readonly connection: Connection }
  | { readonly status: 'signedIn'; readonly me: Operator; readonly connection: Connection };

const [key, nameKey] = ['dramaturg-desk-token', 'dramaturg-desk-name'];

/** The session. The token is in `sessionStorage` only: never in an address, a cookie or another tab. */
export function useSession() {
  const [session, setSession] = useState<Session>({ status: 'connecting' });
  const connect = useCallback(async (token: string | undefined) => {
    const connection = new Connection(token, () => {
      sessionStorage.removeItem(key);
      setSession({ status: 'signedOut', ...(token !== undefined && unknown) });
    });
    try {
      const me = await new DeskClient(connection).me();
      if (!mayRead(me)) {
        setSession({ status: 'signedOut', problem: wording.signIn.mayNotRead });
        return;
      }
      if (token !== undefined) sessionStorage.setItem(key, token);
      const name = me.name ?? sessionStorage.getItem(nameKey);
      if (name === null) setSession({ status: 'unnamed', me, connection });
      else setSession({ status: 'signedIn', me: { ...me, name }, connection });
    } catch (error) {
      if (error instanceof HostRequestError && error.status === 401) return;
      setSession({ status: 'signedOut', problem: sentenceOf(error) });
    }
  }, []);
  const signIn = useCallback((token: string) => void connect(token), [connect]);
  const retry = useCallback(
    () => void connect(sessionStorage.getItem(key) ?? undefined),
    [connect],
  );
  useEffect(() => retry(), [retry]);
  const giveName = useCallback((name: string) => {
    sessionStorage.setItem(nameKey, name);
    setSession((before) =>
      before.status === 'unnamed'
        ? { ...before, status: 'signedIn', me: { ...before.me, name } }
        : before,
    );
  }, []);
  const signOut = useCallback(() => {
    sessionStorage.removeItem(key);
    sessionStorage.removeItem(nameKey);
    setSession({ status: 'signedOut' });
  }, []);
  return { session, signIn, signOut, retry, giveName };
}

/** Whether the token of an operator has a scope. */
export function hasScope({ scopes }: Me, scope: Me['scopes'][number]): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

const unknown = { problem: wording.signIn.unknown };

function mayRead(me: Me): boolean {
  return hasScope(me, 'read');
}
