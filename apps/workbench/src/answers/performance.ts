import { OpenCalls, parseTranscript, type Step } from '@dramaturg/testing/transcript';
import type { EventObject, Ports } from '@dramaturg/compiler';

/** The run in which a transcript is played. */
interface Stage {
  readonly say: (text: string) => void;
  readonly send: (event: EventObject) => void;
}

/**
 * Plays a transcript: the messages of the person and the answers of the model. `lines` lists them and the calls of the
 * machine in the notation of transcripts.
 */
export class Performance {
  readonly lines: string[] = [];
  readonly #calls = new OpenCalls(this.lines);
  readonly #steps: readonly Step[];

  constructor(text: string) {
    this.#steps = parseTranscript(text).filter(({ kind }) => kind !== 'expected');
  }

  get ports(): Ports {
    return this.#calls.ports;
  }

  /** Resolves at the end of the transcript. @param pauseMs milliseconds after each step */
  async play(stage: () => Stage, pauseMs: number, signal: AbortSignal): Promise<void> {
    for (const step of this.#steps) {
      await settled(pauseMs);
      if (signal.aborted) return;
      this.lines.push(step.line);
      if (step.kind === 'user') stage().say(step.text);
      else if (step.kind === 'event') stage().send(step.event);
      else this.#calls.feed(step);
    }
    await settled(pauseMs);
  }
}

/** Waits until the machine needs input from outside, and then for the pause. */
async function settled(pauseMs: number): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setTimeout(resolve, 0));
  if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
}
