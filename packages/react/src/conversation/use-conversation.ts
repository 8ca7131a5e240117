'use client';

import type { EventObject, Ports } from '@dramaturg/compiler';
import type { Decision } from '@dramaturg/compiler/machine';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { AnyStateMachine } from 'xstate';
import {
  type ConversationOptions,
  ConversationRun,
  type ConversationState,
  notBegun,
  type StoredConversation,
} from './conversation-run.ts';

export interface ConversationControls extends ConversationState {
  /** Sends a message of the person. */
  readonly say: (text: string) => void;
  /** Makes the failed call of a turn again; undefined while no turn has failed. */
  readonly retry: (() => void) | undefined;
  /** Sends any other event. */
  readonly send: (event: EventObject) => void;
  /** Answers one of `decisions`, by its key. */
  readonly decide: (key: string, decision: Decision) => void;
  /** Restarts from the input. */
  readonly restart: () => void;
  /** Returns the run as it can be stored, once started. Pass it as `from` to continue. */
  readonly persist: () => StoredConversation | undefined;
}

/**
 * Runs a machine and keeps its messages, events, values and open decisions to show. It starts when the component is
 * mounted, restarts when the machine or the input changes, and stops when the component is unmounted. The person at the
 * page decides, unless there is a port for decisions.
 *
 * @param machine the result of `compile`; nothing runs while it is undefined
 * @param ports may change at any time; a call uses the current ones
 */
export function useConversation(
  machine: AnyStateMachine | undefined,
  ports: Partial<Ports>,
  options: ConversationOptions = {},
): ConversationControls {
  const latest = useRef({ ports, options });
  useEffect(() => {
    latest.current = { ports, options };
  });
  const [round, setRound] = useState(0);
  const [run, setRun] = useState<ConversationRun>();
  const input = JSON.stringify(options.input);
  const { from } = options;

  useEffect(() => {
    if (!machine) return undefined;
    const began = new ConversationRun(machine, () => latest.current.ports, latest.current.options);
    setRun(began);
    began.start();
    return () => {
      began.stop();
      setRun(undefined);
    };
  }, [machine, input, from, round]);

  const state = useSyncExternalStore(
    useCallback((listener: () => void) => run?.subscribe(listener) ?? nothing, [run]),
    () => run?.state ?? notBegun,
    () => notBegun,
  );
  return {
    ...state,
    say: (text) => run?.say(text),
    retry: state.isFailed ? () => run?.retry() : undefined,
    send: (event) => run?.send(event),
    decide: (key, decision) => run?.decide(key, decision),
    restart: () => setRound((before) => before + 1),
    persist: () => run?.persist(),
  };
}

const nothing = () => {};
