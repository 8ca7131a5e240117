import { z } from 'zod';
import { json, jsonObject } from './json-copy.ts';

/**
 * The ports: everything a chart may ask of the outside world. Input and output are JSON, so that a call can be stored,
 * repeated after a crash and answered by anything: a model, a person, a test.
 */

/**
 * Every call carries its idempotency key. A call that is repeated after a crash has the same key; two different calls
 * of one conversation never do.
 */
const call = z.object({ key: z.string() });

/** The conversation so far, by reference: the messages are in its log, not in the machine. */
const transcript = z.object({
  /** The conversation's id. */
  conversation: z.string(),
  /** How many messages the log held when the call was made. */
  length: z.int().nonnegative(),
});

/** A call that concerns a conversation. `message` is the person's line being answered, when there is one. */
const conversationCall = call.extend({ transcript, message: z.string().optional() });

/** A titled part of the instructions. `data` marks text from people or models: it is quoted, never obeyed. */
const promptSection = z.object({
  title: z.string(),
  text: z.string(),
  data: z.boolean().optional(),
});

/** A tool that a model may call: name, what it is for, and a JSON Schema of its arguments. */
const toolSpec = z.object({ name: z.string(), description: z.string(), parameters: jsonObject });
const toolCall = z.object({ name: z.string(), arguments: jsonObject });

/**
 * Tools that a model may use before it answers. An output with calls of them is no answer yet: the machine runs them and
 * asks again with their results.
 */
const offeredTools = { tools: z.array(toolSpec).optional() };
const wantedTools = { toolCalls: z.array(toolCall).default([]) };

/** What the answer has cost, as whoever was paid counts it: one call of a port may ask a model several times. */
export const usageSchema = z.object({
  model: z.string().optional(),
  /** How often a model was asked. */
  requests: z.int().nonnegative().default(1),
  inputTokens: z.int().nonnegative().default(0),
  outputTokens: z.int().nonnegative().default(0),
  /** Money, in the unit of the prices that the user has given. */
  cost: z.number().nonnegative().optional(),
});

/** Outputs of ports that may have asked a model. */
const paid = { usage: usageSchema.optional() };

/** Where in memory: a namespace, and what sort of memory it is. */
const memoryPlace = {
  namespace: z.string().optional(),
  type: z.enum(['key_value', 'semantic', 'episodic']).optional(),
};

const option = z.object({ id: z.string(), description: z.string() });

/** Where a wanted answer belongs in the extracted value, and what to record when the person declines to give it. */
const askedField = z.object({
  path: z.array(z.string()),
  ifDeclined: jsonObject.optional(),
  /** What to record when they say plainly that it is to be left out, though an answer is wanted. */
  ifSkipped: jsonObject.optional(),
});

