import { Chance } from '@dramaturg/testing';
import { createHost, memoryStore } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { scaled } from '../../../.config/scaled.ts';
import { type EndedSpan, traceHost, type TracePosition } from '../src/index.ts';
import { workflow } from './stage.ts';

/** `CRASHES=1000` crashes as often. */
const crashes = Number(process.env['CRASHES'] ?? scaled(100));

const points = ['before a save', 'after a save', 'before an export', 'after an export'] as const;

const echo = workflow({
  StartAt: 'Echo',
  States: { Echo: { Type: 'Task', Agent: 'echo', End: true } },
});
const spansOfRun = 4;

/** What a process has that dies at a point: afterwards nothing of it has an effect. */
class MortalProcess {
  isDead = false;
  handedOn = 0;
  readonly #dieAt: string;
  #countdown: number;

  constructor(dieAt: (typeof points)[number], countdown: number) {
    this.#dieAt = dieAt;
    this.#countdown = countdown;
  }

  position(stored: { text: string | undefined }): TracePosition {
    return {
      load: async () => stored.text,
      save: async (text) => {
        this.#reach('before a save');
        stored.text = text;
        this.#reach('after a save');
      },
    };
  }

  exporter(collected: string[]) {
    return {
      export: (spans: EndedSpan[], onResult: (result: { code: number }) => void) => {
        try {
          this.#reach('before an export');
          collected.push(...spans.map((span) => span.spanContext().spanId));
          this.handedOn += spans.length;
          this.#reach('after an export');
          onResult({ code: 0 });
        } catch {
          // It is dead: nobody waits for the result.
        }
      },
      shutdown: async () => {},
    };
  }

  #reach(point: string): void {
    if (!this.isDead && point === this.#dieAt) {
      this.#countdown -= 1;
      this.isDead = this.#countdown < 0;
    }
    if (this.isDead) throw new Error('The process is dead.');
  }
}

test.each(['at-most-once', 'at-least-once'] as const)(
  `${crashes} crashes at all points keep the promise of %s`,
  async (guarantee) => {
    const chance = new Chance(7);
    const host = await createHost({
      store: memoryStore(),
      definitions: { echo },
      ports: { runAgent: () => ({ result: 'fine' }) },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    const stored: { text: string | undefined } = { text: undefined };
    const collected: string[] = [];
    let runs = 0;
    for (let crash = 0; crash <= crashes; crash += 1) {
      const isLast = crash === crashes;
      const mortal = new MortalProcess(
        points[crash % points.length]!,
        isLast ? Infinity : chance.between(0, 2),
      );
      const tracing = await traceHost(host, {
        exporter: mortal.exporter(collected),
        position: mortal.position(stored),
        fromBeginning: true,
        guarantee,
        batch: { everyMs: 1, spans: chance.between(1, 9) },
        retryMs: { first: 1, max: 1 },
        onError: () => {},
      });
      for (let turn = 0; turn < 30 && !mortal.isDead; turn += 1) {
        if (!isLast) {
          runs += 1;
          await host.start('echo', { id: `e${runs}` });
          await host.settle();
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      if (isLast) await tracing.flush();
      expect(mortal.isDead).toBe(!isLast);
      await tracing.stop({ within: 0 });
    }
    const different = new Set(collected).size;
    const [repeated, missing] = [collected.length - different, runs * spansOfRun - different];
    expect(guarantee === 'at-most-once' ? repeated : missing).toBe(0);
    // A crash costs one batch at most, and most crashes cost none.
    expect(missing).toBeLessThan((runs * spansOfRun) / 2);
  },
  120_000 + crashes * 500,
);
