import type { Answer } from '@dramaturg/host';
import { type Operation, type OperationName, operations } from '@dramaturg/service/client';
import { InvalidArgumentError, Option } from 'commander';
import { type Command, command, examples } from '../../command.ts';
import type { MakeCommand } from '../../quick-commands.ts';
import { findInstance } from '../gateway/open-gateway.ts';
import { type HostOptions, withHostOptions } from '../host-options.ts';
import { runOperation } from './run-operation.ts';

/** The command that a row of the table of operations describes. It does one thing to one instance. */
export function operationCommand(name: string): MakeCommand {
  const [operation, row] = Object.entries<Operation>(operations).find(
    ([, each]) => each.command?.name === name,
  ) as [OperationName, Required<Operation>];
  const { description, options, example } = row.command;
  return () => {
    const made = withHostOptions(command(name).json())
      .description(description)
      .store()
      .instance()
      .addHelpText('after', refusalHelp(`${name} ${example}`));
    const fields = Object.entries(options).map(
      ([field, option]) => [field, added(made, ...option!)] as const,
    );
    return made.action(async () => {
      const [folder, given] = made.processedArgs as [string, string];
      const input = Object.fromEntries(fields.map(([field, value]) => [field, value()]));
      return runOperation({
        folder,
        command: name,
        options: made.opts<HostOptions>(),
        operation: async (gateway) => {
          const id = await findInstance(gateway, given, folder);
          const act = gateway[operation] as (id: string, input: object) => Promise<Answer>;
          return { id, answer: await act(id, input) };
        },
      });
    });
  };
}

/** Adds an option, or an argument such as `<text>`. @returns a function that reads its value */
function added(made: Command, flags: string, words: string): () => unknown {
  if (flags.startsWith('<')) {
    const index = made.registeredArguments.length;
    made.argument(flags, words);
    return () => made.processedArgs[index] as unknown;
  }
  const option = new Option(flags, words);
  if (flags.endsWith('<minutes>')) option.argParser(readMinutes);
  made.addOption(option);
  return () => made.getOptionValue(option.attributeName()) as unknown;
}

function refusalHelp(args: string): string {
  return `
If the state of the instance does not allow this, the command prints why and exits with 6.
${examples([`dramaturg ${args}`, `dramaturg ${args} --json`])}`;
}

const minutesMax = 1_440;

/** @returns milliseconds */
function readMinutes(given: string): number {
  const minutes = Number(given);
  if (minutes > 0 && minutes <= minutesMax) return Math.round(minutes * 60_000);
  throw new InvalidArgumentError(`Expected minutes, up to ${minutesMax}.`);
}
