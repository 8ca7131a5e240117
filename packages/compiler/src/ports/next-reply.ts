import * as z from 'zod/mini';
import { toolCall } from './agent-call.ts';
import { json, jsonObject } from './json-copy.ts';

/** What models get besides the conversation, and what a call says of the reply that comes next. */

/**
 * A titled part of the instructions. `data` marks text from people or models: it is quoted and never followed. `constant` marks
 * what rarely changes over a conversation: models get it first, so that their providers cache it. `at` is the number of a message
 * that only models see, such as a thought: models get it at its place in the conversation. `progress` marks what is known and what
 * is open: it follows from the answers so far.
 */
export const promptSection = z.object({
  title: z.string(),
  text: z.string(),
  data: z.optional(z.boolean()),
  constant: z.optional(z.boolean()),
  progress: z.optional(z.boolean()),
  at: z.optional(z.int().check(z.positive())),
});

/** A tool that a model may call: its name, its purpose, and a JSON Schema of its arguments. */
export const toolSpec = z.object({
  name: z.string(),
  description: z.string(),
  parameters: jsonObject,
});

/** Tasks of a message besides its questions. Calling the tool `done` records that the task was done. */
export const direction = z.object({ text: z.string(), done: z.optional(toolCall) });

/**
 * What the next `reply` will contain, so that a port may write the message together with its answer. The machine calls `reply` in
 * any case. The message counts only if that call then has the instructions of one of the cases.
 */
export const nextReply = z.object({
  /** Sections that the reply has in each case, besides those of this call. */
  prompt: z.array(promptSection),
  /** Tools that the reply will have. A message that needs one of them has to be left to the reply. */
  tools: z.array(toolSpec),
  /** Names of further ones that nothing needs: the answer of this call says the same. */
  unneeded: z.optional(z.array(z.string())),
  /** Which reply it will be depends on the answer. For a choice, `id` is the option. */
  cases: z.array(
    z.object({
      id: z.string(),
      /** Sections of this case alone, without those marked as `progress`. */
      prompt: z.array(promptSection),
      /** What may be asked, in this order. The message asks for the first that is still open. */
      asks: z.array(
        z.object({ name: z.string(), question: z.string(), unconfirmed: z.optional(json) }),
      ),
      directions: z.array(direction),
    }),
  ),
});

/** What a set of ports wants to know in calls. It is a property beside the ports. */
export interface PortWishes {
  /** `extract` and `choose` want `reply`. A host leaves it out otherwise: it makes a stored call several times as large. */
  readonly wantsNextReplies?: boolean;
}