export const portSchemas = {
  /** Compose the next message to the person, with tools on offer. */
  reply: {
    input: conversationCall.extend({
      prompt: z.array(promptSection),
      /** What is still wanted from the person, the most urgent first. */
      asks: z.array(
        z.object({
          name: z.string(),
          question: z.string(),
          schema: jsonObject,
          required: z.boolean(),
          /** It may be left out if the person insists, though it is required. */
          skippable: z.boolean().optional(),
          /** How many messages in a row have brought nothing since it was asked. */
          attempts: z.int().nonnegative().optional(),
        }),
      ),
      /** What the person has told so far, in the order in which it became known. */
      known: z.array(z.object({ name: z.string(), value: json })).optional(),
      /** What this message should do besides asking; calling `done` records that it did. */
      directions: z.array(z.object({ text: z.string(), done: toolCall.optional() })),
      tools: z.array(toolSpec),
    }),
    output: z.object({ text: z.string(), toolCalls: z.array(toolCall).default([]), ...paid }),
  },
  /** Pick one of a closed list of options. */
  choose: {
    input: conversationCall.extend({
      prompt: z.array(promptSection),
      options: z.array(option).min(1),
      /** The option that stands when none is supported by what was said. */
      fallback: z.string().optional(),
      ...offeredTools,
    }),
    output: z.object({
      option: z.string(),
      reason: z.string().optional(),
      ...wantedTools,
      ...paid,
    }),
  },
  /** Fill a JSON Schema from the conversation. What is not known is left out. */
  extract: {
    input: conversationCall.extend({
      prompt: z.array(promptSection),
      schema: jsonObject,
      /** What the last reply asked for, if anything. */
      asked: askedField.optional(),
      ...offeredTools,
    }),
    output: z.object({ value: jsonObject, ...wantedTools, ...paid }),
  },
  /** Private reasoning, never shown to the person. */
  think: {
    input: conversationCall.extend({ prompt: z.array(promptSection), ...offeredTools }),
    output: z.object({ text: z.string(), ...wantedTools, ...paid }),
  },
  /** Look up memory: by what it is about, by its name, or what was last remembered. */
  recall: {
    input: conversationCall.extend({
      queries: z.array(z.string()),
      limit: z.int().positive(),
      ...memoryPlace,
      /** Names of what was remembered; what is there comes in `values`. */
      keys: z.array(z.string()).optional(),
      /** Fields that what was remembered has, with these values. */
      filter: jsonObject.optional(),
      order: z.enum(['newest', 'oldest']).optional(),
      /** The least score, from 0 to 1. */
      minScore: z.number().optional(),
      /** Texts to look through in place of memory. */
      candidates: z.array(z.string()).optional(),
    }),
    output: z.object({
      memories: z.array(z.object({ text: z.string(), score: z.number().optional() })),
      values: jsonObject.optional(),
      ...paid,
    }),
  },
  /** Keep something in memory. The same key of a call keeps it once. */
  remember: {
    input: call.extend({
      ...memoryPlace,
      name: z.string(),
      value: json,
      /** Milliseconds; for ever when left out. */
      ttl: z.number().positive().optional(),
      /** Adds to an object or a list that is there. */
      merge: z.boolean().optional(),
      /** False keeps what is there. */
      overwrite: z.boolean().optional(),
    }),
    output: z.object({ stored: z.boolean(), ...paid }),
  },
  /** Run a named tool. */
  callTool: {
    input: call.extend({ tool: z.string(), arguments: jsonObject }),
    output: z.object({ result: json, ...paid }),
  },
  /** Run a named agent: a function, a runnable, or another compiled definition. */
  runAgent: {
    input: call.extend({
      agent: z.string(),
      input: json,
      /** The definition's own name for the work: the same for every attempt, and for every run that gives the same. */
      idempotencyKey: z.string().optional(),
      /** The model to ask, when the definition or its budget has one to say. */
      model: z.string().optional(),
      /** How the answer is made: temperature and so on, in the words of the definition. */
      generation: jsonObject.optional(),
      /** The text is wanted while it is being made: `token`, `line`, `chunk` or `sentence` by `sentence`. */
      stream: z.object({ mode: z.string(), chunkSize: z.int().optional() }).optional(),
      /** What is left of the budget. A definition that runs as an agent is ended when it has used that up. */
      left: z.object({ tokens: z.number().optional(), cost: z.number().optional() }).optional(),
      /** Less will do: the budget is running out. */
      quality: z.literal('reduced').optional(),
      /** How the agent is to show its reasoning: a result `{ result, reasoning: { steps, conclusion } }`. */
      reasoning: z
        .object({
          format: z.string(),
          minSteps: z.int().optional(),
          maxSteps: z.int().optional(),
        })
        .optional(),
      /** What was wrong with what the agent has answered before; it is asked again. */
      complaints: z.array(z.string()).optional(),
      /**
       * The tools that the agent may use: those that are allowed, all when that is left out, without those that are denied. It
       * asks for them by a result `{ toolCalls: [{ name, arguments }] }`, and is called again with what came of them.
       */
      tools: z
        .object({ allowed: z.array(z.string()).optional(), denied: z.array(z.string()) })
        .optional(),
      /** What came of all tools so far, in the order in which it has asked for them. */
      toolResults: z
        .array(toolCall.extend({ result: json.optional(), error: z.string().optional() }))
        .optional(),
    }),
    output: z.object({ result: json, ...paid }),
  },
  /** Wait for a person's decision. */
  requestDecision: {
    input: call.extend({
      /** Names the question among those of its actor, for people: the same when it is asked again under another key. */
      id: z.string().optional(),
      prompt: z.string(),
      options: z.array(option).min(1),
      data: json.optional(),
      /** Paths of the fields of `data` that the person may change. */
      editable: z.array(z.string()).optional(),
      /** Who may decide, by name or by role; anyone when left out. */
      approvers: z.object({ users: z.array(z.string()), roles: z.array(z.string()) }).optional(),
      /** Who may not, whatever their role, and why: "has requested it". */
      excluded: z.array(z.object({ name: z.string(), because: z.string() })).optional(),
      /** Whoever decides has to say who they are. */
      isNamed: z.boolean().optional(),
      /** Whoever decides has to say why. */
      isExplained: z.boolean().optional(),
      /** A list to decide on item by item. */
      batch: z
        .object({
          items: z.array(json),
          /** The option that approves items. */
          approves: z.string(),
          /** Some may be approved and others not. */
          isDivisible: z.boolean(),
          /** How many have to be approved at least. */
          least: z.int().nonnegative(),
        })
        .optional(),
      /** When it is too late, in milliseconds since 1970 UTC. */
      until: z.number().optional(),
    }),
    output: z.object({
      decision: z.string(),
      by: z.string().optional(),
      /** Roles of whoever decides, as whoever asked them knows. */
      roles: z.array(z.string()).optional(),
      comment: z.string().optional(),
      /** The editable fields as the person has left them. */
      edited: json.optional(),
      /** Of a batch: the indexes of the items that are approved; all of them when left out. */
      approved: z.array(z.int().nonnegative()).optional(),
    }),
  },
  /** Keep the run as it is now, so that it can be gone on with from there; where nobody does, nothing is kept. */
  saveCheckpoint: {
    input: call.extend({
      name: z.string(),
      /** Where, in the author's words. */
      storage: z.string().optional(),
      /** When it need not be kept any longer, in milliseconds since 1970 UTC. */
      expiresAt: z.number().optional(),
    }),
    output: z.object({ kept: z.boolean() }),
  },
  /** Fire at an absolute time, in milliseconds since 1970 UTC. */
  timer: {
    input: call.extend({ at: z.number() }),
    output: z.object({ firedAt: z.number() }),
  },
} as const;

