import * as z from 'zod/mini';
import type { JsonObject } from '../json.ts';
import { json, jsonObject } from './json-copy.ts';
import {
  agentCall,
  direction,
  nextReply,
  promptSection,
  toolCall,
  toolSpec,
  within,
} from './next-reply.ts';

/** Fields of a question to several people, or with an escalation. */
const questionProgress = {
  /** For a question to several people: how many must approve, and who has so far. */
  approvals: z.optional(
    z.object({
      required: z.int().check(z.positive()),
      /** `at` is in ISO 8601. */
      given: z.array(z.object({ by: z.string(), at: z.string(), comment: z.optional(z.string()) })),
    }),
  ),
  /** What happens while nobody decides: somebody else may decide, or the question is approved. Earliest first. */
  escalations: z.optional(
    z.array(
      z.object({
        /** Milliseconds since 1970 UTC. */
        at: z.number(),
        to: z.optional(z.string()),
        approves: z.optional(z.literal(true)),
      }),
    ),
  ),
};

/** What a port gets in addition to the input of a call. */
export interface PortCall {
  /** Aborted when the machine no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Passes on a part of the text while it is generated. Parts are for display only; the answer counts. */
  readonly onText: (part: string) => void;
  /** The most tokens that the answer may use, for ports that can limit their model. Absent without a limit, or far from it. */
  readonly maxTokens?: number | undefined;
  /**
   * Returns at most `last` lines of the conversation, the latest last, including the message being answered. Absent when
   * the caller of the machine does not store them.
   */
  readonly transcript?: ((last: number) => Promise<readonly SpokenLine[]>) | undefined;
  /** Reads the bytes of a file that the person has sent. Absent when the caller keeps none; undefined for a file that is not kept. */
  readonly readAttachment?:
    | ((attachment: JsonObject) => Promise<Uint8Array | undefined>)
    | undefined;
  /** Reports that the work of an agent continues. Absent when the task waits for no heartbeats. */
  readonly heartbeat?: (() => void) | undefined;
  /**
   * The trace of the call, for the requests that the port sends.Absent without tracing; undefined when the call is not traced.
   * Spec: W3C Trace Context, section 3.2
   */
  readonly traceparent?: (() => Promise<string | undefined>) | undefined;
  /** When the call was decided, in milliseconds since 1970 UTC. A repeated call has the same time. */
  readonly now?: number | undefined;
  /** The time zone of the conversation, such as `Europe/Berlin`. UTC when absent. */
  readonly timeZone?: string | undefined;
  /** The instance of a host that makes the call. Absent when the machine runs without a host. */
  readonly instance?: string | undefined;
}

/** A line of the conversation. `manual` is a person who speaks for the agent. */
export interface SpokenLine {
  readonly role: 'agent' | 'contact' | 'manual';
  readonly text: string;
  /**
   * For a line of the person that belongs to the turn: whether it waits for an answer. `false` when somebody has answered it.
   * Absent where lines are not marked: then the message of the call, if there is one, comes last.
   */
  readonly isNew?: boolean | undefined;
  /** Data that the person's channel has added, such as links of attachments. It is never an instruction. */
  readonly data?: JsonObject | undefined;
  /** The person has edited the line: a later one replaces it. */
  readonly isReplaced?: true | undefined;
  /** The first text of the line that this one replaces. */
  readonly replaces?: string | undefined;
}

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
  length: z.int().check(z.nonnegative()),
  /** The first message that a model gets: those before it are in a summary. */
  from: z.optional(z.int().check(z.nonnegative())),
});

/** A call about a conversation. `message` is the person's message to answer, if there is one. */
const conversationCall = z.extend(call, {
  transcript,
  message: z.optional(z.string()),
  /** The message is older than the open question, so it does not answer it: only what it says by itself counts. */
  early: z.optional(z.literal(true)),
  /** Strings from people within the instructions, as JSON: they are data there, too. */
  quoted: z.optional(z.array(z.string())),
});

/**
 * Tools that a model may use before it answers. An output with tool calls is not the answer yet: the machine runs the
 * tools and asks again with their results.
 */
const offeredTools = { tools: z.optional(z.array(toolSpec)) };

/**
 * The tools of all calls of the conversation, with the widest parameters. They stay the same, so that providers can cache the
 * prompt. A model may still only call those in `tools`, with arguments that fit there.
 */
