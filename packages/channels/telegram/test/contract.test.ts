import {
  channelContract,
  chartOf,
  type ProviderRequest,
  type Signing,
  surrounded,
} from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { onTestFinished } from 'vitest';
import { telegramChannel } from '../src/index.ts';
import { telegramUpdate, TelegramStandIn } from '../src/testing/index.ts';

const token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
const secret = 'a-secret_of-the-webhook';

function signed(update: object | string, signing: Signing = 'valid'): ProviderRequest {
  const given = signing === 'wrong' ? 'another-secret' : secret;
  return {
    headers: {
      'content-type': 'application/json',
      ...(signing === 'missing' ? {} : { 'x-telegram-bot-api-secret-token': given }),
    },
    body: typeof update === 'string' ? update : JSON.stringify(update),
  };
}

const files = [
  {
    photo: [
      { file_id: 'small', file_unique_id: 's', width: 90, height: 51, file_size: 1_253 },
      { file_id: 'large', file_unique_id: 'l', width: 1_280, height: 720, file_size: 101_253 },
    ],
  },
  { document: { file_id: 'doc', file_name: 'invoice.pdf', mime_type: 'application/pdf' } },
];

channelContract(
  async () => {
    const provider = await new TelegramStandIn(token).listen();
    onTestFinished(() => provider.close());
    const make = () => telegramChannel({ token, secret, apiUrl: provider.url });
    return {
      channel: make(),
      another: make,
      provider,
      contacts: ['telegram:1111111', 'telegram:-1002222'],
      spellings: ['1111111', 'TELEGRAM:1111111', ...surrounded('telegram:1111111')],
      secrets: [token, secret],
      limit: { max: 4_096, sizeOf: (text) => text.length },
      sign: ({ contact, text, number, attachments = 0, edit }, signing) =>
        signed(
          telegramUpdate(
            Number(contact.slice('telegram:'.length)),
            text,
            number,
            files.slice(0, attachments),
            edit,
          ),
          signing,
        ),
      signBody: (body) => signed(body),
      others: [
        signed({
          update_id: 1,
          edited_message: { message_id: 1, chat: { id: 1111111 }, text: 'x' },
        }),
        signed({ update_id: 2, my_chat_member: { chat: { id: 1 } } }),
        signed({ update_id: 3, message: { message_id: 2, chat: { id: 1 }, new_chat_title: 'x' } }),
        signed({
          update_id: 4,
          message: { message_id: 3, chat: { id: 1 }, from: { id: 2, is_bot: true }, text: 'x' },
        }),
      ],
    };
  },
  {
    lifecycles: {
      conversation: chartOf(conversationLifecycle, lifecycle),
      workflow: chartOf(workflowLifecycle, lifecycle),
      behaviour: lifecycle.behaviour,
    },
    skip: [
      {
        reason:
          'the Bot API has no idempotency keys, so it shows a message again whose answer was lost',
        tests: [
          'the same message given again by another process is shown once',
          'a message whose acceptance was lost is shown once',
        ],
      },
      {
        reason: 'Telegram sends the secret token and signs neither time nor body',
        tests: ['a request that was signed long ago is refused', 'a changed body is refused'],
      },
      {
        reason: 'the Bot API does not report deliveries',
        tests: [
          'a delivery report is shown at its message',
          'a report of a failure has its reason',
          'a report with a wrong signature is refused',
          'a report about an erased instance is acknowledged',
        ],
      },
    ],
  },
);
