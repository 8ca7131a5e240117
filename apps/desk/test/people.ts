import { createHmac } from 'node:crypto';
import { SlackStandIn, slackEvent } from '@dramaturg/channel-slack/testing';
import { TelegramStandIn, telegramUpdate } from '@dramaturg/channel-telegram/testing';
import { TwilioStandIn } from '@dramaturg/channel-twilio/testing';
import { secrets, senders } from './office-secrets.ts';

/** A person on a channel of the office. */
export interface Person {
  /** The contact, as the office knows it. */
  readonly contact: string;
  /** Sends a message through the provider. @returns the status of the office's answer */
  readonly say: (text: string) => Promise<number>;
  /** What the provider has shown to the person, in order. */
  readonly heard: () => readonly string[];
}

/** Providers with people who write to an office. */
export async function openProviders() {
  const { telegram, slack, twilio } = secrets;
  const servers = {
    telegram: await new TelegramStandIn(telegram.token).listen(),
    slack: await new SlackStandIn(slack.token).listen(),
    twilio: await new TwilioStandIn(twilio.accountSid, twilio.authToken).listen(),
  };
  const urls = Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url]));
  let messages = 0;
  const heardBy = (provider: keyof typeof servers, contact: string) => () =>
    servers[provider].shown.flatMap((each) => (each.contact === contact ? [each.text] : []));

  const onTelegram = (office: () => string, chat: number): Person => ({
    contact: `telegram:${chat}`,
    say: async (text) => {
      messages += 1;
      const response = await fetch(`${office()}/channels/telegram`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-telegram-bot-api-secret-token': telegram.secret,
        },
        body: JSON.stringify(telegramUpdate(chat, text, messages)),
      });
      return response.status;
    },
    heard: heardBy('telegram', `telegram:${chat}`),
  });

  const bySms = (office: () => string, number: string): Person => ({
    contact: number,
    say: async (text) => {
      messages += 1;
      const fields = {
        AccountSid: twilio.accountSid,
        Body: text,
        From: number,
        MessageSid: `SM${String(messages).padStart(32, '0')}`,
        NumMedia: '0',
        To: senders.from,
      };
      const signed = Object.entries(fields).reduce<string>(
        (all, [key, value]) => all + key + value,
        twilio.url,
      );
      const response = await fetch(`${office()}/channels/twilio`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': createHmac('sha1', twilio.authToken)
            .update(signed)
            .digest('base64'),
        },
        body: new URLSearchParams(fields).toString(),
      });
      return response.status;
    },
    heard: heardBy('twilio', number),
  });

  const onSlack = (office: () => string, channel: string): Person => ({
    contact: `slack:${channel}`,
    say: async (text) => {
      messages += 1;
      const ts = `1503435956.${String(messages).padStart(6, '0')}`;
      const message = { type: 'message', channel, channel_type: 'im', user: 'U2147', text, ts };
      const body = JSON.stringify(slackEvent(message));
      const at = String(Math.floor(Date.now() / 1000));
      const signature = createHmac('sha256', slack.signingSecret).update(`v0:${at}:${body}`);
      const response = await fetch(`${office()}/channels/slack`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-slack-request-timestamp': at,
          'x-slack-signature': `v0=${signature.digest('hex')}`,
        },
        body,
      });
      return response.status;
    },
    heard: heardBy('slack', `slack:${channel}`),
  });

  const close = async () => {
    for (const server of Object.values(servers)) await server.close();
  };
  return { urls, onTelegram, bySms, onSlack, close };
}