const constantTools = { constantTools: z.optional(z.array(toolSpec)) };
const wantedTools = { toolCalls: z._default(z.array(toolCall), []) };

/** The cost of an answer, as its provider counts it. One port call may ask a model several times. */
export const usageSchema = z.object({
  model: z.optional(z.string()),
  /** The number of requests to a model. */
  requests: z._default(z.int().check(z.nonnegative()), 1),
  inputTokens: z._default(z.int().check(z.nonnegative()), 0),
  outputTokens: z._default(z.int().check(z.nonnegative()), 0),
  /** The part of the input that the provider has read from a cache. */
  cachedInputTokens: z.optional(z.int().check(z.nonnegative())),
  /** The part of the output that the model has spent on thinking. */
  reasoningTokens: z.optional(z.int().check(z.nonnegative())),
  /** In the currency of the configured prices. */
  cost: z.optional(z.number().check(z.nonnegative())),
  /** The part of the cost that a nested definition has already counted, by the names of shared accounts. */
  counted: z.optional(z.record(z.string(), z.number().check(z.nonnegative()))),
});

/** The part of a cost that nested definitions have already counted in an account. */
const countedAlready = { counted: z.optional(z.number().check(z.nonnegative())) };

/** Why the model stopped, in its provider's word. A truncated text (`length`, `content_filter`) is a failed call. */
const finished = { finishReason: z.optional(z.string()) };

/** Outputs of ports that may have asked a model. */
const paid = { usage: z.optional(usageSchema) };

/** A part of memory: a namespace and a kind of memory. */
const memoryPlace = {
  namespace: z.optional(z.string()),
  type: z.optional(z.enum(['key_value', 'semantic', 'episodic'])),
};

const option = z.object({ id: z.string(), description: z.string() });

/** Where the requested answer belongs in the extracted value, and what to record if the person does not give it. */
const askedField = z.object({
  path: z.array(z.string()),
  /** Recorded when the person declines to answer. */
  ifDeclined: z.optional(jsonObject),
  /** Recorded when the person explicitly asks to skip the question although an answer is required. */
  ifSkipped: z.optional(jsonObject),
  /** The value that the person was asked to confirm. If they agree, it is the answer. */
  unconfirmed: z.optional(json),
});

/**
 * The schemas of the input and output of each port. The schemas of a port are created when they are first read.
 *
 * @example
 * ```ts
 * console.log(portSchemas.choose.output.safeParse({ choice: 7 }).success); // → false
 * ```
 */
