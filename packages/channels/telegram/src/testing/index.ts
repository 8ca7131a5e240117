import { jsonAnswer, type Shown, StandInServer } from '@dramaturg/testing';

const described = (code: number, description: string, parameters?: object) =>
  jsonAnswer(code, {
    ok: false,
    error_code: code,
    description,
    ...(parameters && { parameters }),
  });

/** A server with the answers of the Telegram Bot API. Like Telegram, it does not recognise a message that is sent again. */
export class TelegramStandIn extends StandInServer {
  readonly shown: Shown[] = [];

  constructor(token: string) {
    super({
      errors: {
        failed: described(500, 'Internal Server Error'),
        limited: described(429, 'Too Many Requests: retry after 1', { retry_after: 1 }),
        refused: described(403, 'Forbidden: bot was blocked by the user'),
        denied: described(401, 'Unauthorized'),
      },
      handle: ({ path, body }) => {
        if (path !== `/bot${token}/sendMessage`) return described(401, 'Unauthorized');
        const { chat_id: chat, text } = JSON.parse(body) as { chat_id: string; text: string };
        if (text.trim() === '') return described(400, 'Bad Request: message text is empty');
        if (text.length > 4_096) return described(400, 'Bad Request: message is too long');
        this.shown.push({ contact: `telegram:${chat}`, text });
        const result = {
          message_id: this.shown.length,
          from: { id: 110_201_543, is_bot: true, first_name: 'Desk', username: 'desk_bot' },
          chat: { id: Number(chat), type: 'private', first_name: 'Ada' },
          date: 1_700_000_000,
          text,
        };
        return jsonAnswer(200, { ok: true, result });
      },
    });
  }
}

/** An update with a message of a person, or with an edit of it after some seconds. Spec: Telegram Bot API, `Update` */
export function telegramUpdate(
  chat: number,
  text: string,
  number: number,
  files: readonly object[] = [],
  edit?: number,
): object {
  const person = { id: chat, first_name: 'Ada' };
  return {
    update_id: 10_000 + number,
    [edit === undefined ? 'message' : 'edited_message']: {
      message_id: 1_000 + number,
      from: { ...person, is_bot: false, language_code: 'en' },
      chat: { ...person, type: 'private' },
      date: 1_700_000_000,
      ...(edit !== undefined && { edit_date: 1_700_000_000 + edit }),
      ...(files.length === 0
        ? { text }
        : { ...(text && { caption: text }), ...Object.assign({}, ...files) }),
    },
  };
}
