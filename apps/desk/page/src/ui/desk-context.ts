import { createContext, useContext } from 'react';
import type { DeskClient } from '../service/desk-client.ts';
import type { Live } from '../service/live.ts';
import type { Operator } from '../service/protocol.ts';

/** The values that every part of the desk uses. */
export interface DeskContext {
  readonly client: DeskClient;
  readonly live: Live;
  readonly me: Operator;
  /** Whether the service knows the operator by a token. */
  readonly isKnown: boolean;
  /** Whether the token allows acting. */
  readonly mayOperate: boolean;
  /** Shows a message to the operator, for a few seconds. */
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
