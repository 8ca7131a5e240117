import * as z from 'zod';
import { number, positiveCount, text } from './field.ts';
import type { ValueSource } from './state.ts';

const positive = number('a number above 0', { type: 'number', exclusiveMinimum: 0 });
const strategies = ['sliding_window', 'priority_based', 'semantic', 'summarize'] as const;
const whens = ['TokensExceed', 'Always', 'Never'] as const;

/** Agent 3 §Context */
export const contextWindow = z.object({
  Strategy: z.enum(strategies).optional().describe('`sliding_window` when left out.'),
  MaxTokens: positive
    .optional()
    .describe("The size limit of the agent's input; 8000 when left out."),
  Priority: z
    .array(text)
    .optional()
    .describe('Paths, the most important first, of `priority_based`.'),
  Include: z
    .array(text)
    .optional()
    .describe('Paths that are always included, and paths that never are.'),
  Exclude: z.array(text).optional().describe('Paths of data to leave out.'),
  Query: text.optional().describe('The search text for `Candidates`, of `semantic`.'),
  'Query.$': text.optional().describe('The value of `Query`, by a path or an intrinsic function.'),
  Candidates: text.optional().describe('Where the searched list is.'),
  TopK: positiveCount.optional().describe('The most passages of a search.'),
  Summarize: z
    .object({
      When: z.enum(whens).optional().describe('When data is summarised.'),
      Using: text.optional().describe('The agent that summarises.'),
      Target: text.optional().describe('The part that is summarised; all when left out.'),
      Ratio: number('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 })
        .optional()
        .describe('The length of the summary relative to its source.'),
    })
    .optional()
    .describe('How data is summarised.'),
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
