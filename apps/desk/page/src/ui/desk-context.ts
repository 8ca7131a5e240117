import { createContext, useContext } from 'react';
import type { DeskClient } from '../service/desk-client.ts';
import type { Live } from '../service/live.ts';
import type { Operator } from '../service/protocol.ts';

/** What every part of the desk uses. */
export interface DeskContext {
  readonly client: DeskClient;
  readonly live: Live;
  readonly me: Operator;
  /** The service knows the operator by a token. */
  readonly isKnown: boolean;
  /** The token allows acting. */
  readonly mayOperate: boolean;
  /** Says something to the operator, for a few seconds. */
  readonly say: (text: string) => void;
  /** Shows why something failed, until the operator dismisses it. */
  readonly complain: (error: unknown) => void;
}

export const deskContext = createContext<DeskContext | undefined>(undefined);

export function useDesk(): DeskContext {
  const context = useContext(deskContext);
  if (!context) throw new Error('Outside of the desk.');
  return context;
}
