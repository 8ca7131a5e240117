import { visible } from '@dramaturg/compiler/text';
import type { Limits, Prices } from '@dramaturg/host';
import { parsePrices } from '@dramaturg/host/engine';
import { InvalidArgumentError, Option } from 'commander';
import { readText } from './files.ts';
import { UsageError } from './usage-error.ts';
import type { Command } from './command.ts';

export interface LimitOptions {
  readonly maxCalls?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxTime?: number;
  readonly maxCallTokens?: number;
  readonly maxCallCost?: number;
  readonly maxCallTime?: number;
  /** A file. */
  readonly prices?: string;
  /** The sizes of the pools that budgets of workflows draw on, by name. */
  readonly pool?: Readonly<Record<string, number>>;
}

/** The names of the options, in the spelling that `conflicts` of other options needs. */
export const limitOptions: readonly (keyof LimitOptions)[] = [
  'maxCalls',
  'maxTokens',
  'maxCost',
  'maxTime',
  'maxCallTokens',
  'maxCallCost',
  'maxCallTime',
  'prices',
  'pool',
];

/** The flags of the options that were given. */
export function limitOptionsIn(options: LimitOptions): string[] {
  return limitOptions
    .filter((name) => options[name] !== undefined)
    .map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
}

/** Adds the limits, for commands that run conversations and workflows. */
export function withLimitOptions(command: Command): Command {
  const option = (flags: string, what: string, read: (given: string) => number) =>
    command.addOption(new Option(flags, what).argParser(read).helpGroup(group));
  option('--max-calls <number>', 'calls of a conversation or workflow', readCount);
  option('--max-tokens <number>', 'tokens of all calls, input and output together', readCount);
  option('--max-cost <amount>', 'cost of all calls, by the table of --prices', readAmount);
  option('--max-time <ms>', 'milliseconds of all calls together', readAmount);
  option('--max-call-tokens <number>', 'tokens of a single call', readCount);
  option('--max-call-cost <amount>', 'cost of a single call', readAmount);
  option('--max-call-time <ms>', 'milliseconds after which a call is aborted', readAmount);
  const pool = new Option(
    '--pool <name=amount>',
    'the size of a pool that budgets of workflows draw on; may be repeated',
  );
  return command
    .addOption(
      new Option(
        '--prices <file>',
        `JSON: prices of a million tokens, such as ${example}`,
      ).helpGroup(group),
    )
    .addOption(pool.argParser(readPool).helpGroup(group));
}

function readPool(
  given: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const equals = given.lastIndexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Write it like this: --pool research=100');
  return Object.fromEntries([
    ...Object.entries(before),
    [given.slice(0, equals), readAmount(given.slice(equals + 1))],
  ]);
}

const group = 'Limits:';
const example = '{"gpt-6-luna": {"input": 0.1, "output": 0.5}}';

export async function readLimits(options: LimitOptions): Promise<Limits> {
  const { maxCost, maxCallCost, prices } = options;
  const option = maxCost === undefined ? '--max-call-cost' : '--max-cost';
  if ((maxCost ?? maxCallCost) !== undefined && prices === undefined) {
    throw new UsageError(
      `${option} needs the prices of the models.`,
      `Write them in a file, such as ${example}, and name it: --prices prices.json`,
    );
  }
  return {
    calls: options.maxCalls,
    tokens: options.maxTokens,
    cost: maxCost,
    time: options.maxTime,
    call: { tokens: options.maxCallTokens, cost: maxCallCost, time: options.maxCallTime },
    prices: prices === undefined ? undefined : await readPrices(prices),
  };
}

async function readPrices(file: string): Promise<Prices> {
  const text = await readText(file);
  try {
    return parsePrices(JSON.parse(text));
  } catch (error) {
    const { message } = error as Error;
    const what =
      error instanceof SyntaxError ? `is not JSON: ${message}.` : `cannot be used. ${message}`;
    throw new UsageError(`"${visible(file)}" ${what}`, `Write it like this: ${example}`);
  }
}

function readCount(given: string): number {
  const count = Number(given);
  if (given.trim() === '' || !Number.isSafeInteger(count) || count < 0)
    throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return count;
}

function readAmount(given: string): number {
  const amount = Number(given);
  if (given.trim() === '' || !Number.isFinite(amount) || amount < 0)
    throw new InvalidArgumentError('It must be a number, 0 or more.');
  return amount;
}
