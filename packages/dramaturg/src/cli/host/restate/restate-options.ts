import { UsageError } from '../../usage-error.ts';
import { type RestateOptions, textOf } from './location.ts';
import type { Command } from 'commander';

const flags = {
  '--restate': 'restate',
  '--restate-admin': 'restateAdmin',
  '--namespace': 'namespace',
} as const;

/** Adds the options that name instances on Restate in place of the folder of a store. */
export function withRestate(command: Command): Command {
  return command
    .option('--restate <url>', 'in place of the store: the URL for calls of a Restate server')
    .option('--restate-admin <url>', 'its URL for administration (default: port 9070)')
    .option('--namespace <name>', 'the namespace of the instances on Restate (default: dramaturg)');
}

/**
 * Puts the location of instances on Restate where a command expects its store. Options may be anywhere among the arguments,
 * and the store is the first of them, so this is done before they are parsed.
 *
 * @throws UsageError when options are given that need `--restate`
 */
export function storeFirst(args: readonly string[], commands: readonly Command[]): string[] {
  const [name = '', ...rest] = args;
  const takesRestate = commands
    .find((each) => each.name() === name)
    ?.options.some(({ long }) => long === '--restate');
  if (!takesRestate) return [...args];
  const { found, others } = taken(rest);
  const { restate, ...settings } = found;
  if (restate !== undefined) return [name, textOf({ ...settings, restate }), ...others];
  const [alone] = Object.keys(flags).filter((flag) => flags[flag as Flag] in settings);
  if (alone === undefined) return [...args];
  throw new UsageError(
    `${alone} is for instances on Restate, and --restate is missing.`,
    'Add the URL for calls, such as: --restate http://localhost:8080',
  );
}

type Flag = keyof typeof flags;

/** Removes these options with their values from the arguments. An option without a value stays, and is reported later. */
function taken(args: readonly string[]): {
  readonly found: Partial<RestateOptions>;
  readonly others: readonly string[];
} {
  const found: Record<string, string> = {};
  const others: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const each = args[index]!;
    if (each === '--') return { found, others: [...others, ...args.slice(index)] };
    const [flag, inline] = split(each);
    const value = inline ?? args[index + 1];
    if (!Object.hasOwn(flags, flag) || value === undefined) others.push(each);
    else {
      found[flags[flag as Flag]] = value;
      if (inline === undefined) index += 1;
    }
  }
  return { found, others };
}

function split(argument: string): readonly [flag: string, value?: string] {
  const equals = argument.indexOf('=');
  return equals < 0 ? [argument] : [argument.slice(0, equals), argument.slice(equals + 1)];
}
