import { OpenCalls, parseTranscript, type Step } from '@dramaturg/host/transcript';
import type { EventObject, Ports } from '@dramaturg/compiler';

/** A machine that a transcript can be played with. */
interface Stage {
  readonly say: (text: string) => void;
  readonly send: (event: EventObject) => void;
}

/**
 * Plays a transcript: what the person says, and what the model answers. `lines` are what was fed in and what the machine
 * has asked, as a transcript says it.
 */
export class Performance {
  readonly lines: string[] = [];
  readonly #calls = new OpenCalls(this.lines);
  readonly #steps: readonly Step[];

  /** @param text a transcript of a test */
  constructor(text: string) {
    this.#steps = parseTranscript(text).filter(({ kind }) => kind !== 'expected');
  }

  get ports(): Ports {
    return this.#calls.ports;
  }

  /** Resolves when it is over. @param pause milliseconds after each step */
  async play(stage: () => Stage, pause: number, signal: AbortSignal): Promise<void> {
    for (const step of this.#steps) {
      await settled(pause);
      if (signal.aborted) return;
      this.lines.push(step.line);
      if (step.kind === 'user') stage().say(step.text);
      else if (step.kind === 'event') stage().send(step.event);
      else this.#calls.feed(step);
    }
    await settled(pause);
  }
}

/** Everything that can happen without outside help has happened, and has been looked at for a while. */
async function settled(pause: number): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setTimeout(resolve, 0));
  if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
}
