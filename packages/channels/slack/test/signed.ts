import { createHmac } from 'node:crypto';
import type { ProviderRequest, Signing } from '@dramaturg/testing';

export const token = ['xoxb', '1234567890', 'abcdefghijklmnop'].join('-');
export const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5';

/** Signs as Slack documents it, independently of the channel. */
export function signed(event: object | string, signing: Signing = 'valid'): ProviderRequest {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const seconds = Math.floor(Date.now() / 1_000) - (signing === 'old' ? 600 : 0);
  const key = signing === 'wrong' ? 'another secret' : signingSecret;
  const signature = createHmac('sha256', key).update(`v0:${seconds}:${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': `${seconds}`,
    ...(signing === 'missing' ? {} : { 'x-slack-signature': `v0=${signature}` }),
  };
  return { headers, body };
}
