import type { Answer } from '@dramaturg/host';
import * as z from 'zod';
import { hasScope, scopeSchema } from './access/principal.ts';
import { RequestError } from './failure.ts';
import { actorOf, deciderOf, personOf, requireMayForce } from './operations/acting.ts';
import { backUpTo } from './operations/backup-target.ts';
import { findByPrefix, inDetail, statusOfHost } from './operations/reading.ts';
import {
  type Caller,
  given,
  type InputOf,
  operationsOf,
  type ServedHost,
  type ServedReader,
} from './operations/operation.ts';
import {
  define,
  messageOrder,
  receiveMessage,
  startInstance,
  startOrder,
  summaryOf,
} from './operations/starting.ts';
import {
  by,
  channel,
  definitionFile,
  flag,
  json,
  jsonObject,
  migrationMap,
  page,
  text,
  timeText,
  wholeNumber,
  words,
} from './wire/fields.ts';
import { itemStatus, queueName, wire } from './wire/wire.ts';

const reading = operationsOf<ServedReader>();
const operation = operationsOf<ServedHost>();

const nothing = z.strictObject({});
const range = z.strictObject({
  from: wholeNumber.min(0).default(0),
  limit: wholeNumber.min(1).max(10_000).default(1_000),
});
const force = z.boolean().optional();
const asPerson = ['--as <name>', 'who acts; leave it out where a token says it'] as const;

/**
 * The operations of a host for people and programs outside. The service, its description, its client and the commands are made
 * from these rows. Spec: docs/service.md#requests
 */
