import * as z from 'zod';
import { json, jsonObject } from './json-copy.ts';

export const toolCall = z.object({ name: z.string(), arguments: jsonObject });

const agentName = z.string().optional();
const callbacks = { onChunk: agentName, onComplete: agentName, onError: agentName };

/** How an answer is streamed, and the agents that are called for its chunks, its end and its failure. */
const stream = z.object({
  mode: z.string(),
  chunkSize: z.int().optional(),
  callbacks: z.object(callbacks).optional(),
});

/** The fields of a call of an agent, without its key. */
export const agentCall = {
  agent: z.string(),
  input: json,
  /** The definition's own key for the work: equal for all attempts, and for all runs that compute the same key. */
  idempotencyKey: z.string().optional(),
  /** Names the task in events from outside, such as its heartbeats. Absent when it accepts none. */
  token: z.string().optional(),
  /** The model to ask, if the definition or its budget names one. */
  model: z.string().optional(),
  /** Generation parameters such as the temperature, as the definition spells them. */
  generation: jsonObject.optional(),
  /** Asks for the text in parts while it is generated. Modes: `token`, `line`, `chunk`, `sentence`. */
  stream: stream.optional(),
  /** When the agent is not called any more: after so many failures in a row, for so many milliseconds. */
  circuit: z.object({ failures: z.int(), successes: z.int(), timeout: z.number() }).optional(),
  /** The remaining budget. A definition that runs as an agent is ended when it has used it up. */
  left: z.object({ tokens: z.number().optional(), cost: z.number().optional() }).optional(),
  /** Asks for a cheaper answer, because the budget is running out. */
  quality: z.literal('reduced').optional(),
  /** Asks for the reasoning, in a result `{ result, reasoning: { steps, conclusion } }`. */
  reasoning: z
    .object({
      format: z.string(),
      minSteps: z.int().optional(),
      maxSteps: z.int().optional(),
    })
    .optional(),
  /** The problems of the agent's previous answer, when it is asked again. */
  complaints: z.array(z.string()).optional(),
  /**
   * The tools that the agent may use: the allowed ones (all when absent) except the denied ones. The agent calls tools
   * with a result `{ toolCalls: [{ name, arguments }] }`, and is called again with their results.
   */
  tools: z
    .object({ allowed: z.array(z.string()).optional(), denied: z.array(z.string()) })
    .optional(),
  /** The results of all tool calls so far, in the order of the calls. */
  toolResults: z
    .array(toolCall.extend({ result: json.optional(), error: z.string().optional() }))
    .optional(),
};
