import * as z from 'zod';
import { lazyFields } from '../lazy-fields.ts';
import { agentCall, toolCall } from './agent-call.ts';
import { questionProgress } from './question-progress.ts';
import { json, jsonObject } from './json-copy.ts';
import { direction, nextReply, promptSection, toolSpec } from './next-reply.ts';
import type { PortCall } from './port-call.ts';

/**
 * The ports: every call that a chart can make to the outside world. Inputs and outputs are JSON, so a call can be stored,
 * repeated after a crash, and answered by a model, a person or a test.
 */

/**
 * Every call has an idempotency key. A call that is repeated after a crash keeps its key. Two different calls of one
 * conversation never share a key.
 */
const call = z.object({ key: z.string() });

/** A reference to the conversation so far. The messages are in its log, not in the machine. */
const transcript = z.object({
  /** The conversation's id. */
  conversation: z.string(),
  /** How many messages the log held when the call was made. */
  length: z.int().nonnegative(),
});

/** A call about a conversation. `message` is the person's message that is being answered, if there is one. */
const conversationCall = call.extend({ transcript, message: z.string().optional() });

/**
 * Tools that a model may use before it answers. An output with tool calls is not the answer yet: the machine runs the
 * tools and asks again with their results.
 */
const offeredTools = { tools: z.array(toolSpec).optional() };

/**
 * The tools of all calls of the conversation, with the widest parameters: they stay the same, so that providers cache what a model
 * has read. It still may only call those in `tools`, with arguments that fit there.
 */
const constantTools = { constantTools: z.array(toolSpec).optional() };
const wantedTools = { toolCalls: z.array(toolCall).default([]) };

/** The cost of an answer, as its provider counts it. One port call may ask a model several times. */
export const usageSchema = z.object({
  model: z.string().optional(),
  /** The number of requests to a model. */
  requests: z.int().nonnegative().default(1),
  inputTokens: z.int().nonnegative().default(0),
  outputTokens: z.int().nonnegative().default(0),
  /** The part of the input that the provider has read from a cache. */
  cachedInputTokens: z.int().nonnegative().optional(),
  /** The part of the output that the model has spent on thinking. */
  reasoningTokens: z.int().nonnegative().optional(),
  /** In the currency of the configured prices. */
  cost: z.number().nonnegative().optional(),
  /** The part of the cost that a nested definition has counted, by the names of accounts that runs share. */
  counted: z.record(z.string(), z.number().nonnegative()).optional(),
});

/** The part of a cost that nested definitions have counted in an account already. */
const countedAlready = { counted: z.number().nonnegative().optional() };

/** Outputs of ports that may have asked a model. */
const paid = { usage: usageSchema.optional() };

/** The part of memory: a namespace and a kind of memory. */
const memoryPlace = {
  namespace: z.string().optional(),
  type: z.enum(['key_value', 'semantic', 'episodic']).optional(),
};

const option = z.object({ id: z.string(), description: z.string() });

/** Where the wanted answer belongs in the extracted value, and what to record if the person does not give it. */
const askedField = z.object({
  path: z.array(z.string()),
  /** Recorded when the person declines to answer. */
  ifDeclined: jsonObject.optional(),
  /** Recorded when the person explicitly asks to skip the question although an answer is required. */
  ifSkipped: jsonObject.optional(),
  /** The value that the person was asked to confirm. If they agree, it is the answer. */
  unconfirmed: json.optional(),
});