export const operations = {
  status: operation('GET /status', 'read', {
    summary: 'What the host has and does',
    input: nothing,
    output: wire.status,
    run: statusOfHost,
  }),
  me: operation('GET /me', 'read', {
    summary: 'The name and the scopes of the token',
    input: nothing,
    output: wire.me,
    run: async ({ inspector }, _input, { identity, scopes = [] }) => ({
      name: identity?.name ?? null,
      roles: identity?.roles ?? [],
      scopes: scopeSchema.options.filter((scope) => hasScope(scopes, scope)),
      ...(hasScope(scopes, 'operate') && given({ inspector })),
    }),
  }),
  queues: reading('GET /queues', 'read', {
    summary: 'Counts what waits for people',
    input: nothing,
    output: wire.queues,
    run: ({ host }) => host.queues(),
  }),
  inbox: reading('GET /inbox', 'read', {
    summary: 'Lists what waits for people',
    input: z.strictObject({
      queue: z.enum([...queueName.options, 'all']).default('all'),
      /** A substring of the contact or of the last message. */
      q: z.string().max(200).optional(),
      state: z.string().optional(),
      definition: z.string().optional(),
      /** The present owner. */
      owner: z.string().optional(),
      ...page(500),
    }),
    output: wire.inbox,
    run: ({ host }, { queue, q, ...input }) =>
      host.inbox(...paged({ ...input, queue: queue === 'all' ? undefined : queue, text: q })),
  }),
  acts: reading('GET /acts', 'read', {
    summary: 'Lists what people have done',
    input: z.strictObject({
      from: timeText.optional(),
      /** Selects acts before this time. */
      to: timeText.optional(),
      by: z.string().optional(),
      contact: z.string().optional(),
      channel,
      /** `csv` returns all pages at once. */
      format: z.enum(['json', 'csv']).default('json'),
      ...page(),
    }),
    output: wire.acts,
    run: ({ host }, { format: _format, ...input }) => host.acts(...paged(input)),
  }),
  definitions: operation('GET /definitions', 'read', {
    summary: 'Lists definitions',
    input: nothing,
    output: wire.definitions,
    field: 'items',
    run: (served) => Promise.all(served.host.definitions.map((name) => summaryOf(served, name))),
  }),
  check: operation('POST /check', 'define', {
    summary: 'Checks a definition',
    input: definitionFile,
    output: wire.checked,
    field: 'diagnostics',
    run: ({ check }, file) => check(file),
  }),
  define: operation('PUT /definitions/:id', 'define', {
    summary: 'Adds a definition',
    input: definitionFile.omit({ name: true }),
    output: wire.definitionSummary,
    run: async (served, name, file) => summaryOf(served, await define(served, { name, ...file })),
  }),
  list: reading('GET /instances', 'read', {
    summary: 'Lists instances',
    input: z.strictObject({
      contact: z.string().optional(),
      channel,
      state: z.string().optional(),
      definition: z.string().optional(),
      ended: flag.optional(),
      parent: z.string().optional(),
      /** Whether the instance has open decisions. */
      asks: flag.optional(),
      /** The queue of work for people, the longest waiting first. */
      queue: queueName.optional(),
      /** The operator who has taken it over, also after the claim has expired. */
      owner: z.string().optional(),
      /** Each item has all fields of `get`. Then the list has at most 100 items. */
      details: flag.optional(),
      ...page(),
    }),
    output: wire.summaries,
    run: async (served, { details = false, ...input }) => {
      const found = await served.host.list(...paged(input));
      return details
        ? { ...found, items: await inDetail(served, found.items, input.limit) }
        : found;
    },
  }),
  find: reading('GET /ids', 'read', {
    summary: 'Finds instances by the beginning of an id',
    input: z.strictObject({ prefix: text }),
    output: wire.summaries,
    field: 'items',
    run: ({ host }, { prefix }) => findByPrefix(host, prefix),
  }),
  get: reading('GET /instances/:id', 'read', {
    summary: 'An instance',
    input: nothing,
    output: wire.view,
    run: ({ host }, id) => host.get(id),
  }),
  items: reading('GET /instances/:id/items', 'read', {
    summary: 'The items of Maps',
    input: z.strictObject({
      status: itemStatus.optional(),
      state: z.string().optional(),
      ...page(),
    }),
    output: wire.items,
    run: ({ host }, id, input) => host.items(id, ...paged(input)),
  }),
  transcript: reading('GET /instances/:id/transcript', 'read', {
    summary: 'The transcript',
    input: range,
    output: wire.transcript,
    field: 'lines',
    run: ({ host }, id, lines) => linesOf(host, id, host.transcript(id, lines)),
  }),
  attachment: reading('GET /instances/:id/attachment', 'read', {
    summary: 'The bytes of a file that the contact has sent',
    input: z.strictObject({ key: text }),
    output: wire.attachment,
    run: async ({ host }, id, { key }) => {
      const bytes = await host.attachment(id, { key });
      return { base64: bytes === undefined ? null : Buffer.from(bytes).toString('base64') };
    },
  }),
  journal: reading('GET /instances/:id/journal', 'read', {
    summary: 'The journal',
    input: range,
    output: wire.lines,
    field: 'lines',
    run: ({ host }, id, lines) => linesOf(host, id, host.journal(id, lines)),
  }),
  charts: reading('GET /instances/:id/charts', 'read', {
    summary: 'The charts that it runs',
    input: nothing,
    output: wire.charts,
    run: ({ host }, id) => host.charts(id),
  }),
  checkpoints: reading('GET /instances/:id/checkpoints', 'read', {
    summary: 'Save points',
    input: nothing,
    output: wire.checkpoints,
    field: 'items',
    run: ({ host }, id) => host.checkpoints(id),
  }),
  decisions: reading('GET /decisions', 'read', {
    summary: 'Lists open decisions',
    input: z.strictObject({
      instance: z.string().optional(),
      definition: z.string().optional(),
      contact: z.string().optional(),
      channel,
      by: z.string().optional(),
      roles: words.optional(),
      ...page(),
    }),
    output: wire.decisions,
    run: ({ host }, input) => host.decisions(...paged(input)),
  }),
  decision: reading('GET /decisions/:id', 'read', {
    summary: 'A decision with its data',
    input: nothing,
    output: wire.decision,
    run: ({ host }, decision) => host.decision(decision),
  }),
  decide: operation('POST /decisions/:id', 'operate', {
    summary: 'Decides',
    input: z.strictObject({
      decision: text,
      by: z.string().optional(),
      roles: z.array(z.string()).optional(),
      comment: z.string().optional(),
      edited: json.optional(),
      data: jsonObject.optional(),
      approved: z.array(z.number().int().min(0)).optional(),
    }),
    output: wire.accepted,
    run: async ({ host }, decision, input, caller) =>
      host.decide(decision, given({ ...input, ...deciderOf(input, caller) })),
  }),
  start: operation('POST /instances', 'converse', {
    summary: 'Starts an instance',
    input: startOrder,
    output: wire.started,
    status: 201,
    hasKey: true,
    run: startInstance,
  }),
  receive: operation('POST /messages', 'converse', {
    summary: 'Receives a message of a contact',
    input: messageOrder,
    output: wire.routed,
    hasKey: true,
    run: receiveMessage,
  }),
  send: operation('POST /instances/:id/send', 'operate', {
    summary: 'Sends an event',
    input: z.strictObject({ event: z.looseObject({ type: text }) }),
    output: wire.accepted,
    run: async ({ host }, id, { event }, caller) => {
      if (caller.identity !== undefined && event.type === 'decision.made')
        throw new RequestError(
          'request/identity',
          'A decision is not sent as an event, because the token says who decides.',
          { hint: 'Use POST /decisions/:id.' },
        );
      const isAct = ['pause', 'resume', 'cancel', 'intervene'].includes(event.type);
      return host.send(id, isAct ? { ...event, ...actorOf({ by: event['by'] }, caller) } : event);
    },
  }),
  pause: operation('POST /instances/:id/pause', 'operate', {
    summary: 'Pauses',
    input: z.strictObject({ by }),
    output: wire.accepted,
    run: async ({ host }, id, input, caller) => host.pause(id, actorOf(input, caller)),
    command: {
      name: 'pause',
      description: 'Suspends an instance: it sends nothing, and its timers stop.',
      options: { by: asPerson },
      example: 'conversations 3f2a',
    },
  }),
  resume: operation('POST /instances/:id/resume', 'operate', {
    summary: 'Resumes',
    input: z.strictObject({ by }),
    output: wire.accepted,
    run: async ({ host }, id, input, caller) => host.resume(id, actorOf(input, caller)),
    command: {
      name: 'resume',
      description: 'Lets an instance continue that is paused or waits for a person.',
      options: { by: asPerson },
      example: 'conversations 3f2a',
    },
  }),
  cancel: operation('POST /instances/:id/cancel', 'operate', {
    summary: 'Ends an instance',
    input: z.strictObject({ by, reason: z.string().optional() }),
    output: wire.accepted,
    run: async ({ host }, id, input, caller) =>
      host.cancel(id, input.reason, actorOf(input, caller)),
    command: {
      name: 'cancel',
      description: 'Ends an instance for good. Messages that are still unsent stay unsent.',
      options: { by: asPerson, reason: ['--reason <text>', 'why, for the transcript'] },
      example: 'conversations 3f2a --reason "The order was sent"',
    },
  }),
  intervene: operation('POST /instances/:id/intervene', 'operate', {
    summary: 'Writes to the contact by hand',
    input: z.strictObject({ by, text: z.string().min(1), upTo: z.string().optional() }),
    output: wire.accepted,
    hasKey: true,
    run: async ({ host }, id, input, caller): Promise<Answer> => {
      const answer = await host.intervene(id, input.text, {
        ...actorOf(input, caller),
        ...given({ upTo: input.upTo, key: caller.idempotencyKey }),
      });
      const isRepeated = !answer.accepted && answer.code === 'message/repeated';
      return isRepeated ? { accepted: true, state: answer.state } : answer;
    },
    command: {
      name: 'intervene',
      description: 'Writes to the contact of an instance by hand, in place of the agent.',
      options: {
        by: asPerson,
        text: ['<text>', 'the message'],
        upTo: [
          '--up-to <line>',
          'the id of the last line you have read: the agent answers later ones only',
        ],
      },
      example: 'conversations 3f2a "This is Ada, I take over."',
    },
  }),
  takeOver: operation('POST /instances/:id/take-over', 'operate', {
    summary: 'Takes a conversation over: pauses and claims it',
    input: z.strictObject({
      by,
      /** How long the claim is valid after the last act of its owner, in milliseconds. */
      forMs: z.number().int().optional(),
      /** The colleague who gets it. */
      to: z.string().optional(),
      /** Takes it from another owner. Needs the scope `admin`. */
      force,
    }),
    output: wire.accepted,
    run: async ({ host }, id, { forMs, to, ...input }, caller) => {
      requireMayForce(input.force, caller);
      const options = given({ forMs, to, force: input.force });
      return host.takeOver(id, { ...options, ...personOf(input, caller) });
    },
    command: {
      name: 'take-over',
      description:
        'Pauses an instance and claims it for a person: the agent says nothing, no reminder fires, and others cannot act on it. Each act of the person renews the claim; it expires after 15 minutes without one.',
      options: {
        by: asPerson,
        forMs: ['--for <minutes>', 'how long the claim holds without an act'],
        to: ['--to <name>', 'give it to this colleague'],
        force: ['--force', 'take it from somebody else'],
      },
      example: 'conversations 3f2a --as ana',
    },
  }),
  renewClaim: operation('POST /instances/:id/claim', 'operate', {
    summary: 'Renews a claim',
    input: z.strictObject({ by }),
    output: wire.accepted,
    run: async ({ host }, id, input, caller) => host.renewClaim(id, personOf(input, caller)),
  }),
  handBack: operation('POST /instances/:id/hand-back', 'operate', {
    summary: 'Releases and resumes a conversation',
    input: z.strictObject({ by, force }),
    output: wire.accepted,
    run: async ({ host }, id, input, caller) => {
      requireMayForce(input.force, caller);
      return host.handBack(id, { ...given({ force: input.force }), ...actorOf(input, caller) });
    },
    command: {
      name: 'hand-back',
      description:
        'Releases an instance that was taken over, and resumes it: its next turn answers what the contact has written in between.',
      options: { by: asPerson, force: ['--force', 'also if somebody else has it'] },
      example: 'conversations 3f2a --as ana',
    },
  }),
  addNote: operation('POST /instances/:id/notes', 'operate', {
    summary: 'Adds a note',
    input: z.strictObject({ by, text: z.string() }),
    output: wire.accepted,
    run: async ({ host }, id, input, caller) =>
      host.addNote(id, personOf(input, caller).by, input.text),
    command: {
      name: 'note',
      description:
        'Adds a note to an instance. "dramaturg show" prints it. Neither the contact nor a model gets it.',
      options: { by: asPerson, text: ['<text>', 'the note'] },
      example: 'conversations 3f2a "Prefers e-mail." --as ana',
    },
  }),
  draft: operation('POST /instances/:id/draft', 'operate', {
    summary: 'Drafts what the agent would say now',
    input: z.strictObject({ by }),
    output: wire.draft,
    run: async ({ host }, id, input, caller) =>
      host.draft(id, { ...personOf(input, caller), ...given({ signal: caller.signal }) }),
  }),
  fork: operation('POST /instances/:id/fork', 'operate', {
    summary: 'Starts a copy of an instance',
    input: z.union([
      z.strictObject({ step: wholeNumber.min(1), id: text.optional() }),
      z.strictObject({ checkpoint: text, id: text.optional(), contact: z.string().optional() }),
    ]),
    output: wire.started,
    status: 201,
    run: ({ host }, id, at, { signal }) =>
      host.fork(id, 'step' in at ? given({ ...at, signal }) : given(at)),
  }),
  migrate: operation('POST /instances/:id/migrate', 'operate', {
    summary: 'Migrates an instance to the latest version of its definition',
    input: z.strictObject({
      map: migrationMap.optional(),
      /** The version that the instance runs. */
      from: z.string().optional(),
      /** Undoes a migration, if it is the last step. */
      undo: z.literal(true).optional(),
    }),
    output: wire.accepted,
    run: async ({ host }, id, { undo, ...options }) =>
      undo ? host.undoMigration(id) : host.migrate(id, given(options)),
  }),
  assess: reading('POST /assess', 'define', {
    summary: 'What a migration to a new version would do to the instances of a definition',
    input: z.strictObject({
      map: migrationMap.optional(),
      limit: z.coerce.number().int().min(1).max(1_000).default(100),
      after: z.string().optional(),
      definition: definitionFile,
    }),
    output: wire.assessed,
    run: async ({ host, compile }, { definition, map = {}, limit, after }) =>
      host.assess(await compile(definition), map, { limit, ...given({ after }) }),
  }),
  erase: operation('POST /erase', 'admin', {
    summary: 'Erases everything about a contact',
    input: z.strictObject({
      contact: text,
      channel,
      running: z.enum(['refuse', 'end']),
      rewrite: z.boolean().optional(),
    }),
    output: wire.erased,
    run: ({ host }, input) => host.erase(given(input)),
  }),
  backup: operation('POST /backup', 'admin', {
    summary: 'Copies the store',
    input: z.strictObject({ target: text }),
    output: nothing,
    writesToMachine: true,
    run: async ({ backup }, { target }) => {
      await backUpTo(target, backup);
      return {};
    },
  }),
  verify: reading('GET /verify', 'admin', {
    summary: 'Reads and checks the whole store',
    input: nothing,
    output: wire.verified,
    run: ({ host }, _input, { onProgress }) => host.verify(onProgress),
  }),
  damaged: reading('GET /damaged', 'admin', {
    summary: 'Lists damaged records',
    input: nothing,
    output: wire.damaged,
    field: 'records',
    run: ({ host }) => host.damaged(),
  }),
  export: reading('GET /export', 'admin', {
    summary: 'Everything about a contact, as one JSON document',
    input: z.strictObject({ contact: text, channel }),
    output: z.unknown(),
    isStream: true,
    run: ({ host }, contact) => host.export(contact),
  }),
};

