import { unknownDefinitionsOption } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';

/** The description of a tool for models and people. A graph names a tool only by its id. */
const toolDescription = z.strictObject({
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  parameters: z.optional(z.record(z.string(), z.json())),
});

/** How a graph is compiled. Spec: docs/formats/context-graph.md#options */
export const contextGraphOptions = z.strictObject({
  /** `lenient` reads missing lists of an action state as empty; `strict` turns two warnings into errors. */
  profile: z._default(z.enum(['standard', 'lenient', 'strict']), 'standard'),
  maxTransitionsPerTurn: z._default(z.int().check(z.positive(), z.lte(1_000)), 25),
  maxVisitsPerState: z._default(z.int().check(z.positive(), z.lte(1_000)), 3),
  /** The result of a transition that exceeds a limit: the latest action state, or a void turn. */
  onLimit: z._default(z.enum(['fallback', 'error']), 'fallback'),
  /** The result of a decision when the model twice names none of its exits. */
  onNoExit: z._default(z.enum(['fallback', 'last-exit', 'error']), 'fallback'),
  /** Whether a referenced graph ends without a word, or its terminal state speaks and waits before the jumpback. */
  childTerminal: z._default(z.enum(['silent', 'speak']), 'silent'),
  /** After this many messages, the older half of them is replaced by a summary. Off by default. */
  summariseAfter: z.optional(z.int().check(z.gte(4))),
  onToolError: z._default(z.enum(['continue', 'abort-turn']), 'continue'),
  /** Whether a reflection longer than its `word_limit` is cut. */
  wordLimit: z._default(z.enum(['advise', 'cut']), 'advise'),
  /** Graphs that `references` name: by `id@version`, by id, or by the reference's name. */
  graphs: z._default(z.record(z.string(), z.json()), {}),
  unknownDefinitions: unknownDefinitionsOption,
  /** Descriptions of the tools, by `tool_id`. */
  tools: z._default(z.record(z.string(), toolDescription), {}),
});

export type ContextGraphOptions = z.infer<typeof contextGraphOptions>;
