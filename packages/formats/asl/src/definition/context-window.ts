import * as z from 'zod/mini';
import { number, positiveCount, text } from './field.ts';
import type { ValueSource } from './state.ts';

const positive = number('a number above 0', { type: 'number', exclusiveMinimum: 0 });
const strategies = ['sliding_window', 'priority_based', 'semantic', 'summarize'] as const;
const whens = ['TokensExceed', 'Always', 'Never'] as const;

export const summary = z.object({
  When: z.optional(z.enum(whens)).check(z.describe('When data is summarised.')),
  Using: z.optional(text).check(z.describe('The agent that summarises.')),
  Target: z.optional(text).check(z.describe('The part that is summarised; all when left out.')),
  Ratio: z
    .optional(number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 }))
    .check(z.describe('The length of the summary relative to its source.')),
});

/** Agent 3 §Context */
export const contextWindow = z.object({
  Strategy: z.optional(z.enum(strategies)).check(z.describe('`sliding_window` when left out.')),
  MaxTokens: z
    .optional(positive)
    .check(z.describe("The size limit of the agent's input; 8000 when left out.")),
  Priority: z
    .optional(z.array(text))
    .check(z.describe('Paths, the most important first, of `priority_based`.')),
  Include: z
    .optional(z.array(text))
    .check(z.describe('Paths that are always included, and paths that never are.')),
  Exclude: z.optional(z.array(text)).check(z.describe('Paths of data to leave out.')),
  Query: z.optional(text).check(z.describe('The search text for `Candidates`, of `semantic`.')),
  'Query.$': z
    .optional(text)
    .check(z.describe('The value of `Query`, by a path or an intrinsic function.')),
  Candidates: z.optional(text).check(z.describe('Where the searched list is.')),
  TopK: z.optional(positiveCount).check(z.describe('The most passages of a search.')),
  Summarize: z.optional(summary).check(z.describe('How data is summarised.')),
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