export type PortName = keyof typeof portSchemas;
export type PortInput<Name extends PortName> = z.infer<(typeof portSchemas)[Name]['input']>;
/** What a port gives back, before defaults are filled in. */
export type PortOutput<Name extends PortName> = z.input<(typeof portSchemas)[Name]['output']>;

export type PromptSection = z.infer<typeof promptSection>;
export type ToolSpec = z.infer<typeof toolSpec>;
export type ToolCall = z.infer<typeof toolCall>;
export type Usage = z.infer<typeof usageSchema>;

/** Answers the calls of one port. */
export type Port<Name extends PortName> = (
  input: PortInput<Name>,
  call: PortCall,
) => Promise<PortOutput<Name>> | PortOutput<Name>;

export interface PortCall {
  /** Aborted when the machine no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Hands over a part of the text while it is being made. Parts are for showing only; the answer counts. */
  readonly onText: (part: string) => void;
  /** The most tokens that the answer may take, for ports that can tell their model. Absent when there is no limit, or one that is far off. */
  readonly maxTokens?: number | undefined;
  /**
   * The last lines that were said in the conversation, at most so many, the latest last. The message being answered is
   * among them. Absent where whoever runs the machine does not keep them.
   */
  readonly transcript?: ((last: number) => Promise<readonly SpokenLine[]>) | undefined;
}

/** Something that was said; `manual` is a person on the agent's side. */
export interface SpokenLine {
  readonly role: 'agent' | 'contact' | 'manual';
  readonly text: string;
}

export type Ports = { readonly [Name in PortName]: Port<Name> };
