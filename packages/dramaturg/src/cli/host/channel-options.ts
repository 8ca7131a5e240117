import { Option } from 'commander';
import type { ChannelConversation } from '@dramaturg/host';
import { UsageError } from '../usage-error.ts';
import { type ProviderName, providerNames } from './gateway/provider-channels.ts';
import type { Command } from '../command.ts';

/** The options of a command that serves channels. */
export interface ChannelOptions {
  readonly channel?: readonly ProviderName[];
  readonly answer?: string;
}

export function withChannelOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--channel <name>',
        'a channel whose provider reaches the service over HTTP; may be repeated; its secrets are in the environment',
      )
        .choices(providerNames)
        .argParser((given, before: readonly string[] | undefined) => {
          if ((providerNames as readonly string[]).includes(given))
            return [...(before ?? []), given];
          throw new UsageError(
            `There is no channel "${given}".`,
            `Choose one of ${providerNames.join(', ')}.`,
          );
        }),
    )
    .option(
      '--answer <definition>',
      'the definition that the first message of a new contact starts (default: the only definition)',
    );
}

/**
 * The conversation that new contacts start.
 *
 * @param definitions the names of the definitions that the command was given
 * @throws UsageError when the options do not fit together
 */
export function conversationOf(
  { channel = [], answer, http }: ChannelOptions & { readonly http?: string },
  definitions: readonly string[],
): ChannelConversation | undefined {
  if (channel.length === 0) {
    if (answer === undefined) return undefined;
    throw new UsageError('--answer is for channels, and there is no --channel.', 'Add --channel.');
  }
  if (http === undefined)
    throw new UsageError(
      'Providers of channels reach the service over HTTP, and --http is missing.',
      'Add --http 127.0.0.1:8080, and forward the public address to it.',
    );
  const definition = answer ?? (definitions.length === 1 ? definitions[0] : undefined);
  if (answer !== undefined && !definitions.includes(answer))
    throw new UsageError(
      `--answer names "${answer}", which is not one of the definitions.`,
      definitions.length === 0 ? 'Add --definition.' : `Choose one of ${definitions.join(', ')}.`,
    );
  return definition === undefined ? undefined : { definition };
}

/** The host of the public address: providers send requests under this name. */
export function hostOf(publicUrl: string | undefined): readonly string[] {
  const host = publicUrl === undefined ? undefined : URL.parse(publicUrl)?.host;
  return host === undefined ? [] : [host];
}
