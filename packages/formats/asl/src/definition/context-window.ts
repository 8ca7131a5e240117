import * as z from 'zod/mini';
import { optional, number, positiveCount, text } from './field.ts';
import type { ValueSource } from './state.ts';

const positive = number('a number above 0', { type: 'number', exclusiveMinimum: 0 });
const strategies = ['sliding_window', 'priority_based', 'semantic', 'summarize'] as const;
const whens = ['TokensExceed', 'Always', 'Never'] as const;

export const summary = z.object({
  When: optional(z.enum(whens), 'When data is summarised.'),
  Using: optional(text, 'The agent that summarises.'),
  Target: optional(text, 'The part that is summarised; all when left out.'),
  Ratio: optional(
    number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 }),
    'The length of the summary relative to its source.',
  ),
});

/** Agent 3 §Context */
export const contextWindow = z.object({
  Strategy: optional(z.enum(strategies), '`sliding_window` when left out.'),
  MaxTokens: optional(positive, "The size limit of the agent's input; 8000 when left out."),
  Priority: optional(z.array(text), 'Paths, the most important first, of `priority_based`.'),
  Include: optional(z.array(text), 'Paths that are always included, and paths that never are.'),
  Exclude: optional(z.array(text), 'Paths of data to leave out.'),
  Query: optional(text, 'The search text for `Candidates`, of `semantic`.'),
  'Query.$': optional(text, 'The value of `Query`, by a path or an intrinsic function.'),
  Candidates: optional(text, 'Where the searched list is.'),
  TopK: optional(positiveCount, 'The most passages of a search.'),
  Summarize: optional(summary, 'How data is summarised.'),
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
