import { readFileSync } from 'node:fs';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { CommanderError, type Command as PlainCommand } from 'commander';
import { catalogue, type CommandName } from './catalogue.ts';
import { type Command, command, examples } from './command.ts';
import { storeFirst } from './host/restate/location.ts';
import { endQuietlyOnBrokenPipe } from './output.ts';
import { printFailure } from './print-failure.ts';
import type { Loaders } from './quick-commands.ts';
import { type ExitCode, exitCodes, UsageError } from './usage-error.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Whether the running command prints JSON. Also needed for an error outside of every promise. */
let isJson = false;

/** Prepares the process for commands: a broken pipe ends it quietly, and an unexpected error is reported. */
export function prepareProcess(): void {
  endQuietlyOnBrokenPipe(process.stdout);
  endQuietlyOnBrokenPipe(process.stderr);
  // XState throws errors without an observer later, outside of every promise.
  process.on('uncaughtException', (error) => {
    printFailure(error, isJson);
    process.exit(exitCodes.failure);
  });
}

/** Runs the command `dramaturg` with these arguments, on the streams of the process. */
export async function run(args: readonly string[], loaders: Loaders): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.fine;
  isJson = asksForJson(args);
  try {
    const program = await programWith(loaders, args.slice(0, 1));
    program.hook('postAction', (_, called) => void ({ exitCode } = called as Command));
    await program.parseAsync(storeFirst(args, program.commands), { from: 'user' });
  } catch (error) {
    // Commander has printed help and version already. Help without --help means that the command is missing.
    if (!(error instanceof CommanderError)) return printFailure(error, isJson);
    return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  }
  return exitCode;
}

/** Whether the caller wants JSON, also for arguments that cannot be parsed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** The program with all its commands. Those that are not `wanted` have no arguments and options: they are listed only. */
export async function programWith(loaders: Loaders, wanted: readonly string[]): Promise<Command> {
  const program = command('dramaturg', 'dramaturg')
    .description(
      'Compiles conversation and workflow definitions into XState machines, and runs them.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false)
    .hook('preAction', (_, called) => {
      isJson = called.opts<{ readonly json?: true }>().json === true;
      requireNoSecrets(called);
    })
    .addHelpText(
      'after',
      examples([
        'dramaturg check intake.plan.json',
        'dramaturg run intake.plan.json',
        'dramaturg run --help',
      ]),
    );
  for (const [group, summaries] of Object.entries(catalogue))
    for (const [name, summary] of Object.entries(summaries)) {
      const load = wanted.includes(name) ? loaders[name as CommandName] : undefined;
      const each = load ? (await load())() : command(name);
      program.addCommand(each.summary(summary).helpGroup(`${group}:`));
    }
  return program;
}

/** The options that take the address of a server, with the variables of the environment that take it too. */
const addresses = { webhook: 'DRAMATURG_WEBHOOK', baseUrl: 'DRAMATURG_BASE_URL' } as const;

/** Throws for an address with a password or a key: every user of the machine can see the arguments of a process. */
function requireNoSecrets(called: PlainCommand): void {
  const options = called.opts<{ readonly [Name in keyof typeof addresses]?: string }>();
  for (const [name, variable] of Object.entries(addresses)) {
    const address = options[name as keyof typeof addresses];
    if (address === undefined || withoutSecrets(address) === address) continue;
    const option = called.options.find((each) => each.attributeName() === name)?.long ?? name;
    throw new UsageError(
      `The address of ${option} has a password or a key, and every user of this machine can see the arguments of a process.`,
      `Leave out ${option}, and set the variable ${variable} to the address.`,
    );
  }
  const stores = [...called.processedArgs, called.opts<{ readonly attach?: unknown }>().attach];
  for (const store of stores) if (typeof store === 'string') requireNoPassword(store);
}

function requireNoPassword(store: string): void {
  if (!/^postgres(ql)?:\/\//i.test(store) || !URL.canParse(store)) return;
  const { password, searchParams } = new URL(store);
  if (password === '' && !searchParams.has('password')) return;
  throw new UsageError(
    'The address of the store has a password, and every user of this machine can see the arguments of a process.',
    'Leave the password out, and set the variable PGPASSWORD, or write it into the file ~/.pgpass.',
  );
}
