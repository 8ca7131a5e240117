import { createHmac } from 'node:crypto';
import { isRecent, isSameText } from '@dramaturg/host/channel';

/** The headers of a signed request. Spec: Standard Webhooks, "Webhook headers" */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  body: string,
): Readonly<Record<string, string>> {
  const seconds = `${Math.floor(Date.now() / 1_000)}`;
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets
      .map((secret) => `v1,${signatureOf(secret, id, seconds, body)}`)
      .join(' '),
  };
}

/** Whether one of the secrets has signed a request within the last five minutes. */
export function isSigned(
  secrets: readonly string[],
  headers: Pick<Headers, 'get'>,
  body: string,
): boolean {
  const [id, seconds, given] = ['id', 'timestamp', 'signature'].map((name) =>
    headers.get(`webhook-${name}`),
  );
  if (!id || !seconds || !given || !isRecent(seconds)) return false;
  const signatures = given
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? each.slice(3) : []));
  return secrets.some((secret) => {
    const expected = signatureOf(secret, id, seconds, body);
    return signatures.some((signature) => isSameText(signature, expected));
  });
}

/** Spec: Standard Webhooks, "Signature scheme", symmetric */
function signatureOf(secret: string, id: string, seconds: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
}

/** @throws TypeError, without the secret */
export function requireSecrets(secrets: readonly string[]): void {
  if (secrets.length === 0) throw new TypeError('The webhook has no secret.');
  if (secrets.every((secret) => /^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))) return;
  throw new TypeError(
    'A secret of the webhook is not one of Standard Webhooks: write "whsec_" and at least 24 bytes in base64.',
  );
}
