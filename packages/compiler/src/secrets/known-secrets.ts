import { isRecord } from '../json.ts';
import { Fragments } from './fragments.ts';
import { isSecretField, isSecretVariable } from './secret-names.ts';

/** Owns the secrets of the process. They are process-wide because an error can cross from one host to another. */
const protectedSecrets = new Set<string>();

let fragments = new Fragments();
/** The environment that `fragments` was made from. */
let environment = '';

/**
 * Makes errors of this process show `[redacted]` instead of a secret, in every form in which it may come back. Known without this
 * call: environment variables whose names say that they are secret, the keys of models given by name, and the headers of
 * webhooks. Not protected: strings of fewer than four characters, and words of fewer than eight letters, such as `none`.
 *
 * @example
 * ```ts
 * protectSecret('correct-horse-battery');
 * const error = new RejectedError('The provider refused the key correct-horse-battery.');
 * console.log(error.message); // → The provider refused the key [redacted].
 * ```
 */
export function protectSecret(secret: string): void {
  for (const part of partsOf(secret)) {
    if (protectedSecrets.has(part)) continue;
    protectedSecrets.add(part);
    fragments.add(part);
  }
}

/** Forgets the secrets of a test file, so that later files in the same process do not know them. */
export function forgetSecrets(): void {
  protectedSecrets.clear();
  environment = '';
  fragments = new Fragments();
}

/** How deep options are searched for secrets. */
const deepest = 5;

/**
 * Protects the secrets in options or in a client made from them: the fields whose names say that they are secret, and every
 * header that is not a common one.
 */
export function protectSecretsIn(options: unknown): void {
  search(options, 0, new Set());
}

function search(options: unknown, depth: number, seen: Set<object>): void {
  if (typeof options !== 'object' || options === null) return;
  if (depth === deepest || seen.has(options)) return;
  seen.add(options);
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(options))) {
    if (typeof value === 'string') {
      if (isSecretField(name)) protectSecret(value);
      else for (const part of partsOfUrl(value) ?? []) protectSecret(part);
    } else if (/headers$/i.test(name)) protectHeaders(value);
    else search(value, depth + 1, seen);
  }
}

const commonHeaders = ['accept', 'accept-language', 'content-type', 'user-agent'];

/** Protects the values of all headers that are not common ones. */
export function protectHeaders(headers: unknown): void {
  if (!isRecord(headers)) return;
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !commonHeaders.includes(name.toLowerCase()))
      protectSecret(value);
}

/** The fragments of all known secrets. The environment can have changed since the last call. */
export function knownFragments(): Fragments {
  const variables = environmentVariables();
  const now = variables.flat().join('\0');
  if (now === environment) return fragments;
  environment = now;
  fragments = new Fragments();
  const secrets = [...protectedSecrets, ...environmentSecrets(variables).flatMap(partsOf)];
  for (const secret of secrets) fragments.add(secret);
  return fragments;
}

/** Shorter values of the environment are words such as `none`, which errors contain too. */
const shortestVariable = 8;

type Variables = readonly (readonly [name: string, value: string | undefined])[];

function environmentVariables(): Variables {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  return Object.entries(process?.env ?? {});
}

function environmentSecrets(variables: Variables): string[] {
  return variables.flatMap(([name, value = '']) => {
    if (value.length < shortestVariable) return [];
    if (isSecretVariable(name)) return [value];
    // A database's address, for example, has its password.
    return value.includes('://') ? (partsOfUrl(value) ?? []) : [];
  });
}

/** The secret itself, and its parts that are secret alone: the credentials of a header, the password of a URL. */
function partsOf(secret: string): string[] {
  const url = partsOfUrl(secret);
  if (url) return url;
  const credentials = /^(?:basic|bearer|token|digest|apikey)\s+(\S+)$/i.exec(secret.trim())?.[1];
  if (credentials === undefined) return [secret.trim()];
  return [credentials, ...(passwordIn(credentials) ?? [])];
}

/** The password in the credentials of basic authentication. */
function passwordIn(credentials: string): string[] | undefined {
  try {
    return /^[^:]*:(.+)$/s.exec(atob(credentials))?.slice(1);
  } catch {
    return undefined;
  }
}

/** The secret parts of a server's address: the password, parameters, and segments that look generated. */
function partsOfUrl(text: string): string[] | undefined {
  const [, userInfo, path = '', query = ''] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:([^/?#]*)@)?[^/?#]*([^?#]*)(?:\?([^#]*))?/i.exec(text) ?? [];
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  const password = userInfo?.slice(userInfo.indexOf(':') + 1);
  const parameters = query
    .split('&')
    .map((each) => each.slice(each.indexOf('=') + 1))
    .filter((each) => each.length >= shortestVariable);
  const segments = path.split('/').filter((each) => each.length >= 16 && /\d/.test(each));
  return [...(password ? [password] : []), ...parameters, ...segments].map(decoded);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