/** The schemas of what each port receives and answers. Those of a port are made when they are first read. */
export const portSchemas = lazyFields({
  /** Writes the next message to the person. May call the offered tools. */
  reply: () => ({
    input: conversationCall.extend({
      prompt: z.array(promptSection),
      /** Open questions to the person, the most urgent first. */
      asks: z.array(
        z.object({
          name: z.string(),
          question: z.string(),
          schema: jsonObject,
          required: z.boolean(),
          /** The person may skip the question although it is required. */
          skippable: z.boolean().optional(),
          /** How many messages in a row did not answer it since it was asked. */
          attempts: z.int().nonnegative().optional(),
          /** A value that the person has mentioned already: ask them to confirm it. */
          unconfirmed: json.optional(),
        }),
      ),
      /** Facts from the person so far, in the order in which they became known. */
      known: z.array(z.object({ name: z.string(), value: json })).optional(),
      directions: z.array(direction),
      tools: z.array(toolSpec),
      ...constantTools,
    }),
    output: z.object({ text: z.string(), toolCalls: z.array(toolCall).default([]), ...paid }),
  }),
  /** Picks one option of a closed list. */
  choose: () => ({
    input: conversationCall.extend({
      prompt: z.array(promptSection),
      options: z.array(option).min(1),
      /** The option to pick when the conversation supports none of them. */
      fallback: z.string().optional(),
      /** The choice decides whether a text is allowed. A port that cannot judge the text fails instead of guessing. */
      requiresJudgement: z.literal(true).optional(),
      reply: nextReply.optional(),
      ...offeredTools,
    }),
    output: z.object({
      option: z.string(),
      reason: z.string().optional(),
      ...wantedTools,
      ...paid,
    }),
  }),
  /**
   * Fills a JSON Schema from the conversation. Unknown values are left out. Marks of the schema change from call to call, and its
   * form rarely: `x-collected` is the order in which known values became known, `x-later` says that a value is asked for later.
   */
  extract: () => ({
    input: conversationCall.extend({
      prompt: z.array(promptSection),
      schema: jsonObject,
      /**
       * A schema with the properties of all extractions of the conversation: it stays the same, so that providers cache what a model
       * has read. What `schema` does not have is left out of the value.
       */
      constantSchema: jsonObject.optional(),
      /** The field that the last reply asked for, if any. */
      asked: askedField.optional(),
      reply: nextReply.optional(),
      ...offeredTools,
    }),
    output: z.object({ value: jsonObject, ...wantedTools, ...paid }),
  }),
  /** Private reasoning, never shown to the person. */
  think: () => ({
    input: conversationCall.extend({ prompt: z.array(promptSection), ...offeredTools }),
    output: z.object({ text: z.string(), ...wantedTools, ...paid }),
  }),
  /** Looks up memory: by topic, by name, or the latest entries. */
  recall: () => ({
    input: conversationCall.extend({
      queries: z.array(z.string()),
      limit: z.int().positive(),
      ...memoryPlace,
      /** Names of entries. Those that exist are returned in `values`. */
      keys: z.array(z.string()).optional(),
      /** Only entries whose fields have these values. */
      filter: jsonObject.optional(),
      order: z.enum(['newest', 'oldest']).optional(),
      /** The lowest score, from 0 to 1. */
      minScore: z.number().optional(),
      /** Texts to search instead of memory. */
      candidates: z.array(z.string()).optional(),
    }),
    output: z.object({
      memories: z.array(z.object({ text: z.string(), score: z.number().optional() })),
      values: jsonObject.optional(),
      ...paid,
    }),
  }),
  /** Stores an entry in memory. A repeated call with the same idempotency key stores it once. */
  remember: () => ({
    input: call.extend({
      ...memoryPlace,
      name: z.string(),
      value: json,
      /** Milliseconds; unlimited when absent. */
      ttl: z.number().positive().optional(),
      /** Merges the value into an existing object or list. */
      merge: z.boolean().optional(),
      /** `false` keeps an existing entry. */
      overwrite: z.boolean().optional(),
    }),
    output: z.object({ stored: z.boolean(), ...paid }),
  }),
  /** Runs a named tool. */
  callTool: () => ({
    input: call.extend({
      tool: z.string(),
      arguments: jsonObject,
      /** How many calls of the tool may run at the same time, and whether the call waits for that or fails. */
      concurrency: z.object({ most: z.int().positive(), waits: z.boolean() }).optional(),
    }),
    output: z.object({ result: json, ...paid }),
  }),
  /** Runs a named agent: a function, a runnable, or another compiled definition. */
  runAgent: () => ({
    input: call.extend(agentCall),
    output: z.object({ result: json, ...paid }),
  }),
  /** Waits for a person's decision. */
  requestDecision: () => ({
    input: call.extend({
      /** Identifies the question for people, within its actor. Stays the same when it is asked again under another key. */
      id: z.string().optional(),
      prompt: z.string(),
      /** All fields of a prompt that has several, filled in. `prompt` has them as text. */
      details: jsonObject.optional(),
      options: z.array(option).min(1),
      data: json.optional(),
      /** Names that the decision's own data must not have. Without this list, a decision has no data. */
      reserved: z.array(z.string()).optional(),
      /** Paths of the fields in `data` that the person may change. */
      editable: z.array(z.string()).optional(),
      /** The people who may decide, by name or by role; anyone when absent. */
      approvers: z.object({ users: z.array(z.string()), roles: z.array(z.string()) }).optional(),
      /** People who may not decide, whatever their role, with the reason: "has requested it". */
      excluded: z.array(z.object({ name: z.string(), because: z.string() })).optional(),
      ...questionProgress,
      /** The decision must say who made it. */
      isNamed: z.boolean().optional(),
      /** The decision must have a comment. */
      isExplained: z.boolean().optional(),
      /** A list to decide on item by item. */
      batch: z
        .object({
          items: z.array(json),
          /** The option that approves items. */
          approves: z.string(),
          /** A part of the items may be approved. */
          isDivisible: z.boolean(),
          /** The least number of approved items. */
          least: z.int().nonnegative(),
        })
        .optional(),
      /** The deadline, in milliseconds since 1970 UTC. */
      until: z.number().optional(),
    }),
    output: z.object({
      decision: z.string(),
      by: z.string().optional(),
      /** Roles of the person who decided, as the asking program knows them. */
      roles: z.array(z.string()).optional(),
      comment: z.string().optional(),
      /**
       * New values of editable fields: by the last names of their paths, by their paths, or nested like the data.
       */
      edited: json.optional(),
      /** Further facts that the person gives, such as the amount of a partial refund. */
      data: jsonObject.optional(),
      /** For a batch: the indexes of the approved items; all items when absent. */
      approved: z.array(z.int().nonnegative()).optional(),
    }),
  }),
  /** Saves the run as it is now, so that a run can start from here. Without checkpoint storage, nothing is saved. */
  saveCheckpoint: () => ({
    input: call.extend({
      name: z.string(),
      /** The storage, as the author names it. */
      storage: z.string().optional(),
      /** When the checkpoint expires, in milliseconds since 1970 UTC. */
      expiresAt: z.number().optional(),
    }),
    output: z.object({ kept: z.boolean() }),
  }),
  /**
   * Adds a cost to accounts that runs share, except for the part that is counted there already, and says how much was spent
   * from each. A repeated call with the same idempotency
   * key adds the cost once.
   */
  countSpending: () => ({
    input: call.extend({
      cost: z.number().nonnegative(),
      /** All runs of a workflow, within so many milliseconds until now; or all runs that draw on a pool. */
      accounts: z.array(
        z.union([
          z.object({ workflow: z.string(), within: z.number().positive(), ...countedAlready }),
          z.object({ pool: z.string(), ...countedAlready }),
        ]),
      ),
    }),
    output: z.object({
      /** In the order of the input; `limit` is the size of a pool. */
      accounts: z.array(
        z.object({
          cost: z.number().nonnegative(),
          limit: z.number().nonnegative().optional(),
        }),
      ),
    }),
  }),
  /** Answers at an absolute time, in milliseconds since 1970 UTC. */
  timer: () => ({
    input: call.extend({ at: z.number() }),
    output: z.object({ firedAt: z.number() }),
  }),
});

export type PortName = keyof typeof portSchemas;
export type PortInput<Name extends PortName> = z.infer<(typeof portSchemas)[Name]['input']>;
/** What a port returns, before defaults are filled in. */
export type PortOutput<Name extends PortName> = z.input<(typeof portSchemas)[Name]['output']>;

export type PromptSection = z.infer<typeof promptSection>;
export type NextReply = z.infer<typeof nextReply>;
export type ToolSpec = z.infer<typeof toolSpec>;
export type ToolCall = z.infer<typeof toolCall>;
export type Usage = z.infer<typeof usageSchema>;

/** Answers the calls of one port. */
export type Port<Name extends PortName> = (
  input: PortInput<Name>,
  call: PortCall,
) => Promise<PortOutput<Name>> | PortOutput<Name>;

export type Ports = { readonly [Name in PortName]: Port<Name> };
