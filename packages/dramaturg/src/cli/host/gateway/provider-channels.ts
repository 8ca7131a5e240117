import { withoutSecrets } from '@dramaturg/compiler/secrets';
import {
  type Channel,
  consoleChannel,
  type HttpChannel,
  type OutgoingMessage,
  webhookChannel,
} from '@dramaturg/host';
import { loadChannel } from '../../optional-packages.ts';
import { UsageError } from '../../usage-error.ts';

/** The settings of a channel. */
interface Settings {
  /** Values of variables of the environment that are set. */
  readonly env: Readonly<Record<string, string>>;
  /** The public address of the channel; undefined without `--public-url`. */
  readonly url: string | undefined;
}

interface Provider {
  /** Variables of the environment that have to be set. */
  readonly needs: readonly string[];
  readonly mayHave?: readonly string[];
  readonly needsUrl?: true;
  readonly create: (settings: Settings) => Promise<HttpChannel>;
}

/** The channels that a command can serve. Other users of the machine see arguments, so secrets are in the environment. */
const providers = {
  webhook: {
    needs: ['WEBHOOK_URL', 'WEBHOOK_SECRET'],
    create: async ({ env }) =>
      (await loadChannel('webhook')).webhookChannel({
        url: env['WEBHOOK_URL']!,
        secret: env['WEBHOOK_SECRET']!.split(/\s+/),
      }),
  },
  telegram: {
    needs: ['TELEGRAM_BOT_TOKEN', 'TELEGRAM_WEBHOOK_SECRET'],
    mayHave: ['TELEGRAM_API_URL'],
    create: async ({ env }) =>
      (await loadChannel('telegram')).telegramChannel({
        token: env['TELEGRAM_BOT_TOKEN']!,
        secret: env['TELEGRAM_WEBHOOK_SECRET']!,
        ...(env['TELEGRAM_API_URL'] && { apiUrl: env['TELEGRAM_API_URL'] }),
      }),
  },
  slack: {
    needs: ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET'],
    create: async ({ env }) =>
      (await loadChannel('slack')).slackChannel({
        token: env['SLACK_BOT_TOKEN']!,
        signingSecret: env['SLACK_SIGNING_SECRET']!,
      }),
  },
  twilio: {
    needs: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
    mayHave: ['TWILIO_FROM', 'TWILIO_WHATSAPP_FROM', 'TWILIO_API_URL'],
    needsUrl: true,
    create: async ({ env, url }) =>
      (await loadChannel('twilio')).twilioChannel({
        accountSid: env['TWILIO_ACCOUNT_SID']!,
        authToken: env['TWILIO_AUTH_TOKEN']!,
        ...(env['TWILIO_FROM'] && { from: env['TWILIO_FROM'] }),
        ...(env['TWILIO_WHATSAPP_FROM'] && { whatsappFrom: env['TWILIO_WHATSAPP_FROM'] }),
        ...(env['TWILIO_API_URL'] && { apiUrl: env['TWILIO_API_URL'] }),
        url: url!,
      }),
  },
  email: {
    needs: ['EMAIL_SMTP_URL', 'EMAIL_FROM', 'EMAIL_INBOUND'],
    mayHave: ['EMAIL_REPLY_TO', 'EMAIL_UNVERIFIED', 'EMAIL_AUTHSERV_ID'],
    create: async ({ env }) =>
      (await loadChannel('email')).emailChannel({
        smtp: env['EMAIL_SMTP_URL']!,
        from: env['EMAIL_FROM']!,
        inbound: env['EMAIL_INBOUND']!,
        ...(env['EMAIL_REPLY_TO'] && { replyTo: env['EMAIL_REPLY_TO'] }),
        ...(env['EMAIL_UNVERIFIED'] && { unverified: env['EMAIL_UNVERIFIED'] as 'mark' }),
        ...(env['EMAIL_AUTHSERV_ID'] && { authservId: env['EMAIL_AUTHSERV_ID'] }),
      }),
  },
  web: {
    needs: ['DRAMATURG_WEB_CHAT_SECRET'],
    mayHave: ['DRAMATURG_WEB_CHAT_IDENTITY_SECRET', 'DRAMATURG_WEB_CHAT_ORIGINS'],
    create: async ({ env }) =>
      (await loadChannel('web')).webChannel({
        secret: env['DRAMATURG_WEB_CHAT_SECRET'],
        identitySecret: env['DRAMATURG_WEB_CHAT_IDENTITY_SECRET'],
        origins: env['DRAMATURG_WEB_CHAT_ORIGINS']?.split(/\s+/).filter(Boolean),
      }),
  },
} satisfies Readonly<Record<string, Provider>>;

