import type { Json } from '@dramaturg/compiler';
import type { ConversationControls } from '@dramaturg/react';
import { useEffect, useRef, useState } from 'react';
import type { AnyStateMachine } from 'xstate';
import { Performance } from '../answers/performance.ts';

interface Stage {
  readonly run: ConversationControls;
  readonly speed: number;
}

/** Milliseconds between two steps at 25 words per second. */
const stepPauseMs = 450;

interface Playback {
  readonly performance: Performance;
  readonly speed: number;
  readonly machine: AnyStateMachine | undefined;
  readonly input: string | undefined;
}

/**
 * Plays transcripts in a workbench. The run restarts, and the transcript answers its ports until another run starts.
 * Changing the machine or its input ends the playback.
 */
export function usePerformance(
  machine: AnyStateMachine | undefined,
  machineInput: Json | undefined,
) {
  const input = JSON.stringify(machineInput);
  const [playback, setPlayback] = useState<Playback>();
  if (playback && (playback.machine !== machine || playback.input !== input))
    setPlayback(undefined);
  const [isOver, setIsOver] = useState(false);
  const latest = useRef<ConversationControls>(undefined);

  const begin = (text: string, { run, speed }: Stage) => {
    setIsOver(false);
    setPlayback({ performance: new Performance(text), speed, machine, input });
    run.restart();
  };

  useEffect(() => {
    if (!playback) return undefined;
    const stopping = new AbortController();
    const { performance, speed } = playback;
    const pause = speed > 0 ? (stepPauseMs * 25) / speed : 0;
    void performance
      .play(() => latest.current!, pause, stopping.signal)
      .then(() => stopping.signal.aborted || setIsOver(true));
    return () => stopping.abort();
  }, [playback]);

  return {
    performance: playback?.performance,
    isPlaying: playback !== undefined && !isOver,
    begin,
    end: () => setPlayback(undefined),
    /** Sets the run that the page shows. */
    follow: (run: ConversationControls) => {
      latest.current = run;
    },
  };
}
