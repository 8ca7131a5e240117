import type { ByOperator } from '@dramaturg/host';
import { type Command, InvalidArgumentError } from 'commander';
import type { HostOptions } from '../host-options.ts';

/** The option that says who acts. */
export interface OperatorOptions extends HostOptions {
  readonly as?: string;
}

export function withOperator(command: Command): Command {
  return command.option('--as <name>', 'who acts; leave it out where a token says it');
}

export function operatorIn({ as }: OperatorOptions): ByOperator {
  return as === undefined ? {} : { by: as };
}

const minutesMax = 1_440;

/** @returns milliseconds */
export function readMinutes(given: string): number {
  const minutes = Number(given);
  if (minutes > 0 && minutes <= minutesMax) return Math.round(minutes * 60_000);
  throw new InvalidArgumentError(`Expected minutes, up to ${minutesMax}.`);
}
