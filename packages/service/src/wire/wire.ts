import { type Chart, type Json, type JsonObject, portSchemas } from '@dramaturg/compiler';
import * as z from 'zod';
import {
  acts,
  attention,
  deskInputs,
  draft,
  inbox,
  me,
  note,
  owner,
  queueName,
  queues,
} from './desk-wire.ts';
import { damagedRecord, verified } from './verified.ts';
import { itemFields, itemSelection, standing } from './standing-wire.ts';
import { assessed, assessInput, migrateInput } from './migration-wire.ts';

/** The JSON between a service and its clients. The receiving side checks all of it. */

/** What was parsed as JSON is JSON. */
const json = z.unknown() as z.ZodType<Json>;
const jsonObject = z.looseObject({}) as z.ZodType<JsonObject>;
const text = z.string().min(1);
const time = z.number();
/** The channel in whose form the contact is written. Without it, the contact is compared as it is. */
const channel = z.string().optional();

const summary = z.object({
  id: z.string(),
  definition: z.object({ name: z.string(), version: z.string() }),
  contact: z.string().optional(),
  state: z.string(),
  ended: z.boolean(),
  createdAt: time,
  updatedAt: time,
  dueAt: time.optional(),
  decisionsOpen: z.number().optional(),
  ...attention,
  parent: z.string().optional(),
});

const { data: _, ...question } = portSchemas.requestDecision.input.shape;

/** The question without its data. */
const openDecision = z.object({ ...question, id: z.string(), options: z.array(z.string()) });

const decision = openDecision.extend({
  decision: z.string(),
  instance: z.string(),
  definition: z.object({ name: z.string(), version: z.string() }),
});

const view = summary.extend({
  address: z.string().nullable(),
  channel: z.string().nullable(),
  holdsContact: z.boolean(),
  isAnswering: z.boolean(),
  children: z.array(z.string()),
  copyOf: z.object({ instance: z.string(), checkpoint: z.string() }).optional(),
  lifecycle: jsonObject,
  flow: json,
  undelivered: z.array(z.string()),
  calls: z.array(z.string()),
  decisions: z.array(openDecision),
  timers: z.array(z.object({ key: z.string(), at: time })),
  used: z.object({
    calls: z.number(),
    time: z.number(),
    requests: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedInputTokens: z.number().optional(),
    reasoningTokens: z.number().optional(),
    cost: z.number(),
    unpriced: z.string().optional(),
    counted: z.record(z.string(), z.number()).optional(),
  }),
  transcriptLength: z.number(),
  journalLength: z.number(),
  owner: owner.optional(),
  notes: z.array(note).optional(),
  ...standing,
});

const storedChart = z.object({
  ref: z.object({ name: z.string(), version: z.string() }),
  /** Not checked in depth: the client trusts the host as much as its store. */
  chart: z.custom<Chart>((value) => typeof value === 'object' && value !== null),
  source: z.object({ text: z.string() }).exactOptional(),
});

const transcriptLine = z.object({
  id: z.string(),
  role: z.enum(['agent', 'contact', 'manual', 'system']),
  text: z.string(),
  /** The person who has written a line by hand. */
  by: z.string().exactOptional(),
  at: time,
  data: jsonObject.exactOptional(),
  delivery: z
    .object({
      status: z.enum(['delivered', 'read', 'failed']),
      at: time,
      reason: z.string().exactOptional(),
    })
    .exactOptional(),
});

const accepted = z.object({
  accepted: z.literal(true),
  state: z.string(),
  /** Of an act of an operator: who has the conversation now. */
  owner: owner.exactOptional(),
});

/** In a query everything is text. */
const wholeNumber = z.coerce.number().int();
const flag = z.enum(['true', 'false']).transform((word) => word === 'true');

/** A definition that is sent with an order. */
const definitionFile = z.strictObject({
  name: text,
  text: z.string(),
  fileName: z.string().optional(),
  format: z.string().optional(),
  options: jsonObject.optional(),
});

const definitionSummary = z.object({ name: z.string(), format: z.string() });

const position = z.object({ line: z.number(), column: z.number(), offset: z.number() });
const range = z.object({ start: position, end: position });

const place = {
  message: z.string(),
  path: z.array(z.union([z.string(), z.number()])),
  range,
};

const diagnostic = z.object({
  ...place,
  code: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  hint: z.string().optional(),
  related: z.array(z.object(place)).optional(),
});

