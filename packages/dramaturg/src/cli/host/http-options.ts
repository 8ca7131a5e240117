import type { ServeOptions } from '../../service/running-service.ts';
import { UsageError } from '../usage-error.ts';
import { collect } from './host-options.ts';
import type { Command } from '../command.ts';

/** The options of a command that serves HTTP. */
export interface HttpOptions {
  readonly http?: string;
  readonly tokens?: string;
  readonly audit?: string;
  readonly publicUrl?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly mcp?: true;
  readonly desk?: true;
}

export function withHttpOptions(command: Command): Command {
  return command
    .option(
      '--http <address>',
      'also listen for HTTP, such as 127.0.0.1:8080; port 0 is any free one',
    )
    .option(
      '--tokens <file>',
      'who may do what over HTTP; without it, only this computer can connect',
    )
    .option('--audit <file>', 'append a line to this file for each action of an operator')
    .option(
      '--public-url <url>',
      'where other machines reach the service; commands on a store in Postgres use it',
    )
    .option(
      '--allow-host <name>',
      'a name under which clients reach the service; may be repeated',
      collect,
    )
    .option(
      '--allow-origin <origin>',
      'an origin whose pages may call the service; may be repeated',
      collect,
    )
    .option('--mcp', 'also serve the route /mcp over HTTP, for assistants')
    .option(
      '--desk',
      'also serve the page for operators under /desk; without --http, on a free port of this computer',
    );
}

const anyPort = '127.0.0.1:0';

/** @throws UsageError for options that have no effect without HTTP */
export function httpOf(options: HttpOptions): ServeOptions {
  const { allowHost: allowedHosts, allowOrigin: allowedOrigins, ...same } = options;
  const { tokens, audit, publicUrl, desk } = same;
  const http = same.http ?? (desk && anyPort);
  if (http === undefined) requireNoHttp(options);
  return { http, tokens, audit, publicUrl, desk, allowedHosts, allowedOrigins };
}

function requireNoHttp({ tokens, publicUrl, allowHost, allowOrigin, mcp }: HttpOptions): void {
  const given = {
    '--tokens': tokens,
    '--public-url': publicUrl,
    '--allow-host': allowHost,
    '--allow-origin': allowOrigin,
    '--mcp': mcp,
  };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw new UsageError(
      `${name} is for a service over HTTP, and --http is missing.`,
      'Add --http 127.0.0.1:8080',
    );
  }
}
