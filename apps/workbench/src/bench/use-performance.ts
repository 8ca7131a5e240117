import type { Json } from '@dramaturg/compiler';
import type { ConversationControls } from '@dramaturg/react';
import { useEffect, useRef, useState } from 'react';
import type { AnyStateMachine } from 'xstate';
import { Performance } from '../answers/performance.ts';

interface Beginning {
  readonly run: ConversationControls;
  readonly speed: number;
}

/** Milliseconds between two steps at 25 words a second. */
const stepPause = 450;

interface Playing {
  readonly performance: Performance;
  readonly speed: number;
  readonly machine: AnyStateMachine | undefined;
  readonly input: string | undefined;
}

/**
 * Plays transcripts in a workbench: the run begins again, and its ports are the transcript's for as long as it is that
 * run. Another machine or input makes another one.
 */
export function usePerformance(machine: AnyStateMachine | undefined, given: Json | undefined) {
  const input = JSON.stringify(given);
  const [playing, setPlaying] = useState<Playing>();
  if (playing && (playing.machine !== machine || playing.input !== input)) setPlaying(undefined);
  const [isOver, setIsOver] = useState(false);
  const latest = useRef<ConversationControls>(undefined);

  const begin = (text: string, { run, speed }: Beginning) => {
    setIsOver(false);
    setPlaying({ performance: new Performance(text), speed, machine, input });
    run.restart();
  };

  useEffect(() => {
    if (!playing) return undefined;
    const stopping = new AbortController();
    const { performance, speed } = playing;
    const pause = speed > 0 ? (stepPause * 25) / speed : 0;
    void performance
      .play(() => latest.current!, pause, stopping.signal)
      .then(() => stopping.signal.aborted || setIsOver(true));
    return () => stopping.abort();
  }, [playing]);

  return {
    performance: playing?.performance,
    isPlaying: playing !== undefined && !isOver,
    begin,
    end: () => setPlaying(undefined),
    /** The run that is shown now. */
    follow: (run: ConversationControls) => {
      latest.current = run;
    },
  };
}
