import type * as email from '@dramaturg/channel-email';
import type * as slack from '@dramaturg/channel-slack';
import type * as telegram from '@dramaturg/channel-telegram';
import type * as twilio from '@dramaturg/channel-twilio';
import type * as web from '@dramaturg/channel-web';
import type * as webhook from '@dramaturg/channel-webhook';
import type * as langchain from '@dramaturg/langchain';
import type * as mcpClient from '@dramaturg/mcp';
import type * as otlp from '@dramaturg/opentelemetry/otlp';
import type * as mcpServer from '../mcp/server.ts';
import { exitCodes, UsageError } from './usage-error.ts';

/** Loads the package for language models. @throws UsageError `langchain/not-installed` */
export async function loadLangchain(): Promise<typeof langchain> {
  return loadOptional('langchain', 'A language model', () => import('@dramaturg/langchain'));
}

/** Loads the client of MCP servers. @throws UsageError `mcp/not-installed` */
export async function loadMcpClient(): Promise<typeof mcpClient> {
  return loadOptional('mcp', 'MCP', () => import('@dramaturg/mcp'));
}

/** Loads the MCP server. @throws UsageError `mcp/not-installed` */
export async function loadMcpServer(): Promise<typeof mcpServer> {
  return loadOptional('mcp', 'MCP', () => import('../mcp/server.ts'));
}

/** Loads a module that needs Restate. @throws UsageError `restate/not-installed` */
export async function loadRestate<Module>(load: () => Promise<Module>): Promise<Module> {
  return loadOptional('restate', 'Restate', load);
}

/** Further packages that `@dramaturg/opentelemetry/otlp` needs. */
const otlpPackages = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
];

/** Loads the package for traces. @throws UsageError `opentelemetry/not-installed` */
export async function loadOtlp(): Promise<typeof otlp> {
  const load = () => import('@dramaturg/opentelemetry/otlp');
  return loadOptional('opentelemetry', 'A collector of traces', load, otlpPackages);
}

/** The packages of channels, by the name of the channel. */
interface ChannelPackages {
  readonly email: typeof email;
  readonly slack: typeof slack;
  readonly telegram: typeof telegram;
  readonly twilio: typeof twilio;
  readonly web: typeof web;
  readonly webhook: typeof webhook;
}

const channelPackages: {
  readonly [Name in keyof ChannelPackages]: () => Promise<ChannelPackages[Name]>;
} = {
  email: () => import('@dramaturg/channel-email'),
  slack: () => import('@dramaturg/channel-slack'),
  telegram: () => import('@dramaturg/channel-telegram'),
  twilio: () => import('@dramaturg/channel-twilio'),
  web: () => import('@dramaturg/channel-web'),
  webhook: () => import('@dramaturg/channel-webhook'),
};

/** Loads a channel. @throws UsageError `channel-…/not-installed` */
export async function loadChannel<Name extends keyof ChannelPackages>(
  name: Name,
): Promise<ChannelPackages[Name]> {
  return loadOptional(`channel-${name}`, `The channel "${name}"`, channelPackages[name]);
}

/**
 * Loads an optional peer: a package that most installations do not need.
 *
 * @param others third-party packages that it needs, which are optional too
 */
async function loadOptional<Module>(
  name: 'langchain' | 'mcp' | 'opentelemetry' | 'restate' | `channel-${keyof ChannelPackages}`,
  need: string,
  load: () => Promise<Module>,
  others: readonly string[] = [],
): Promise<Module> {
  const packages = [`@dramaturg/${name}`, ...others];
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    const missing = packages.find((each) =>
      String(message).startsWith(`Cannot find package '${each}'`),
    );
    if (code !== 'ERR_MODULE_NOT_FOUND' || missing === undefined) throw error;
    throw new UsageError(
      `${need} needs the package ${missing}, which is not installed.`,
      `Run: npm install ${packages.join(' ')}`,
      exitCodes.usage,
      `${name}/not-installed`,
    );
  }
}
