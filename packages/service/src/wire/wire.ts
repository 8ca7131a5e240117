import { type Chart, portSchemas } from '@dramaturg/compiler';
import { actKinds } from '@dramaturg/host/engine';
import * as z from 'zod';
import { scopeSchema } from '../access/principal.ts';
import { json, jsonObject, pageOf, time } from './fields.ts';

/** The JSON of the operators' desk. Spec: docs/service.md#the-desk */

const wholeNumber = z.number().int();

export const queueName = z.enum(['needsPerson', 'decisions', 'failed', 'paused', 'setAside']);

const owner = z.object({ by: z.string(), until: time });

const note = z.object({ by: z.string(), at: time, text: z.string() });

/** The fields of an instance about the work that it has for people. */
const attention = {
  queue: queueName.optional(),
  waitingSince: time.optional(),
};

const me = z.object({
  /** Null if no token is required: then a request names its author in `by`. */
  name: z.string().nullable(),
  roles: z.array(z.string()),
  /** All scopes, including those that `admin` implies. */
  scopes: z.array(scopeSchema),
  /** The address of the inspector, for operators. */
  inspector: z.string().optional(),
});

const queues = z.object({
  needsPerson: wholeNumber,
  decisions: wholeNumber,
  failed: wholeNumber,
  paused: wholeNumber,
  setAside: wholeNumber,
  all: wholeNumber,
});

const draft = z.object({ text: z.string() });

/** A page of a search can have few rows, or none, and a next page. */
const inbox = pageOf(
  z.object({
    id: z.string(),
    contact: z.string().optional(),
    definition: z.object({ name: z.string(), version: z.string() }),
    state: z.string(),
    ended: z.boolean(),
    /** The current states, in the words of the author. */
    place: z.string(),
    lastLine: z
      .object({
        role: z.enum(['agent', 'contact', 'manual', 'system']),
        text: z.string(),
        at: time,
        by: z.string().optional(),
      })
      .optional(),
    ...attention,
    owner: owner.optional(),
    decisionsOpen: z.number(),
    failure: z.object({ message: z.string(), code: z.string().nullable() }).optional(),
    createdAt: time,
    updatedAt: time,
    dueAt: time.optional(),
    parent: z.string().optional(),
  }),
);

const acts = pageOf(
  z.object({
    at: time,
    by: z.string().nullable(),
    act: z.enum(actKinds),
    instance: z.string(),
    contact: z.string().optional(),
    decision: z.string().optional(),
    option: z.string().optional(),
    text: z.string().optional(),
  }),
);

const count = z.number();

const statePosition = {
  path: z.array(z.object({ state: z.string(), item: count.optional(), branch: count.optional() })),
  position: z.object({ line: z.number(), column: z.number() }).optional(),
};

const failure = { error: z.string().nullable(), cause: z.string().nullable() };

const common = {
  ...statePosition,
  source: z.enum(['lifecycle', 'flow']),
  since: time.optional(),
  timeoutAt: time.optional(),
  heartbeatAt: time.optional(),
};

const wait = z.discriminatedUnion('for', [
  z.object({
    ...common,
    for: z.literal('call'),
    key: z.string(),
    port: z.string(),
    name: z.string().optional(),
    heartbeatToken: z.string().optional(),
    instance: z.string().optional(),
  }),
  z.object({ ...common, for: z.literal('token'), token: z.string() }),
  z.object({ ...common, for: z.literal('decision'), id: z.string(), prompt: z.string() }),
  z.object({ ...common, for: z.literal('timer'), key: z.string(), at: time }),
  z.object({ ...common, for: z.literal('retry'), at: time, attempt: count, ...failure }),
  z.object({
    ...common,
    for: z.literal('items'),
    total: count,
    waiting: count,
    running: count,
    failed: count,
  }),
  z.object({ ...common, for: z.literal('message') }),
  z.object({ ...common, for: z.literal('event'), events: z.array(z.string()) }),
]);

/** The input, the data, the result, the states and the waits of an instance. */
const standing = {
  input: json,
  collected: z.record(z.string(), json).optional(),
  output: json.optional(),
  failure: z.object({ ...failure, state: z.object(statePosition).optional() }).optional(),
  timeoutAt: time.optional(),
  states: z.array(z.object(statePosition)),
  waits: z.array(wait),
};

export const itemStatus = z.enum(['waiting', 'running', 'succeeded', 'failed', 'stopped']);

const itemFields = {
  status: itemStatus,
  path: statePosition.path,
  id: z.string().optional(),
  name: z.string().optional(),
  input: json,
  output: json.optional(),
  failure: z.object({ ...failure, state: z.object(statePosition).optional() }).optional(),
  startedAt: time.optional(),
  stoppedAt: time.optional(),
  states: z.array(z.object(statePosition)),
};

/** The JSON between a service and its clients. The receiving side checks all of it. */

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
  /** For an act of an operator: the owner of the conversation after it. */
  owner: owner.exactOptional(),
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

const assessed = pageOf(
  z.object({
    id: z.string(),
    state: z.string(),
    version: z.string(),
    verdict: z.enum(['compatible', 'migratable', 'blocked']),
    because: z.array(z.string()),
    losses: z.array(z.string()),
  }),
);

const damagedRecord = z.object({
  id: z.string().optional(),
  reason: z.string(),
  where: z.string(),
});

/** The result of a verification of the store. */
const verified = z.object({
  records: z.number(),
  lines: z.number(),
  damaged: z.array(damagedRecord),
  /** Instances with unfinished work that nothing in the store would continue. */
  stuck: z.array(z.object({ id: z.string(), reason: z.string() })),
});

export const wire = {
  me,
  queues,
  acts,
  draft,
  inbox,
  summaries: pageOf(z.union([view, summary])),
  view,
  lines: z.object({ lines: z.array(json) }),
  charts: z.object({
    lifecycle: storedChart,
    flow: storedChart.exactOptional(),
    /** All versions of the flow that it has run; absent unless it was migrated. */
    versions: z.array(storedChart).exactOptional(),
  }),
  assessed,
  transcript: z.object({ lines: z.array(transcriptLine) }),
  /** Null for a file that is not kept. */
  attachment: z.object({ base64: z.string().nullable() }),
  items: pageOf(z.object(itemFields)),
  decisions: pageOf(decision),
  decision: decision.extend({ data: json }),
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
      /** The message was received, and had its effect, before. */
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
  started: z.object({ id: z.string(), state: z.string() }),
  damaged: z.object({ records: z.array(damagedRecord) }),
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
  checked: z.object({ diagnostics: z.array(diagnostic) }),
};
