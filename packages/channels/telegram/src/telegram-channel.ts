import { protectSecret } from '@dramaturg/compiler/secrets';
import type { ChannelContext, HttpChannel } from '@dramaturg/host';
import {
  acknowledged,
  askProvider,
  type Attachment,
  deliveryError,
  isSameText,
  jsonObjectIn,
  loadFile,
  receiveMessage,
  refused,
  SentParts,
  splitText,
  usualQuietWindow,
} from '@dramaturg/host/channel';
import { chatOf, contactKey, contactOf } from './contacts.ts';
import * as z from 'zod';

export interface TelegramOptions {
  /** The token of the bot, from BotFather. */
  readonly token: string;
  /** The `secret_token` that `setWebhook` was called with: 1 to 256 letters, digits, "_" or "-". */
  readonly secret: string;
  /** The Bot API. Use another address for your own server, or in tests. */
  readonly apiUrl?: string;
}

const provider = 'Telegram';

/** UTF-16 units of a text. Telegram counts characters after it has parsed entities, so never more. */
const longestText = 4_096;

/**
 * A channel for the chats of a bot. A contact is `telegram:` and the id of the chat. Spec: Telegram Bot API; docs/channels.md
 *
 * @throws TypeError when the secret is malformed
 */
export function telegramChannel({
  token,
  secret,
  apiUrl = 'https://api.telegram.org',
}: TelegramOptions): HttpChannel {
  protectSecret(token);
  protectSecret(secret);
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(secret))
    throw new TypeError('The secret of Telegram has 1 to 256 letters, digits, "_" or "-".');
  const sentParts = new SentParts();
  const ask = async (method: string, fields: object, signal: AbortSignal) => {
    const answer = await askProvider(provider, `${apiUrl}/bot${token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
      signal,
    });
    const body = jsonObjectIn(answer.text);
    if (answer.status === 200 && body?.['ok'] === true) return body['result'];
    throw errorOf(answer, body);
  };
  return {
    settle: usualQuietWindow,
    contactKey,
    deliver: async ({ id, contact, text }, { signal }) => {
      const chat = chatOf(contact);
      const parts = splitText(text, { max: longestText });
      await sentParts.sendRest(id, parts, async (part) => {
        await ask('sendMessage', { chat_id: chat, text: part }, signal);
      });
    },
    download: async ({ id }, options) => {
      if (typeof id !== 'string') return undefined;
      const found = (await ask('getFile', { file_id: id }, options.signal)) as {
        file_path?: string;
      };
      return loadFile(provider, `${apiUrl}/file/bot${token}/${found.file_path ?? ''}`, options);
    },
    handle: async (request, context) => {
      if (request.method !== 'POST') return refused(405, 'Telegram posts updates.');
      const given = request.headers.get('x-telegram-bot-api-secret-token') ?? '';
      if (!isSameText(given, secret)) return refused(401, 'The secret token is missing or wrong.');
      const update = jsonObjectIn(await request.text());
      return update ? handleUpdate(update, context) : refused(400, 'The body is not an update.');
    },
  };
}

/** Spec: Telegram Bot API, "Making requests", `ResponseParameters` */
function errorOf(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  body: Readonly<Record<string, unknown>> | undefined,
): Error {
  const { description, parameters, error_code: code } = body ?? {};
  const { retry_after: seconds } = (parameters ?? {}) as { readonly retry_after?: unknown };
  return deliveryError({
    provider,
    status: typeof code === 'number' ? code : status,
    headers,
    reason: typeof description === 'string' ? description : undefined,
    retryAfterMs: typeof seconds === 'number' ? seconds * 1_000 : undefined,
    // 403: the person has blocked the bot, or has never written to it. 401: the token is wrong.
    ...(status === 403 && { isFinal: true }),
  });
}

/** The kinds of files that a message can have. Spec: Telegram Bot API, `Message` */
const kinds = [
  'animation',
  'audio',
  'document',
  'sticker',
  'video',
  'video_note',
  'voice',
] as const;

const file = z.object({
  file_id: z.string(),
  mime_type: z.string().optional(),
  file_name: z.string().optional(),
  file_size: z.number().optional(),
});

const message = z.object({
  message_id: z.number(),
  chat: z.object({ id: z.number() }),
  from: z.object({ is_bot: z.boolean().optional() }).optional(),
  /** Seconds since 1970 UTC. */
  date: z.int().optional(),
  edit_date: z.int().optional(),
  reply_to_message: z.object({ text: z.string().optional() }).optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  photo: z.array(file).optional(),
  ...(Object.fromEntries(kinds.map((kind) => [kind, file.optional()])) as Record<
    (typeof kinds)[number],
    z.ZodOptional<typeof file>
  >),
});

const update = z.object({
  update_id: z.number(),
  message: message.optional(),
  edited_message: message.optional(),
});

/** Answers an update whose secret is right. */
async function handleUpdate(
  given: Readonly<Record<string, unknown>>,
  context: ChannelContext,
): Promise<Response> {
  const parsed = update.safeParse(given);
  if (!parsed.success) return refused(400, 'The body is not an update.');
  const { message: first, edited_message: edited } = parsed.data;
  const received = first ?? edited;
  if (!received || received.from?.is_bot) return acknowledged();
  const attachments = attachmentsOf(received);
  const text = received.text ?? received.caption ?? '';
  // Service messages, such as a new member of a group.
  if (text === '' && attachments.length === 0) return acknowledged();
  const contact = contactOf(received.chat.id);
  // An edit starts no conversation.
  const place = edited ? { ...context, orStart: undefined } : context;
  return receiveMessage(place, {
    contact,
    text,
    edit: edited && `${edited.edit_date}`,
    id: `${contact}/${received.message_id}`,
    sentAt: received.date === undefined ? undefined : received.date * 1_000,
    replyTo: received.reply_to_message?.text,
    attachments,
  });
}

/** Files are named by their id: `getFile` with the token of the bot gives a link for an hour. */
function attachmentsOf(received: z.output<typeof message>): readonly Attachment[] {
  // A photo comes in several sizes, the largest last.
  const photo = received.photo?.at(-1);
  const files = kinds.flatMap((kind) => received[kind] ?? []);
  // An animation is also a document.
  const distinct = new Map(files.map((each) => [each.file_id, each] as const));
  return [
    ...(photo ? [{ ...attachmentOf(photo), type: 'image/jpeg' }] : []),
    ...Array.from(distinct.values(), attachmentOf),
  ];
}

function attachmentOf({
  file_id: id,
  mime_type,
  file_name,
  file_size,
}: z.output<typeof file>): Attachment {
  return {
    id,
    ...(mime_type === undefined ? {} : { type: mime_type }),
    ...(file_name === undefined ? {} : { name: file_name }),
    ...(file_size === undefined ? {} : { size: file_size }),
  };
}