/**
 * The channel that defines the form of a contact, for a process that reads a store or calls handlers. It sends nothing.
 *
 * @throws UsageError when its package is not installed
 */
export async function contactForms(
  name: string | undefined,
): Promise<Readonly<Record<string, Channel>>> {
  const deliver = () => {
    throw new Error('This process sends no messages.');
  };
  const forms = { console: { deliver }, webhook: { deliver } };
  if (!providerNames.includes(name as ProviderName)) return forms;
  const loaded: object = await loadChannel(name as ProviderName);
  const { contactKey } = loaded as Pick<Channel, 'contactKey'>;
  return { ...forms, [name!]: { deliver, ...(contactKey && { contactKey }) } };
}

export type ProviderName = keyof typeof providers;

export const providerNames = Object.keys(providers) as readonly ProviderName[];

/** Whether a channel has to know its public address. */
export function requiresUrl(name: ProviderName): boolean {
  const { needsUrl }: Provider = providers[name];
  return needsUrl === true;
}

/**
 * Creates the channels that a command names.
 *
 * @param base the public address above `/channels/`
 * @param prefix the beginning of the variables' names
 * @throws UsageError that names what is missing, or the package that is not installed
 */
export async function providerChannels(
  names: readonly ProviderName[],
  base: string | undefined,
  prefix = '',
): Promise<Readonly<Record<string, HttpChannel>>> {
  const channels: [string, HttpChannel][] = [];
  for (const name of new Set(names)) channels.push([name, await create(name, base, prefix)]);
  return Object.fromEntries(channels);
}

async function create(
  name: ProviderName,
  base: string | undefined,
  prefix: string,
): Promise<HttpChannel> {
  const { needs, mayHave = [], needsUrl, create: make }: Provider = providers[name];
  const missing = needs.map((each) => prefix + each).filter((each) => !process.env[each]);
  if (missing.length > 0)
    throw new UsageError(
      `The channel "${name}" needs ${missing.join(' and ')} in the environment.`,
      `Set ${missing.length > 1 ? 'them' : 'it'}, and keep secrets out of arguments. docs/channels.md says where to find the values.`,
    );
  if (needsUrl && base === undefined)
    throw new UsageError(
      `The channel "${name}" needs the public address of the service: its provider signs it.`,
      'Add --public-url https://desk.example.com',
    );
  const known = [...needs, ...mayHave].flatMap((variable) => {
    const value = process.env[prefix + variable];
    return value ? [[variable, value] as const] : [];
  });
  const url = base && `${base.replace(/\/$/, '')}/channels/${name}`;
  try {
    return await make({ env: Object.fromEntries(known), url });
  } catch (error) {
    // The messages of channels about their options have no secrets.
    if (error instanceof TypeError)
      throw new UsageError(
        error.message,
        `Look at ${needs.map((each) => prefix + each).join(', ')}.`,
      );
    throw error;
  }
}

/** Shows a message in this terminal. */
export type Show = (message: OutgoingMessage) => void;

/**
 * The channels of a host. The first one is the default: one with a provider, or the webhook if it has an address.
 *
 * @param ofProviders the channels with a provider, which replace others of their name
 */
export function channelsFor(
  webhook: string | undefined,
  show: Show,
  ofProviders: Readonly<Record<string, Channel>> = {},
): Readonly<Record<string, Channel>> {
  return { ...ofProviders, ...ownChannels(webhook, show), ...ofProviders };
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
