import { splitText } from '@dramaturg/host/channel';
import { expect, test } from 'vitest';
import { limitOf, signatureOf } from '../src/twilio-channel.ts';

test('the signature is that of the example in the documentation of Twilio', () => {
  const fields = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  });
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';

  expect(signatureOf('12345', url, fields)).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=');
});

test.each([
  ['a'.repeat(1_530), 1],
  ['a'.repeat(1_531), 2],
  ['€'.repeat(765), 1],
  ['€'.repeat(766), 2],
  ['漢'.repeat(670), 1],
  ['漢'.repeat(671), 2],
  [`${'a'.repeat(669)}漢`, 1],
  [`${'a'.repeat(670)}漢`, 2],
])('an SMS is divided by segments of its alphabet (%#)', (text, parts) => {
  expect(splitText(text, limitOf(text, false))).toHaveLength(parts);
});
