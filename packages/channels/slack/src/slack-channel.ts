import { createHash } from 'node:crypto';
import { protectSecret } from '@dramaturg/compiler/secrets';
import type { ChannelContext, HttpChannel } from '@dramaturg/host';
import {
  acknowledged,
  askProvider,
  type Attachment,
  deliveryError,
  hmac,
  isRecent,
  isSameText,
  jsonObjectIn,
  loadFile,
  receiveMessage,
  refused,
  SentParts,
  splitText,
  usualQuietWindow,
} from '@dramaturg/host/channel';
import * as z from 'zod';
import { contactKey, contactOf, placeOf } from './contacts.ts';

export interface SlackOptions {
  /** The bot token of the app: `xoxb-...`. */
  readonly token: string;
  /** The signing secret of the app. */
  readonly signingSecret: string;
  /** The Web API. Tests use another address. */
  readonly apiUrl?: string;
}

const provider = 'Slack';

/** UTF-16 units of an escaped text. Slack shortens longer ones. */
const longestText = 4_000;

/**
 * A channel for direct messages with an app, and for threads in which it is mentioned. Contacts are `slack:D024BE91L` and
 * `slack:C024BE91L:1355517523.000005`. Spec: Slack Events API and `chat.postMessage`; docs/channels.md
 */
export function slackChannel({
  token,
  signingSecret,
  apiUrl = 'https://slack.com/api',
}: SlackOptions): HttpChannel {
  protectSecret(token);
  protectSecret(signingSecret);
  const sentParts = new SentParts();
  const post = async (message: object, signal: AbortSignal) => {
    const answer = await askProvider(provider, `${apiUrl}/chat.postMessage`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json; charset=utf-8',
      },
      body: JSON.stringify(message),
      signal,
    });
    const body = jsonObjectIn(answer.text);
    if (answer.status === 200 && body?.['ok'] === true) return;
    const error = typeof body?.['error'] === 'string' ? body['error'] : undefined;
    throw deliveryError({
      provider,
      headers: answer.headers,
      status: isLimit(error) ? 429 : answer.status,
      reason: error,
      isFinal: isFinal(error),
    });
  };
  return {
    settle: usualQuietWindow,
    contactKey,
    deliver: async ({ id, contact, text }, { signal }) => {
      const { channel, thread } = placeOf(contact);
      const parts = splitText(text, { max: longestText, sizeOf: (piece) => escaped(piece).length });
      await sentParts.sendRest(id, parts, (part, index) =>
        post(
          {
            channel,
            ...(thread === undefined ? {} : { thread_ts: thread }),
            text: escaped(part),
            mrkdwn: false,
            client_msg_id: uuidOf(`${id}/${index}`),
          },
          signal,
        ),
      );
    },
    download: async ({ url }, options) => {
      if (typeof url !== 'string') return undefined;
      const { origin } = URL.parse(url) ?? {};
      // The token goes to Slack only.
      if (origin !== 'https://files.slack.com' && origin !== new URL(apiUrl).origin)
        return undefined;
      const headers = { authorization: `Bearer ${token}` };
      return loadFile(provider, url, { ...options, headers });
    },
    handle: async (request, context) => {
      if (request.method !== 'POST') return refused(405, 'Slack posts events.');
      const body = await request.text();
      if (!isSigned(signingSecret, request.headers, body))
        return refused(401, 'The signature is missing, wrong, or older than five minutes.');
      const event = jsonObjectIn(body);
      return event ? handleEvent(event, context) : refused(400, 'The body is not an event.');
    },
  };
}

/** Spec: Slack, "Verifying requests from Slack" */
function isSigned(secret: string, headers: Headers, body: string): boolean {
  const seconds = headers.get('x-slack-request-timestamp') ?? '';
  const given = headers.get('x-slack-signature') ?? '';
  if (!isRecent(seconds)) return false;
  return isSameText(given, `v0=${hmac('sha256', secret, `v0:${seconds}:${body}`, 'hex')}`);
}

/** The UUID of a message, the same each time: Slack posts a message with a known `client_msg_id` only once. */
function uuidOf(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  // Version 8, of RFC 9562: bits of our own.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Errors of `chat.postMessage` about the message or its destination. Others are about the app, about Slack, or temporary. */
const finalErrors: readonly string[] = [
  'as_user_not_supported',
  'cannot_reply_to_message',
  'channel_not_found',
  'ekm_access_denied',
  'is_archived',
  'is_inactive',
  'message_limit_exceeded',
  'messages_tab_disabled',
  'msg_too_long',
  'no_text',
  'not_in_channel',
  'restricted_action',
  'restricted_action_non_threadable_channel',
  'restricted_action_read_only_channel',
  'restricted_action_thread_locked',
  'restricted_action_thread_only_channel',
  'team_not_found',
  'user_not_found',
];

/** Whether Slack would refuse the message again. Spec: Slack, `chat.postMessage`, "Errors" */
function isFinal(error: string | undefined): boolean {
  return error !== undefined && finalErrors.includes(error);
}

function isLimit(error: string | undefined): boolean {
  return error === 'ratelimited' || error === 'rate_limited';
}

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
async function handleEvent(
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

/** Escaping of Slack's control characters. Spec: Slack, "Formatting message text", "Escaping text" */

const escapes: readonly (readonly [string, string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
];

/** Escapes a text, so that nothing in it is a mention, a link or a command. */
function escaped(text: string): string {
  return escapes.reduce((done, [from, to]) => done.replaceAll(from, to), text);
}

function unescaped(text: string): string {
  return escapes.toReversed().reduce((done, [from, to]) => done.replaceAll(to, from), text);
}

/** Removes the mention of the app at the beginning of a person's message. */
function withoutMention(text: string, app: string | undefined): string {
  if (app === undefined) return text;
  const mention = `<@${app}>`;
  return text.startsWith(mention) ? text.slice(mention.length).trimStart() : text;
}
