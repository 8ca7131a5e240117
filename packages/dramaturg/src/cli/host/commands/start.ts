import { visible } from '@dramaturg/compiler/text';
import { Option } from 'commander';
import { type Command, command } from '../../command.ts';
import {
  type DefinitionOptions,
  formatOptions,
  withDefinitionOptions,
} from '../../definition-options.ts';
import { type ExitCode, UsageError } from '../../usage-error.ts';
import { meansFile, nameOf, nestedDefinitions, readDefinition } from '../../definition-file.ts';
import { readJsonArgument } from '../../files.ts';
import { collect, type HostOptions, readWholeNumber, withHostOptions } from '../host-options.ts';
import { isStore, type StoreKind, storeKinds } from '../gateway/store-folder.ts';
import type { StartOrder } from '@dramaturg/service/client';
import { runOperation } from './run-operation.ts';

interface StartOptions extends HostOptions, DefinitionOptions {
  readonly contact?: string;
  readonly id?: string;
  readonly input?: string;
  readonly channel?: string;
  readonly heartbeat?: number;
  readonly maxFollowups?: number;
  readonly todo?: readonly string[];
  readonly by?: string;
  readonly store?: StoreKind;
}

export function startCommand(): Command {
  return withHostOptions(withDefinitionOptions(command('start')).json())
    .description(
      'Starts an instance of a definition: a conversation with a contact, or a run of a workflow. Creates the store if it does not exist.',
    )
    .store()
    .argument(
      '<definition>',
      'a file, or the name of a definition that the host or the store knows; "-" is standard input',
    )
    .option('--contact <address>', 'the contact; only one instance at a time speaks with a contact')
    .option('--id <id>', 'the id of the instance (default: a random id)')
    .option('--input <json>', 'the input of the conversation or workflow: inline JSON, or a file')
    .option('--by <name>', 'who starts it; a workflow reads it as $$.Execution.Requestor')
    .option(
      '--channel <name>',
      'the channel to the contact, which says how the contact is written (default: the first channel of the host)',
    )
    .option('--heartbeat <ms>', 'milliseconds of silence before a reminder', readWholeNumber)
    .option('--max-followups <number>', 'reminders before the instance gives up', readWholeNumber)
    .option('--todo <text>', 'an item of the checklist; may be repeated', collect)
    .addOption(new Option('--store <kind>', 'the kind of a new store').choices(storeKinds))
    .examples(
      'dramaturg start conversations intake.plan.json --contact ada',
      'dramaturg start conversations intake --contact ada --heartbeat 600000 --todo "Name" --todo "Account"',
      `dramaturg start runs order.asl.json --agents agents.mjs --input '{"total": 12}' --json`,
    )
    .action(start);
}

async function start(folder: string, given: string, options: StartOptions): Promise<ExitCode> {
  const isFile = await meansFile(given);
  if (!isFile && !(await isStore(folder))) {
    throw new UsageError(
      `There is no file "${visible(given)}" and no store "${visible(folder)}" with a definition of that name.`,
      'Name the file of a definition.',
    );
  }
  if (!isFile && Object.keys(formatOptions(options)).length > 0) {
    throw new UsageError(
      `"${visible(given)}" is not a file, so the store has its definition with the options that it was first given.`,
      'Leave out --option and --missing, or name the file of the definition.',
    );
  }
  const read = isFile ? await readDefinition(given, nameOf(given), options) : undefined;
  const nested = read && (await nestedDefinitions(read.compiled, given, {}));
  const needs = Array.from(nested?.values() ?? [], (each) => each.order);
  const order: StartOrder = {
    definition: read?.order ?? given,
    needs,
    contact: options.contact,
    by: options.by,
    id: options.id,
    channel: options.channel,
    input:
      options.input === undefined
        ? undefined
        : await readJsonArgument(options.input, '--input', inputHint),
    lifecycleInput: lifecycleInputOf(options),
  };
  return runOperation({
    folder,
    command: 'start',
    options,
    newStore: { kind: options.store },
    operation: async (gateway) => {
      const { id, state } = await gateway.start(order);
      return { id, answer: { accepted: true, state } };
    },
  });
}

const inputHint = `Write it like this: --input '{"session": {"company": "Acme"}}'.`;

function lifecycleInputOf({
  heartbeat,
  maxFollowups,
  todo,
}: StartOptions): NonNullable<StartOrder['lifecycleInput']> {
  const heartbeatConfig = {
    ...(heartbeat === undefined ? {} : { interval_ms: heartbeat }),
    ...(maxFollowups === undefined ? {} : { max_followups: maxFollowups }),
  };
  return {
    ...(Object.keys(heartbeatConfig).length === 0 ? {} : { heartbeat_config: heartbeatConfig }),
    ...(todo === undefined ? {} : { todos: todo.map((text) => ({ text })) }),
  };
}
