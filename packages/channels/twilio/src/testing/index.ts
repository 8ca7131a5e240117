import { jsonAnswer, type Shown, StandInServer } from '@dramaturg/testing';

/** A message as the person sees it, with the address for its reports. */
export interface TwilioShown extends Shown {
  readonly statusCallback: string;
}

const problem = (status: number, code: number, message: string) =>
  jsonAnswer(status, {
    code,
    message,
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status,
  });

/** A server with the answers of Twilio's Messages API. Like Twilio, it does not recognise a message that is sent again. */
export class TwilioStandIn extends StandInServer {
  readonly shown: TwilioShown[] = [];

  constructor(accountSid: string, authToken: string) {
    const expected = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
    super({
      errors: {
        failed: problem(500, 20_500, 'Internal Server Error'),
        limited: jsonAnswer(
          429,
          { code: 20_429, message: 'Too Many Requests', status: 429 },
          { 'retry-after': '1' },
        ),
        refused: problem(400, 21_610, 'Attempt to send to unsubscribed recipient'),
        denied: problem(401, 20_003, 'Authenticate'),
      },
      handle: ({ path, headers, body }) => {
        if (path !== `/2010-04-01/Accounts/${accountSid}/Messages.json`)
          return problem(404, 20_404, 'The requested resource was not found');
        if (headers['authorization'] !== expected) return problem(401, 20_003, 'Authenticate');
        const fields = new URLSearchParams(body);
        const [to, text] = [fields.get('To') ?? '', fields.get('Body') ?? ''];
        if (!/^(whatsapp:)?\+\d+$/.test(to))
          return problem(400, 21_211, `Invalid 'To' Phone Number: ${to}`);
        if (!fields.get('From') && !fields.get('MessagingServiceSid'))
          return problem(400, 21_603, "A 'From' phone number is required");
        if (text === '') return problem(400, 21_602, 'Message body is required');
        if (text.length > 1_600)
          return problem(
            400,
            21_617,
            'The concatenated message body exceeds the 1600 character limit',
          );
        this.shown.push({ contact: to, text, statusCallback: fields.get('StatusCallback') ?? '' });
        const sid = `SM${String(this.shown.length).padStart(32, '0')}`;
        return jsonAnswer(201, { sid, status: 'queued', to, body: text, error_code: null });
      },
    });
  }
}
