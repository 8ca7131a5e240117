import { type Channel, RejectedError } from './channel.ts';

export interface WebhookOptions {
  readonly url: string;
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Posts each message as JSON, with its id as the header `idempotency-key`. A status of 2xx is the receipt, and so is 409:
 * the receiver has the message already. Other statuses of 4xx are final, but for 408, 425 and 429; all else is tried again.
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
      // The connection is free for the next message only once the answer was read.
      await response.arrayBuffer();
      const { status } = response;
      if (response.ok || status === 409) return;
      const what = `The webhook answered ${status}.`;
      const isFinal = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
      throw isFinal ? new RejectedError(what) : new Error(what);
    },
  };
}
