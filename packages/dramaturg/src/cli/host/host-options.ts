import { InvalidArgumentError, Option } from 'commander';
import { type LimitOptions, withLimitOptions } from '../limits.ts';
import { type McpServerOptions, withMcpServers } from '../mcp-servers.ts';
import { type ModelOptions, withModelOptions } from '../model.ts';
import { storageOption, type StorageOptions } from '../workflow/object-storage.ts';
import type { Command } from '../command.ts';

/** The options of a command that may open a store itself. */
export interface HostOptions extends ModelOptions, LimitOptions, StorageOptions, McpServerOptions {
  readonly agents?: string;
  readonly webhook?: string;
  readonly within: number;
  readonly callTimeout?: number;
  readonly json?: true;
}

/** For commands that name a contact. */
export const contactChannelOption = [
  '--channel <name>',
  'the channel in whose form the contact is written (default: the contact is compared as it is)',
] as const;

/** Adds the options for commands that let instances continue. */
export function withHostOptions(command: Command): Command {
  const withOptions = withMcpServers(withModelOptions(command))
    .option('--agents <module>', 'a JavaScript module that exports the agents of workflows')
    .addOption(storageOption())
    .option(
      '--webhook <url>',
      'post messages to this address instead of printing them; an address with a password belongs in the variable DRAMATURG_WEBHOOK',
    )
    .addOption(withinOption())
    .option(
      '--call-timeout <ms>',
      'milliseconds after which a call of a port fails (default: an hour for agents and tools, 10 minutes for the others)',
      readTimeout,
    );
  return withLimitOptions(withOptions);
}

function withinOption(): Option {
  return new Option('--within <ms>', 'milliseconds that running work has to finish')
    .argParser(readWholeNumber)
    .default(10_000);
}

export function readWholeNumber(given: string): number {
  return readNumberFrom(0, given);
}

function readTimeout(given: string): number {
  return readNumberFrom(1, given);
}

function readNumberFrom(least: number, given: string): number {
  const number = Number(given);
  if (given.trim() === '' || !Number.isSafeInteger(number) || number < least)
    throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
  return number;
}

/** The parser of an option that may be repeated. */
export function collect(given: string, before: readonly string[] = []): readonly string[] {
  return [...before, given];
}

export const readLimit = readLimitOf(10_000);

/** The parser of a whole number from 1 to a limit. */
export function readLimitOf(most: number): (given: string) => number {
  return (given) => {
    const limit = readWholeNumber(given);
    if (limit < 1 || limit > most)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
    return limit;
  };
}
