import { jsonAnswer, type Shown, StandInServer } from '@dramaturg/testing';
import { isSigned } from '../signatures.ts';

/** A program that receives signed messages according to Standard Webhooks. It ignores an id that it has seen. */
export class WebhookReceiver extends StandInServer {
  readonly shown: Shown[] = [];

  /** @param secret the secret that it verifies with */
  constructor(secret: string) {
    const seen = new Set<string>();
    super({
      errors: {
        failed: jsonAnswer(500, { error: 'internal' }),
        limited: jsonAnswer(429, { error: 'slow down' }, { 'retry-after': '1' }),
        refused: jsonAnswer(422, { detail: 'The person has opted out.' }),
        denied: jsonAnswer(401, { error: 'unknown signature' }),
      },
      handle: ({ headers, body }) => {
        if (!isSigned([secret], new Headers(headers), body))
          return jsonAnswer(401, { error: 'unknown signature' });
        const id = headers['webhook-id']!;
        const { data } = JSON.parse(body) as { data: Shown };
        if (!seen.has(id)) this.shown.push({ contact: data.contact, text: data.text });
        seen.add(id);
        return jsonAnswer(200, {});
      },
    });
  }
}
