import type { StoredConversation } from '@dramaturg/react';
import { useState } from 'react';
import type { AnyStateMachine, StateValue } from 'xstate';

interface Begun {
  readonly machine: AnyStateMachine | undefined;
  /** The run that continues in the machine. */
  readonly from?: StoredConversation | undefined;
}

/** The machine that runs. A changed machine takes over the run in its current states, if it still has them. */
export function useBegun(machine: AnyStateMachine | undefined) {
  const [begun, setBegun] = useState<Begun>({ machine });
  return {
    begun,
    /** Runs a machine from the beginning. */
    begin: (next: AnyStateMachine | undefined) => setBegun({ machine: next }),
    /** Runs a machine from the current state of the run. */
    goOn: (next: AnyStateMachine | undefined, stored: StoredConversation | undefined) =>
      setBegun({ machine: next, from: next && stored && fits(next, stored) ? stored : undefined }),
  };
}

/** Whether a machine has the current states of a stored run, and the run has not ended. */
export function fits(machine: AnyStateMachine, { snapshot }: StoredConversation): boolean {
  const { status, value } = snapshot as { readonly status: string; readonly value: StateValue };
  return status === 'active' && hasStates(machine.root, value);
}

interface Node {
  readonly states: Readonly<Record<string, Node>>;
}

function hasStates({ states }: Node, value: StateValue): boolean {
  if (typeof value === 'string') return Object.hasOwn(states, value);
  return Object.entries(value).every(
    ([key, inner]) =>
      Object.hasOwn(states, key) && (inner === undefined || hasStates(states[key]!, inner)),
  );
}