export const portSchemas = lazyFields({
  /** Writes the next message to the person. May call the offered tools. */
  reply: () => ({
    input: z.extend(conversationCall, {
      prompt: z.array(promptSection),
      /** Open questions to the person, the most urgent first. */
      asks: z.array(
        z.object({
          name: z.string(),
          question: z.string(),
          schema: jsonObject,
          required: z.boolean(),
          /** The person may skip the question although it is required. */
          skippable: z.optional(z.boolean()),
          /** How many messages in a row have not answered it since it was asked. */
          attempts: z.optional(z.int().check(z.nonnegative())),
          /** A value that the person has mentioned already: ask them to confirm it. */
          unconfirmed: z.optional(json),
        }),
      ),
      /** Facts from the person so far, in the order in which they became known. */
      known: z.optional(z.array(z.object({ name: z.string(), value: json }))),
      directions: z.array(direction),
      tools: z.array(toolSpec),
      ...constantTools,
      /** The conversation ends with this reply. */
      ends: z.optional(z.literal(true)),
    }),
    output: z.object({
      text: z.string(),
      toolCalls: z._default(z.array(toolCall), []),
      ...finished,
      ...paid,
    }),
  }),
  /** Picks one option of a closed list. */
  choose: () => ({
    input: z.extend(conversationCall, {
      prompt: z.array(promptSection),
      options: z.array(option).check(z.minLength(1)),
      /** The option to pick when the conversation supports none of them. */
      fallback: z.optional(z.string()),
      /** The choice decides whether a text is allowed. A port that cannot judge the text fails instead of guessing. */
      requiresJudgement: z.optional(z.literal(true)),
      reply: z.optional(nextReply),
      ...offeredTools,
    }),
    output: z.object({
      option: z.string(),
      reason: z.optional(z.string()),
      ...wantedTools,
      ...paid,
    }),
  }),
  /**
   * Fills a JSON Schema from the conversation. Unknown values are left out. The form of the schema rarely changes; its marks
   * change from call to call. `x-collected` is the order in which known values became known, `x-later` says that a value is asked
   * for later.
   */
  extract: () => ({
    input: z.extend(conversationCall, {
      prompt: z.array(promptSection),
      schema: jsonObject,
      /**
       * A schema with the properties of all extractions of the conversation. It stays the same, so that providers can cache the
       * prompt. Properties that `schema` does not have are left out of the value.
       */
      constantSchema: z.optional(jsonObject),
      /** The field that the last reply asked for, if any. */
      asked: z.optional(askedField),
      reply: z.optional(nextReply),
      ...offeredTools,
    }),
    output: z.object({ value: jsonObject, ...wantedTools, ...paid }),
  }),
  /**
   * Checks a value by a rule of the program, such as whether a number exists. The value is accepted, replaced by another value,
   * or refused with a reason for the person.
   */
  validate: () => ({
    input: z.extend(call, {
      /** The rule, as the definition names it. */
      name: z.string(),
      value: json,
      /** The values that are known. */
      values: jsonObject,
    }),
    output: z.union([
      z.object({ value: json }),
      z.object({ reason: z.string().check(z.minLength(1)) }),
      z.object({ ok: z.literal(true) }),
    ]),
  }),
  /** Writes down what is said in a voice message. No chart calls it: a host does, before the message is received. */
  transcribe: () => ({
    input: z.extend(call, {
      /** The file, for `readAttachment` of the call: `type`, `name`, `size`. */
      attachment: jsonObject,
      /** The text that the person has written next to it. */
      text: z.optional(z.string()),
    }),
    output: z.object({ text: z.string(), ...paid }),
  }),
  /** Private reasoning, never shown to the person. */
  think: () => ({
    input: z.extend(conversationCall, { prompt: z.array(promptSection), ...offeredTools }),
    output: z.object({ text: z.string(), ...wantedTools, ...finished, ...paid }),
  }),
  /** Looks up memory: by topic, by name, or the latest entries. */
  recall: () => ({
    input: z.extend(conversationCall, {
      queries: z.array(z.string()),
      limit: z.int().check(z.positive()),
      ...memoryPlace,
      /** Names of entries. Those that exist are returned in `values`. */
      keys: z.optional(z.array(z.string())),
      /** Only entries whose fields have these values. */
      filter: z.optional(jsonObject),
      order: z.optional(z.enum(['newest', 'oldest'])),
      /** The lowest score, from 0 to 1. */
      minScore: z.optional(z.number()),
      /** Strings to search instead of memory. */
      candidates: z.optional(z.array(z.string())),
    }),
    output: z.object({
      memories: z.array(z.object({ text: z.string(), score: z.optional(z.number()) })),
      values: z.optional(jsonObject),
      ...paid,
    }),
  }),
  /** Stores an entry in memory. A repeated call with the same idempotency key stores it once. */
  remember: () => ({
    input: z.extend(call, {
      ...memoryPlace,
      name: z.string(),
      value: json,
      /** Milliseconds; unlimited when absent. */
      ttl: z.optional(z.number().check(z.positive())),
      /** Merges the value into an existing object or list. */
      merge: z.optional(z.boolean()),
      /** `false` keeps an existing entry. */
      overwrite: z.optional(z.boolean()),
    }),
    output: z.object({ stored: z.boolean(), ...paid }),
  }),
  /** Runs a named tool. */
  callTool: () => ({
    input: z.extend(call, {
      tool: z.string(),
      /** The name of the tool for models and people, when that is not `tool`. */
      name: z.optional(z.string()),
      arguments: jsonObject,
      /** How many calls of the tool may run at the same time, and whether further calls wait or fail. */
      concurrency: z.optional(z.object({ most: z.int().check(z.positive()), waits: z.boolean() })),
      within,
    }),
    output: z.object({ result: json, ...paid }),
  }),
  /** Runs a named agent: a function, a runnable, or another compiled definition. */
  runAgent: () => ({
    input: z.extend(call, agentCall),
    output: z.object({ result: json, ...paid }),
  }),
  /** Waits for a person's decision. */
  requestDecision: () => ({
    input: z.extend(call, {
      /** Identifies the question for people, within its actor. Stays the same when it is asked again under another key. */
      id: z.optional(z.string()),
      prompt: z.string(),
      /** All fields of a prompt that has several, filled in. `prompt` has them as text. */
      details: z.optional(jsonObject),
      options: z.array(option).check(z.minLength(1)),
      data: z.optional(json),
      /** Names that the decision's own data must not have. Without this list, a decision has no data. */
      reserved: z.optional(z.array(z.string())),
      /** Paths of the fields in `data` that the person may change. */
      editable: z.optional(z.array(z.string())),
      /** The people who may decide, by name or by role; anyone when absent. */
      approvers: z.optional(z.object({ users: z.array(z.string()), roles: z.array(z.string()) })),
      /** People who may not decide, whatever their role, with the reason: "has requested it". */
      excluded: z.optional(z.array(z.object({ name: z.string(), because: z.string() }))),
      ...questionProgress,
      /** Whether the decision must say in `by` who made it. */
      isNamed: z.optional(z.boolean()),
      /** The decision must have a comment. */
      isExplained: z.optional(z.boolean()),
      /** A list to decide on item by item. */
      batch: z.optional(
        z.object({
          items: z.array(json),
          /** The option that approves items. */
          approves: z.string(),
          /** A part of the items may be approved. */
          isDivisible: z.boolean(),
          /** The least number of approved items. */
          least: z.int().check(z.nonnegative()),
        }),
      ),
      /** The deadline, in milliseconds since 1970 UTC. */
      until: z.optional(z.number()),
    }),
    output: z.object({
      decision: z.string(),
      by: z.optional(z.string()),
      /** Roles of the person who decided, as the asking program knows them. */
      roles: z.optional(z.array(z.string())),
      comment: z.optional(z.string()),
      /**
       * New values of editable fields: by the last names of their paths, by their paths, or nested like the data.
       */
      edited: z.optional(json),
      /** Further facts that the person gives, such as the amount of a partial refund. */
      data: z.optional(jsonObject),
      /** For a batch: the indexes of the approved items; all items when absent. */
      approved: z.optional(z.array(z.int().check(z.nonnegative()))),
    }),
  }),
  /** Saves the current run, so that another run can start from here. Without checkpoint storage, nothing is saved. */
  saveCheckpoint: () => ({
    input: z.extend(call, {
      name: z.string(),
      /** The storage, as the author names it. */
      storage: z.optional(z.string()),
      /** When the checkpoint expires, in milliseconds since 1970 UTC. */
      expiresAt: z.optional(z.number()),
    }),
    output: z.object({ kept: z.boolean() }),
  }),
  /**
   * Adds a cost to accounts that runs share, except for the part that is already counted there, and returns how much was spent
   * from each. A repeated call with the same idempotency key adds the cost once.
   */
  countSpending: () => ({
    input: z.extend(call, {
      cost: z.number().check(z.nonnegative()),
      /** All runs of a workflow in the last `within` milliseconds, or all runs that draw on a pool. */
      accounts: z.array(
        z.union([
          z.object({
            workflow: z.string(),
            within: z.number().check(z.positive()),
            ...countedAlready,
          }),
          z.object({ pool: z.string(), ...countedAlready }),
        ]),
      ),
    }),
    output: z.object({
      /** In the order of the input; `limit` is the size of a pool. */
      accounts: z.array(
        z.object({
          cost: z.number().check(z.nonnegative()),
          limit: z.optional(z.number().check(z.nonnegative())),
        }),
      ),
    }),
  }),
  /** Answers at an absolute time, in milliseconds since 1970 UTC. */
  timer: () => ({
    input: z.extend(call, { at: z.number() }),
    output: z.object({ firedAt: z.number() }),
  }),
});

export type PortName = keyof typeof portSchemas;
export type PortInput<Name extends PortName> = z.infer<(typeof portSchemas)[Name]['input']>;
/** The output of a port, before defaults are filled in. */
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

/**
 * An object whose fields are created when they are first read. Its keys are known before that. Creating all schemas would cost
 * more time than all the rest of a short command.
 */
function lazyFields<Makers extends Readonly<Record<string, () => unknown>>>(
  makers: Makers,
): { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> } {
  const fields = {};
  for (const [name, make] of Object.entries(makers)) {
    Object.defineProperty(fields, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = make();
        Object.defineProperty(fields, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return fields as { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> };
}
