import * as z from 'zod';
import { number, positiveCount, text } from './field.ts';
import type { ValueSource } from './state.ts';

const positive = number('a number above 0', (value) => value > 0);
const strategies = ['sliding_window', 'priority_based', 'semantic', 'summarize'] as const;
const whens = ['TokensExceed', 'Always', 'Never'] as const;

/** Agent 3 §Context */
export const contextWindow = z.object({
  /** `sliding_window` when left out. */
  Strategy: z.enum(strategies).optional(),
  /** The size limit of the agent's input; 8000 when left out. */
  MaxTokens: positive.optional(),
  /** Paths, the most important first, of `priority_based`. */
  Priority: z.array(text).optional(),
  /** Paths that are always included, and paths that never are. */
  Include: z.array(text).optional(),
  Exclude: z.array(text).optional(),
  /** The search text for `Candidates`, of `semantic`. */
  Query: text.optional(),
  'Query.$': text.optional(),
  /** Where the searched list is. */
  Candidates: text.optional(),
  TopK: positiveCount.optional(),
  Summarize: z
    .object({
      When: z.enum(whens).optional(),
      /** The agent that summarises. */
      Using: text.optional(),
      /** The part that is summarised; all when left out. */
      Target: text.optional(),
      /** The length of the summary relative to its source. */
      Ratio: number('a number from 0 to 1', (value) => value >= 0 && value <= 1).optional(),
    })
    .optional(),
});

export interface ContextWindow {
  readonly strategy: (typeof strategies)[number];
  readonly maxTokens: number;
  readonly priority: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly search: Search | undefined;
  readonly summary: Summary | undefined;
}

interface Search {
  readonly query: ValueSource<string>;
  readonly candidates: string;
  readonly most: number;
}

interface Summary {
  readonly agent: string;
  readonly always: boolean;
  readonly target: string;
  readonly ratio: number | undefined;
}
