import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Routed } from '@dramaturg/host';
import * as z from 'zod';
import { RequestError } from '../failure.ts';
import {
  channel,
  definitionFile,
  type DefinitionFile,
  json,
  jsonObject,
  text,
  wholeNumber,
} from '../wire/fields.ts';
import { actorOf } from './acting.ts';
import { type Caller, given, type InputOf, type ServedHost } from './operation.ts';

export const startOrder = z.strictObject({
  /** The name or the file of a definition. */
  definition: z.union([text, definitionFile]),
  /** Definitions that this one runs as agents. Definitions of the host with the same names take precedence. */
  needs: z.array(definitionFile).optional(),
  id: z.string().optional(),
  /** Makes the id an idempotency key, so that a start can be repeated. */
  once: z.boolean().optional(),
  contact: z.string().optional(),
  /** Who starts the instance. */
  by: z.string().optional(),
  channel: z.string().optional(),
  input: json.optional(),
  lifecycleInput: jsonObject.optional(),
});

export type StartOrder = InputOf<typeof startOrder>;

export const messageOrder = z.strictObject({
  contact: text,
  channel,
  text: z.string(),
  /** The channel's own id: messages with the same id are one message. */
  id: text.optional(),
  /** Data that the channel adds to the text, such as links of attachments. */
  data: jsonObject.optional(),
  /** When the person sent it, in milliseconds since 1970 UTC. */
  sentAt: wholeNumber.min(1).optional(),
  /** The id or the text of the message that it quotes or whose button was pressed. */
  replyTo: z.string().max(100_000).optional(),
  /** The conversation that the message starts, if no instance has the contact. */
  orStart: z
    .strictObject({
      definition: text,
      id: text.optional(),
      channel: z.string().optional(),
      input: json.optional(),
      lifecycleInput: jsonObject.optional(),
    })
    .optional(),
});

/** A message from outside. */
export type MessageOrder = InputOf<typeof messageOrder>;

export interface Started {
  readonly id: string;
  readonly state: string;
}

/** A definition that new instances can be started from. */
export interface DefinitionSummary {
  readonly name: string;
  readonly format: string;
}

/** Starts an instance of a definition that the host has or the order contains. */
export async function startInstance(
  served: ServedHost,
  order: StartOrder,
  caller: Caller,
): Promise<Started> {
  const { definition, needs = [], by: _by, input, lifecycleInput = {}, id, once, ...rest } = order;
  const { by } = actorOf(order, caller);
  const { idempotencyKey: key, traceparent } = caller;
  const { host } = served;
  const name = typeof definition === 'string' ? definition : await define(served, definition);
  const known = host.definitions;
  for (const each of needs) if (!known.includes(each.name)) await define(served, each);
  return host.start(name, {
    ...given({ ...rest, id: id ?? key, once: key === undefined ? once : true, traceparent }),
    input: await inputFor(served, name, input, by),
    lifecycleInput,
    needs: needs.map((each) => each.name),
  });
}

/** Gives a message to the instance that has its contact, or starts one. */
export async function receiveMessage(
  served: ServedHost,
  { orStart, id, ...message }: MessageOrder,
  { idempotencyKey, traceparent }: Caller,
): Promise<Routed> {
  const order = { ...message, id: sameKey(id, idempotencyKey), traceparent };
  return served.host.receive({
    ...given(order),
    ...(orStart && {
      orStart: {
        ...given(orStart),
        input: await inputFor(served, orStart.definition, orStart.input, undefined),
        lifecycleInput: orStart.lifecycleInput ?? {},
      },
    }),
  });
}

/** Adds a definition to the host. @returns its name */
export async function define(served: ServedHost, file: DefinitionFile): Promise<string> {
  await served.host.define(await served.compile(file));
  return file.name;
}

export async function summaryOf({ host }: ServedHost, name: string): Promise<DefinitionSummary> {
  return { name, format: (await host.chart(name)).format };
}

/** Converts an input to the form that its format needs, like `run`. */
async function inputFor(
  { host, inputOf }: ServedHost,
  name: string,
  input: Json | undefined,
  by: string | undefined,
): Promise<JsonObject> {
  return inputOf((await host.chart(name)).format, input, by);
}

function sameKey(id: string | undefined, key: string | undefined): string | undefined {
  if (id === undefined || key === undefined || id === key) return id ?? key;
  throw new RequestError('request/invalid', `The header Idempotency-Key and "id" differ.`, {
    hint: 'Give one of them, or the same value twice.',
  });
}
