import * as z from 'zod';
import type { SimulationReport } from './report.ts';

/** The fields that are read from a report. A file may contain anything, and its names become file names. */
const count = z.int().nonnegative();
const name = z.string().regex(/^[\w-]+$/);

const turn = z.looseObject({
  person: z.string().optional(),
  agent: z.array(z.string()),
  decided: z.array(z.looseObject({ port: z.string() })),
  moves: z.array(z.looseObject({ from: z.string(), to: z.string() })),
  calls: count,
  failures: z.array(z.string()),
});

const shape = z.looseObject({
  simulation: z.literal(1),
  definition: z.string(),
  agent: z.string(),
  lifecycle: z.string().optional(),
  persons: z.string(),
  cast: z.array(z.string()),
  seed: count,
  runs: z.int().min(1).max(1000),
  turnsMax: z.int().min(1).max(1000),
  score: z.looseObject({
    share: z.number(),
    low: z.number(),
    high: z.number(),
    good: count,
    conversations: count,
  }),
  personas: z.array(
    z.looseObject({
      persona: name,
      good: count,
      conversations: count,
      endings: z.record(z.string(), count),
    }),
  ),
  stuck: z.array(z.unknown()),
  conversations: z.array(
    z.looseObject({
      persona: name,
      number: z.int().positive(),
      ending: z.looseObject({ outcome: z.string(), state: z.string(), isGood: z.boolean() }),
      turns: z.array(turn),
    }),
  ),
});

export function isReport(value: unknown): value is SimulationReport {
  return shape.safeParse(value).success;
}
