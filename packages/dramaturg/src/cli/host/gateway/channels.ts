import { withoutSecrets } from '@dramaturg/compiler/secrets';
import {
  type Channel,
  consoleChannel,
  type OutgoingMessage,
  webhookChannel,
} from '@dramaturg/host';
import { UsageError } from '../../usage-error.ts';

/** Shows a message in this terminal. */
export type Show = (message: OutgoingMessage) => void;

/**
 * The channels of a host. The first one is the default: one with a provider, or the webhook if it has an address.
 *
 * @param providers the channels with a provider, which replace others of their name
 */
export function channelsFor(
  webhook: string | undefined,
  show: Show,
  providers: Readonly<Record<string, Channel>> = {},
): Readonly<Record<string, Channel>> {
  return { ...providers, ...ownChannels(webhook, show), ...providers };
}

/** Without an address, messages for the webhook stay in the outbox until a host with an address sends them. */
function ownChannels(given: string | undefined, show: Show): Readonly<Record<string, Channel>> {
  const console = { deliver: show };
  // Other users of the machine can see the arguments of a process, but not its environment.
  const { DRAMATURG_WEBHOOK: address, DRAMATURG_WEBHOOK_AUTHORIZATION: authorization } =
    process.env;
  const webhook = given ?? (address || undefined);
  if (webhook !== undefined) {
    const headers = authorization ? { headers: { authorization } } : {};
    return { webhook: webhookChannel({ url: requireUrl(webhook), ...headers }), console };
  }
  return {
    console,
    webhook: {
      deliver: () => {
        throw new Error(
          'The webhook has no address: --webhook or DRAMATURG_WEBHOOK is missing. The message is kept.',
        );
      },
    },
  };
}

/** Shows messages as lines of text. */
export function showWith(write: (text: string) => void): Show {
  const channel = consoleChannel(write);
  return (message) => void channel.deliver(message, { signal: new AbortController().signal });
}

function requireUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return given;
  throw new UsageError(
    `"${withoutSecrets(given)}" is not a URL of a webhook.`,
    'Write it with its protocol: --webhook https://example.com/messages',
  );
}