export const wire = {
  nothing: z.strictObject({}),
  me,
  queues,
  acts,
  draft,
  inbox,
  desk: deskInputs,
  summaries: z.object({
    items: z.array(z.union([view, summary])),
    next: z.string().optional(),
  }),
  view,
  lines: z.object({ lines: z.array(json) }),
  charts: z.object({
    lifecycle: storedChart,
    flow: storedChart.exactOptional(),
    /** All versions of the flow that it has run; absent unless it was migrated. */
    versions: z.array(storedChart).exactOptional(),
  }),
  assess: assessInput.extend({ definition: definitionFile }),
  assessed,
  migrate: migrateInput,
  transcript: z.object({ lines: z.array(transcriptLine) }),
  range: z.strictObject({
    from: wholeNumber.min(0).default(0),
    limit: wholeNumber.min(1).max(10_000).default(1_000),
  }),
  filter: z.strictObject({
    contact: z.string().optional(),
    channel,
    state: z.string().optional(),
    definition: z.string().optional(),
    ended: flag.optional(),
    parent: z.string().optional(),
    /** Whether decisions of people are open. */
    asks: flag.optional(),
    /** The queue of people's work: the longest waiting first. */
    queue: queueName.optional(),
    /** Who has taken it over, also when the claim has expired. */
    owner: z.string().optional(),
    /** Each item has everything that `get` gives. At most 100 then. */
    details: flag.optional(),
    after: z.string().optional(),
    limit: wholeNumber.min(1).max(10_000).default(100),
  }),
  itemFilter: z.strictObject({
    ...itemSelection,
    after: z.string().optional(),
    limit: wholeNumber.min(1).max(10_000).default(100),
  }),
  items: z.object({ items: z.array(z.object(itemFields)), next: z.string().optional() }),
  decisionFilter: z.strictObject({
    instance: z.string().optional(),
    definition: z.string().optional(),
    contact: z.string().optional(),
    channel,
    by: z.string().optional(),
    /** Separated by commas. */
    roles: z
      .string()
      .transform((words) => words.split(','))
      .optional(),
    after: z.string().optional(),
    limit: wholeNumber.min(1).max(10_000).default(100),
  }),
  decisions: z.object({ items: z.array(decision), next: z.string().optional() }),
  decision: decision.extend({ data: json }),
  decided: z.strictObject({
    decision: text,
    by: z.string().optional(),
    roles: z.array(z.string()).optional(),
    comment: z.string().optional(),
    edited: json.optional(),
    data: jsonObject.optional(),
    approved: z.array(z.number().int().min(0)).optional(),
  }),
  like: z.strictObject({ prefix: text }),
  checkpoints: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        savedAt: time,
        expiresAt: time.optional(),
        definition: z.object({ name: z.string(), version: z.string() }),
      }),
    ),
  }),
  event: z.strictObject({ event: z.looseObject({ type: text }) }),
  message: z.strictObject({
    contact: text,
    channel,
    text: z.string(),
    /** The channel's own id: messages with the same id are one message. */
    id: text.optional(),
    /** What the channel adds to the text, such as links of attachments. */
    data: jsonObject.optional(),
    /** When the person has sent it, in milliseconds since 1970 UTC. */
    sentAt: wholeNumber.min(1).optional(),
    /** The id of the message that it quotes or whose button it is, or its text. */
    replyTo: z.string().max(100_000).optional(),
    /** The conversation that the message starts, when no instance holds the contact. */
    orStart: z
      .strictObject({
        definition: text,
        id: text.optional(),
        channel: z.string().optional(),
        input: json.optional(),
        lifecycleInput: jsonObject.optional(),
      })
      .optional(),
  }),
  fork: z.union([
    z.strictObject({ step: wholeNumber.min(1), id: text.optional() }),
    z.strictObject({ checkpoint: text, id: text.optional(), contact: z.string().optional() }),
  ]),
  eventFilter: z.strictObject({
    instance: z.string().optional(),
    contact: z.string().optional(),
    channel,
    descendants: flag.optional(),
    /** Also parts of replies that are being made. */
    parts: flag.optional(),
    /** Separated by commas. */
    types: z
      .string()
      .transform((words) => words.split(','))
      .optional(),
    /** The cursor of an event, or `beginning`. The header `Last-Event-ID` takes precedence. */
    after: z.string().optional(),
  }),
  hostEvent: z.object({
    instance: z.string(),
    within: z.array(z.string()).optional(),
    at: time,
    source: z.enum(['lifecycle', 'flow', 'host']),
    event: z.looseObject({ type: z.string() }),
    cursor: z.string().optional(),
  }),
  accepted,
  routed: z.union([
    accepted.extend({
      instance: z.string(),
      /** The message was received before, and had its effect then. */
      repeated: z.literal(true).optional(),
    }),
    z.object({
      instance: z.null(),
      accepted: z.literal(false),
      code: z.enum(['host/no-holder', 'host/busy']),
      because: z.string(),
      retryAfterMs: z.number().optional(),
    }),
  ]),
  order: z.strictObject({
    /** The name of a definition, or a definition. */
    definition: z.union([text, definitionFile]),
    /** Definitions that it runs as agents. Definitions of the host with the same names take precedence. */
    needs: z.array(definitionFile).optional(),
    id: z.string().optional(),
    /** Makes the id an idempotency key: the same start may be repeated. */
    once: z.boolean().optional(),
    contact: z.string().optional(),
    /** Who starts the instance. */
    by: z.string().optional(),
    channel: z.string().optional(),
    input: json.optional(),
    lifecycleInput: jsonObject.optional(),
  }),
  started: z.object({ id: z.string(), state: z.string() }),
  damaged: z.object({ records: z.array(damagedRecord) }),
  erase: z.strictObject({
    contact: text,
    channel,
    running: z.enum(['refuse', 'end']),
    rewrite: z.boolean().optional(),
  }),
  erased: z.object({
    instances: z.number(),
    ended: z.number(),
    lines: z.number(),
    savePoints: z.number(),
    memories: z.number(),
    unreadable: z.number(),
    bytesBefore: z.number(),
    bytesAfter: z.number(),
    remains: z.string().optional(),
  }),
  exported: z.strictObject({ contact: text, channel }),
  backup: z.strictObject({ target: text }),
  verified,
  status: z.object({
    pid: z.number(),
    uptime_seconds: z.number(),
    connections: z.array(z.string()),
    definitions: z.array(z.string()),
    active_instance_count: z.number(),
    total_instance_count: z.number(),
  }),
  definitions: z.object({ items: z.array(definitionSummary) }),
  definitionSummary,
  definitionFile,
  definitionText: definitionFile.omit({ name: true }),
  checked: z.object({ diagnostics: z.array(diagnostic) }),
};

export type DefinitionFile = z.output<typeof definitionFile>;

/** A message from outside. */
export type MessageOrder = z.output<typeof wire.message>;

/** The order to start an instance, over HTTP and in the commands. */
export type StartOrder = z.output<typeof wire.order>;
export type HostStatus = z.output<typeof wire.status>;
