import type { Decision, EventObject, Ports } from '@dramaturg/compiler';
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
  /** A line of the person. */
  readonly say: (text: string) => void;
  /** Makes the failed call of a turn again; undefined while no turn has failed. */
  readonly retry: (() => void) | undefined;
  /** Any other event that the machine accepts. */
  readonly send: (event: EventObject) => void;
  /** Decides what `decisions` asks, by its key. */
  readonly decide: (key: string, decision: Decision) => void;
  /** Begins again, from the input. */
  readonly restart: () => void;
  /** What can be stored now, once it has begun: the `from` of another run goes on there. */
  readonly persist: () => StoredConversation | undefined;
}

/**
 * Runs a machine and keeps what it says and does for showing: messages, events, where it stands, what is to be decided.
 * It begins once the page is shown, begins again when another machine or another input is given, and stops with its
 * component. Decisions are asked of the person at the page unless there is a port for them.
 *
 * @param machine what `compile` gives; nothing runs while it is undefined
 * @param ports may change at any time; a call is answered by those of the moment
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
