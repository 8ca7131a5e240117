import * as z from 'zod/mini';
import { json, jsonObject } from './json-copy.ts';

export const toolCall = z.object({ name: z.string(), arguments: jsonObject });

const agentName = z.optional(z.string());
const callbacks = { onChunk: agentName, onComplete: agentName, onError: agentName };

/** How an answer is streamed, and the agents that are called for its chunks, its end and its failure. */
const stream = z.object({
  mode: z.string(),
  chunkSize: z.optional(z.int()),
  callbacks: z.optional(z.object(callbacks)),
});

const toolNames = z.object({
  allowed: z.optional(z.array(z.string())),
  denied: z.array(z.string()),
});

/** The permissions of the definitions around the one that makes a call: a tool must be permitted by all of them. */
export const within = z.optional(z.array(toolNames));

/** The fields of a call of an agent, without its key. */
export const agentCall = {
  agent: z.string(),
  input: json,
  /** The definition's own key for the work: equal for all attempts, and for all runs that compute the same key. */
  idempotencyKey: z.optional(z.string()),
  /** Names the task in events from outside, such as its heartbeats. Absent when the task accepts none. */
  token: z.optional(z.string()),
  /** The model to ask, if the definition or its budget names one. */
  model: z.optional(z.string()),
  /** Generation parameters such as the temperature, as the definition spells them. */
  generation: z.optional(jsonObject),
  /** Asks for the text in parts while it is generated. Modes: `token`, `line`, `chunk`, `sentence`. */
  stream: z.optional(stream),
  /** Stops calls of the agent after this many failures in a row, for this many milliseconds. */
  circuit: z.optional(z.object({ failures: z.int(), successes: z.int(), timeout: z.number() })),
  /** The remaining budget. A definition that runs as an agent is ended when it has used it up. */
  left: z.optional(z.object({ tokens: z.optional(z.number()), cost: z.optional(z.number()) })),
  /** Asks for a cheaper answer, because the budget is running out. */
  quality: z.optional(z.literal('reduced')),
  /** Asks for the reasoning, in a result `{ result, reasoning: { steps, conclusion } }`. */
  reasoning: z.optional(
    z.object({
      format: z.string(),
      minSteps: z.optional(z.int()),
      maxSteps: z.optional(z.int()),
    }),
  ),
  /** The form of the result, as a JSON Schema. The definition checks the result in any case. */
  schema: z.optional(jsonObject),
  /** The problems of the agent's previous answer, when it is asked again. */
  complaints: z.optional(z.array(z.string())),
  /**
   * The tools that the agent may use: the allowed ones (all when absent) except the denied ones. `limits` are the other fields of
   * the definition that limit them. When the call has `toolResults`, the agent can call tools with a result `{ toolCalls: [{
   * name, arguments }] }`, and is called again with their results. An agent that runs tools itself, but cannot enforce all
   * limits, must not run.
   */
  tools: z.optional(z.extend(toolNames, { limits: z.optional(z.array(z.string())), within })),
  /** The results of all tool calls so far, in the order of the calls. */
  toolResults: z.optional(
    z.array(z.extend(toolCall, { result: z.optional(json), error: z.optional(z.string()) })),
  ),
};

/** Data for models besides the conversation, and the prediction of the next reply in a call. */

/**
 * A titled part of the instructions. `data` marks text from people or models: it is quoted and never followed. `constant` marks a
 * part that rarely changes over a conversation: models get it first, so that their providers cache it. `at` is the number of a
 * message that only models see, such as a thought: models get it at its place in the conversation. `progress` marks a part about
 * known and open values: it follows from the answers so far.
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
 * The predicted content of the next `reply`, so that a port may write the message together with its answer. The machine calls
 * `reply` in any case. The message counts only if that call then has the instructions of one of the cases.
 */
export const nextReply = z.object({
  /** Sections that the reply has in each case, besides those of this call. */
  prompt: z.array(promptSection),
  /** Tools that the reply will have. A message that needs one of them must be left to the reply. */
  tools: z.array(toolSpec),
  /** Names of further tools that no message needs: the answer of this call says the same. */
  unneeded: z.optional(z.array(z.string())),
  /** The possible replies; the answer decides which one is used. For a choice, `id` is the option. */
  cases: z.array(
    z.object({
      id: z.string(),
      /** Sections of this case alone, without those marked as `progress`. */
      prompt: z.array(promptSection),
      /** Questions in order. The message asks the first that is still open. */
      asks: z.array(
        z.object({ name: z.string(), question: z.string(), unconfirmed: z.optional(json) }),
      ),
      directions: z.array(direction),
    }),
  ),
});

/** The data that a set of ports wants in calls. It is a property next to the ports. */
export interface PortWishes {
  /** `extract` and `choose` want `reply`. Otherwise a host omits it, because it makes a stored call several times as large. */
  readonly wantsNextReplies?: boolean;
}
