import { isRecord, type Json } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { type Charts, InstanceHistory, type PastStep } from '@dramaturg/host';
import { createInspector, type Inspector, watchGuards } from '@dramaturg/inspector';
import { formats } from '../../known-formats.ts';

/**
 * Replays the journal of a stored instance into an inspector. It owns the replayed actors; `lines` says how far it has
 * read. Lines must come in order and once each.
 */
export class Past {
  readonly inspector: Inspector;
  readonly #history: InstanceHistory;
  #at = 0;
  #lines = 0;
  #departures = 0;
  #last: PastStep | undefined;

  /** @param rereadCharts reads the charts again, when the instance was migrated since */
  constructor(id: string, charts: Charts, rereadCharts: () => Promise<Charts>) {
    const inspector = createInspector({ now: () => this.#at });
    const behaviours = new Map<string, Behaviour>(
      formats.map(({ name, behaviour }) => [name, watchGuards(behaviour, inspector.recordGuard)]),
    );
    this.inspector = inspector;
    this.#history = new InstanceHistory({
      id,
      charts,
      rereadCharts,
      behaviours,
      inspect: inspector.inspect,
      onStep: (step) => this.#begin(step),
    });
  }

  /** The number of lines of the journal that were replayed. */
  get lines(): number {
    return this.#lines;
  }

  /** @param until the last step to take */
  async take(lines: readonly Json[], until = Infinity): Promise<void> {
    for (const line of lines) {
      if (this.#history.steps >= until && isStep(line)) return;
      this.#lines += 1;
      await this.#history.take([line]);
      const departure = this.#history.departures[this.#departures];
      if (!departure || !this.#last) continue;
      this.#departures += 1;
      this.#note(this.#last, departure.because);
    }
  }

  #begin(step: PastStep): void {
    this.#last = step;
    this.#at = step.at;
    this.#note(step);
  }

  #note({ number, input }: PastStep, departs?: string): void {
    this.inspector.note({
      type: '@dramaturg.step',
      sessionId: 'instance',
      step: number,
      event: input.type === 'event.taken' ? input.event : input,
      ...(departs === undefined
        ? {}
        : {
            departs: `This version decides differently from the one that recorded it: ${departs}`,
          }),
    });
  }
}

function isStep(line: Json): boolean {
  return isRecord(line) && line['source'] === 'step';
}
