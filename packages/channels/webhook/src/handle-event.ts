import type { JsonObject } from '@dramaturg/compiler';
import type { ChannelContext } from '@dramaturg/host';
import { acknowledged, receiveMessage, refused, reportDelivery } from '@dramaturg/host/channel';
import * as z from 'zod';

const text = z.string().min(1).max(1_000);
/** Any length: a long one is hashed. */
const messageId = z.string().min(1);

const attachment = z.object({
  url: z.url().max(4_000).exactOptional(),
  id: text.exactOptional(),
  type: text.exactOptional(),
  name: text.exactOptional(),
  size: z.number().nonnegative().exactOptional(),
});

/** The events that the channel knows. Spec: docs/channels.md#signed-webhooks */
const events = {
  'message.received': z.object({
    contact: text,
    text: z.string(),
    /** Default: the header `webhook-id`. */
    id: messageId.exactOptional(),
    /** Milliseconds since 1970 UTC. */
    sentAt: z.int().positive().exactOptional(),
    replyTo: z.string().max(100_000).exactOptional(),
    attachments: z.array(attachment).max(20).exactOptional(),
    data: (z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>).exactOptional(),
  }),
  'delivery.reported': z.object({
    instance: text,
    message: text,
    status: z.enum(['delivered', 'read', 'failed']),
    reason: z.string().exactOptional(),
  }),
} as const;

/** Answers an event that was signed. Events of other types are acknowledged. */
export async function handleEvent(
  { type, data }: Readonly<Record<string, unknown>>,
  webhookId: string,
  context: ChannelContext,
): Promise<Response> {
  if (type === 'message.received') {
    const message = events[type].safeParse(data);
    if (!message.success) return malformed(type, message.error);
    return receiveMessage(
      context,
      { id: webhookId, ...message.data },
      { onRefused: (because) => refused(422, because) },
    );
  }
  if (type === 'delivery.reported') {
    const report = events[type].safeParse(data);
    if (!report.success) return malformed(type, report.error);
    return reportDelivery(context, report.data);
  }
  return typeof type === 'string' ? acknowledged() : refused(400, 'The event has no "type".');
}

function malformed(type: string, { issues }: z.ZodError): Response {
  const [{ path, message } = { path: [], message: '' }] = issues;
  return refused(400, `The data of "${type}" is wrong at "${path.join('.')}": ${message}.`);
}
