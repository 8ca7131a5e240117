import {
  type Channel,
  consoleChannel,
  type OutgoingMessage,
  webhookChannel,
} from '@dramaturg/host';
import { UsageError } from '../../usage-error.ts';

/** What becomes of a message that is shown here. */
export type Show = (message: OutgoingMessage) => void;

/**
 * The ways to contacts, the first of which is that of instances that name none: the webhook if there is one. Without an
 * address what an instance says through the webhook stays in its outbox: a host that has one sends it.
 */
export function channelsFor(
  webhook: string | undefined,
  show: Show,
): Readonly<Record<string, Channel>> {
  const console = { deliver: show };
  if (webhook !== undefined) {
    return { webhook: webhookChannel({ url: requireUrl(webhook) }), console };
  }
  return {
    console,
    webhook: {
      deliver: () => {
        throw new Error('No address of a webhook was given with --webhook; the message is kept.');
      },
    },
  };
}

/** Writes a message as a line. */
export function showOn(write: (text: string) => void): Show {
  const channel = consoleChannel(write);
  return (message) => void channel.deliver(message, { signal: new AbortController().signal });
}

function requireUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return given;
  throw new UsageError(
    `"${given}" is not the address of a webhook.`,
    'Write it with its protocol: --webhook https://example.com/messages',
  );
}