/** Streams server-sent events, until the host stops or the client disconnects. `output` is the data of each. */
export const eventsRoute = {
  path: '/events',
  scope: 'read',
  input: z.strictObject({
    instance: z.string().optional(),
    contact: z.string().optional(),
    channel,
    descendants: flag.optional(),
    /** Also streams the parts of unfinished replies. */
    parts: flag.optional(),
    types: words.optional(),
    /** The cursor of an event, or `beginning`. The header `Last-Event-ID` takes precedence. */
    after: z.string().optional(),
  }),
  output: wire.hostEvent,
} as const;

type Table = typeof operations;
export type OperationName = keyof Table;

type Rest<Input> = {} extends Input
  ? [input?: Input, caller?: Caller]
  : [input: Input, caller?: Caller];

type Call<Given, Result> = Given extends [id: string, input: infer Input, caller: Caller]
  ? (id: string, ...given: Rest<Input>) => Result
  : Given extends [input: infer Input, caller: Caller]
    ? (...given: Rest<Input>) => Result
    : never;

/** The operations of a host, in this process or in another one. Parameters: the id of the path, the input, the caller. */
export type Operations = {
  readonly [Name in keyof typeof operations]: Table[Name]['run'] extends (
    host: never,
    ...given: infer Given
  ) => infer Result
    ? Call<Given, Result>
    : never;
};

