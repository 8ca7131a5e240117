import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { visible } from '@dramaturg/compiler/text';
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
