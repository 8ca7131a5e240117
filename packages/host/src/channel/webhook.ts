import { type Channel, RejectedError } from './channel.ts';

export interface WebhookOptions {
  readonly url: string;
  /** Headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates a channel that posts each message as JSON, with its id in the header `idempotency-key`. A status 2xx or 409
 * (the receiver has the message already) is the delivery receipt. Any other 4xx except 408, 425 and 429 rejects the
 * message for good. All other failures are retried.
 */
export function webhookChannel({ url, headers = {} }: WebhookOptions): Channel {
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
