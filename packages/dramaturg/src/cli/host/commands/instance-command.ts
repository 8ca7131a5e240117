import type { Answer } from '@dramaturg/host';
import type { Command } from 'commander';
import { command, examples } from '../../command.ts';
import type { ExitCode } from '../../usage-error.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { findInstance } from '../gateway/find-instance.ts';
import { type HostOptions, withHostOptions, withJson, storeArgument } from '../host-options.ts';
import { runOperation } from './run-operation.ts';

/** A command that does one thing to one instance: its name, store and id, without an action yet. */
export function instanceCommand(name: string): Command {
  return withHostOptions(withJson(command(name)))
    .argument('<store>', storeArgument)
    .argument('<id>', 'the instance: its id, or the first characters of it');
}

/** The action of such a command: finds the instance, does the thing, and prints the answer. */
export function instanceAction<Options extends HostOptions>(
  name: string,
  done: (code: ExitCode) => void,
  act: (gateway: Gateway, id: string, options: Options) => Promise<Answer>,
): (folder: string, given: string, options: Options) => Promise<void> {
  return async (folder, given, options) => {
    done(
      await runOperation({
        folder,
        command: name,
        options,
        operation: async (gateway) => {
          const id = await findInstance(gateway, given, folder);
          return { id, answer: await act(gateway, id, options) };
        },
      }),
    );
  };
}

export function refusalHelp(name: string, args: string): string {
  return `
If the state of the instance does not allow this, the command prints why and exits with 6.
${examples([`dramaturg ${name} ${args}`, `dramaturg ${name} ${args} --json`])}`;
}