/** Reads the instances of a store: from the store itself, or through the host that runs it. */
export type ReadOperations = Pick<
  Operations,
  {
    [Name in OperationName]: Table[Name]['run'] extends (
      host: ServedReader,
      ...given: never
    ) => unknown
      ? Name
      : never;
  }[OperationName]
>;

/** The types of requests and answers by route, for HTTP clients. Answers with status 400 and above are problems. */
export type Requests = {
  readonly [Name in keyof typeof operations as `${Table[Name]['method']} ${Table[Name]['path']}`]: {
    readonly input: InputOf<Table[Name]['input']>;
    readonly body: Body<Table[Name], Awaited<ReturnType<Operations[Name]>>>;
  };
};

type Body<Row extends { readonly field?: string }, Result> = [Row['field']] extends [undefined]
  ? Exclude<Result, { readonly accepted: false }>
  : { readonly [Name in NonNullable<Row['field']>]: Result };

/** Splits the input of a list into filter and page. */
function paged<Input extends { readonly after?: string | undefined; readonly limit: number }>({
  after,
  limit,
  ...filter
}: Input) {
  return [given(filter), { limit, ...given({ after }) }] as const;
}

/** @throws HostError `host/unknown-instance` */
async function linesOf<Line>(
  host: ServedReader['host'],
  id: string,
  read: Promise<readonly Line[]>,
): Promise<readonly Line[]> {
  const lines = await read;
  if (lines.length === 0) await host.get(id);
  return lines;
}
