import type { Command } from 'commander';
import { UsageError } from '../../usage-error.ts';
import { collect } from '../host-options.ts';

/** The options of `serve --restate`. */
export interface HandlerOptions {
  readonly listen?: string;
  readonly advertise?: string;
  readonly identityKey?: readonly string[];
}

export function withHandlers(command: Command): Command {
  return command
    .option(
      '--listen <host:port>',
      'with --restate: the address of the handlers (default: 127.0.0.1:9080)',
    )
    .option(
      '--advertise <url>',
      'with --restate: where Restate reaches the handlers, such as a load balancer (default: the address)',
    )
    .option(
      '--identity-key <key>',
      'with --restate: the public key of the Restate that may call the handlers; may be repeated',
      collect,
    );
}

/** @throws UsageError when an option is given that needs `--restate` */
export function requireNoHandlers({ listen, advertise, identityKey }: HandlerOptions): void {
  const given = { '--listen': listen, '--advertise': advertise, '--identity-key': identityKey };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw new UsageError(
      `${name} is for handlers on Restate, and --restate is missing.`,
      'Add the URL for calls, such as: --restate http://localhost:8080',
    );
  }
}
