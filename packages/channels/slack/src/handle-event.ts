import type { ChannelContext } from '@dramaturg/host';
import { acknowledged, type Attachment, receiveMessage, refused } from '@dramaturg/host/channel';
import * as z from 'zod';
import { contactOf } from './contacts.ts';
import { unescaped, withoutMention } from './text.ts';

const file = z.object({
  id: z.string(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  url_private: z.string().nullish(),
});

const message = z.object({
  type: z.enum(['message', 'app_mention']),
  channel: z.string(),
  channel_type: z.string().optional(),
  ts: z.string(),
  thread_ts: z.string().optional(),
  user: z.string().optional(),
  text: z.string().optional(),
  subtype: z.string().optional(),
  bot_id: z.string().nullish(),
  files: z.array(file).optional(),
  edited: z.object({ ts: z.string() }).optional(),
});

/** Slack also sends it for the preview of a link, then without `edited`. */
const change = z.object({
  subtype: z.literal('message_changed'),
  message: z.looseObject({ edited: z.looseObject({}) }),
});

const callback = z.object({
  type: z.literal('event_callback'),
  authorizations: z.array(z.object({ user_id: z.string().nullish() })).optional(),
  event: z.looseObject({ type: z.string() }),
});

/** Answers an event that was signed. Spec: Slack Events API */
export async function handleEvent(
  given: Readonly<Record<string, unknown>>,
  context: ChannelContext,
): Promise<Response> {
  const { type, challenge } = given;
  if (type === 'url_verification' && typeof challenge === 'string')
    return new Response(challenge, { headers: { 'content-type': 'text/plain' } });
  if (type === 'app_rate_limited') return acknowledged();
  const parsed = callback.safeParse(given);
  if (!parsed.success) return refused(400, 'The body is not an event.');
  const { event } = parsed.data;
  const changed = change.safeParse(event).data?.message;
  const received = message.safeParse({ ...event, ...(changed && { subtype: '', ...changed }) });
  // Reactions, people who join, and messages of apps, including this one.
  if (!received.success || !isOfPerson(received.data)) return acknowledged();
  return receive(received.data, parsed.data.authorizations?.[0]?.user_id ?? undefined, context);
}

type SlackMessage = z.output<typeof message>;

function isOfPerson({ user, bot_id: bot, subtype }: SlackMessage): boolean {
  return (
    user !== undefined &&
    !bot &&
    [undefined, '', 'file_share', 'thread_broadcast'].includes(subtype)
  );
}

function receive(
  { type, channel, channel_type, ts, thread_ts, user, text = '', files = [], edited }: SlackMessage,
  app: string | undefined,
  { orStart, ...context }: ChannelContext,
): Promise<Response> | Response {
  const isDirect = channel_type === 'im' || channel.startsWith('D');
  const isMention = type === 'app_mention';
  // A message in a channel that does not mention the app is for it only in a thread with a conversation.
  if (!isDirect && !isMention && thread_ts === undefined) return acknowledged();
  const mayStart = isMention || (isDirect && !edited);
  return receiveMessage(
    { ...context, orStart: mayStart ? orStart : undefined },
    {
      contact: contactOf({ channel, thread: isDirect ? undefined : (thread_ts ?? ts) }),
      text: unescaped(withoutMention(text, app)),
      // A mention is sent as two events with one time stamp.
      id: `slack:${channel}/${ts}`,
      sentAt: Math.floor(Number(ts) * 1_000) || undefined,
      edit: edited?.ts,
      attachments: files.map(attachmentOf),
      data: { user: user! },
    },
    { mayBeForOthers: !mayStart },
  );
}

/** The link needs the token of the app, with the scope `files:read`. */
function attachmentOf({
  id,
  name,
  mimetype,
  size,
  url_private: url,
}: z.output<typeof file>): Attachment {
  return {
    id,
    ...(url ? { url } : {}),
    ...(mimetype ? { type: mimetype } : {}),
    ...(name ? { name } : {}),
    ...(typeof size === 'number' ? { size } : {}),
  };
}
