import { TelegramStandIn } from '@dramaturg/channel-telegram/testing';
import { onTestFinished } from 'vitest';
import { setEnvironment } from '../command.ts';

export const token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
export const secret = 'a-secret_of-the-webhook';

/** A stand-in for Telegram, which the commands of the test find in their environment. */
export async function telegramInEnvironment(): Promise<TelegramStandIn> {
  const telegram = await new TelegramStandIn(token).listen();
  onTestFinished(() => telegram.close());
  setEnvironment({
    TELEGRAM_BOT_TOKEN: token,
    TELEGRAM_WEBHOOK_SECRET: secret,
    TELEGRAM_API_URL: telegram.url,
  });
  return telegram;
}

/** Posts an update to a service as Telegram does. */
export function postUpdate(service: string, update: object, given = secret): Promise<Response> {
  return fetch(`${service}/channels/telegram`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': given },
    body: JSON.stringify(update),
  });
}
