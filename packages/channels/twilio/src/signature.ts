import { hmac } from '@dramaturg/host/channel';

/**
 * The signature of a request with form fields, or without. Spec: Twilio, "Webhooks security", "Validating signatures"
 *
 * @param url as Twilio has called it, with its query
 */
export function signatureOf(authToken: string, url: string, fields: URLSearchParams): string {
  const names = [...new Set(fields.keys())].toSorted();
  const pairs = names.flatMap((name) => {
    const values = [...new Set(fields.getAll(name))].toSorted();
    return values.map((value) => name + value);
  });
  return hmac('sha1', authToken, url + pairs.join(''), 'base64');
}
