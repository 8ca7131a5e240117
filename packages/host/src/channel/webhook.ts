import { protectHeaders, protectSecretsIn } from '@dramaturg/compiler/secrets';
import { type Channel, RejectedError } from './channel.ts';

export interface WebhookOptions {
  /** A user name and a password in it are sent as basic authentication. */
  readonly url: string;
  /** Headers of every request, such as `authorization`. No error shows their values. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates a channel that posts each message as JSON, with its id in the header `idempotency-key`. A status 2xx or 409
 * (the receiver has the message already) is the delivery receipt. Any other 4xx except 408, 425 and 429 rejects the
 * message for good. All other failures are retried.
 *
 * @example
 * ```ts
 * const crm = webhookChannel({
 *   url: 'https://crm.example.com/messages',
 *   headers: { authorization: 'Bearer key' },
 * });
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 *   channels: { crm },
 * });
 * await host.stop();
 * ```
 */
export function webhookChannel({ url: address, headers: given = {} }: WebhookOptions): Channel {
  const { url, credentials } = withoutCredentials(address);
  const headers = { ...credentials, ...given };
  protectSecretsIn({ url: address });
  protectHeaders(headers);
  return {
    deliver: async (message, { signal }) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': message.id },
        body: JSON.stringify(message),
        signal,
      });
      // The connection can be reused only after the response body is read.
      await response.arrayBuffer();
      const { status } = response;
      if (response.ok || status === 409) return;
      const reason = `The webhook answered ${status}.`;
      const isFinal = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
      throw isFinal ? new RejectedError(reason) : new Error(reason);
    },
  };
}

/** `fetch` refuses an address with a password. */
function withoutCredentials(address: string): {
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
} {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.username === '' && url.password === ''))
    return { url: address, credentials: {} };
  const userInfo = [url.username, url.password].map(decodeURIComponent).join(':');
  url.username = '';
  url.password = '';
  const bytes = new TextEncoder().encode(userInfo);
  const authorization = `Basic ${btoa(String.fromCodePoint(...bytes))}`;
  return { url: url.href, credentials: { authorization } };
}
