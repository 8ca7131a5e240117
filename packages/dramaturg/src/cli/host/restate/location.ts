import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { visible } from '@dramaturg/compiler/text';
import type { Command } from 'commander';
import { UsageError } from '../../usage-error.ts';

/** The location of instances that run on Restate. Commands take it in place of the folder of a store. */
export interface RestateLocation {
  /** URL for calls, without a path. */
  readonly ingress: string;
  /** URL for registrations and queries, without a path. */
  readonly admin: string;
  readonly namespace: string;
}

/** Distinguishes an address of Restate from that of a service. */
const scheme = 'restate+';

const defaultNamespace = 'dramaturg';

/** The port of the admin API unless it is configured. */
const adminPort = '9070';

/** Writes a location as one string: the URL for calls, with the other fields as its query. */
export function textOf({ restate, restateAdmin, namespace }: RestateOptions): string {
  const url = new URL(requireUrl(restate, '--restate'));
  if (restateAdmin !== undefined)
    url.searchParams.set('admin', requireUrl(restateAdmin, '--restate-admin'));
  if (namespace !== undefined) url.searchParams.set('namespace', requireNamespace(namespace));
  return `${scheme}${url.href}`;
}

export interface RestateOptions {
  readonly restate: string;
  readonly restateAdmin?: string;
  readonly namespace?: string;
}

/**
 * Reads the location of instances on Restate.
 *
 * @param store the argument of a command for its store
 * @returns undefined for the folder of a store
 * @throws UsageError when it is not an address of Restate
 */
export function restateAt(store: string): RestateLocation | undefined {
  if (!store.startsWith(scheme)) return undefined;
  const { origin, hostname, protocol, searchParams } = new URL(
    requireUrl(store.slice(scheme.length), 'The store'),
  );
  return {
    ingress: origin,
    admin: originOf(searchParams.get('admin')) ?? `${protocol}//${hostname}:${adminPort}`,
    namespace: requireNamespace(searchParams.get('namespace') ?? defaultNamespace),
  };
}

/** The words that name a store in a command: its folder, or the options for Restate. */
export function wordsFor(store: string): string {
  const location = restateAt(store);
  if (!location) return visible(store);
  const { searchParams } = new URL(store.slice(scheme.length));
  const words = ['--restate', location.ingress];
  if (searchParams.has('admin')) words.push('--restate-admin', location.admin);
  if (searchParams.has('namespace')) words.push('--namespace', location.namespace);
  return words.join(' ');
}

/** How messages name a store. */
export function nameFor(store: string): string {
  const location = restateAt(store);
  return location ? `Restate at ${location.ingress}` : `the store "${visible(store)}"`;
}

function originOf(url: string | null): string | undefined {
  return url === null ? undefined : new URL(requireUrl(url, '--restate-admin')).origin;
}

function requireUrl(given: string, name: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(
      `"${withoutSecrets(given)}" is not a URL of Restate.`,
      `Write it with its protocol and port, such as: ${name.startsWith('--') ? name : '--restate'} http://localhost:8080`,
    );
  // Every user of the machine can see the arguments of a process.
  if (url.username === '' && url.password === '') return given;
  throw new UsageError(
    `The address of ${name} has a password.`,
    'Leave it out: Restate takes no passwords in addresses. Restrict who can reach its ports.',
  );
}

function requireNamespace(given: string): string {
  if (/^[A-Za-z][\w-]{0,63}$/.test(given)) return given;
  throw new UsageError(
    `"${visible(given)}" is not a name of a namespace.`,
    'Write at most 64 letters, digits, "-" and "_", and begin with a letter, such as: --namespace acme',
  );
}

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
