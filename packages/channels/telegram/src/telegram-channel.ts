import { protectSecret } from '@dramaturg/compiler/secrets';
import type { HttpChannel } from '@dramaturg/host';
import {
  askProvider,
  deliveryError,
  isSameText,
  jsonObjectIn,
  loadFile,
  refused,
  SentParts,
  splitText,
  usualQuietWindow,
} from '@dramaturg/host/channel';
import { chatOf, contactKey } from './contacts.ts';
import { handleUpdate } from './handle-update.ts';

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
