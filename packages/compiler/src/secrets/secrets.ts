import { isRecord } from '../json.ts';

const secretWords = [
  'authorization',
  'cookie',
  'credential',
  'credentials',
  'passphrase',
  'passwd',
  'password',
  'secret',
  'token',
];
const secretKeys = ['access', 'account', 'api', 'auth', 'private', 'secret', 'signing'];

/** The last words of the names of secret fields and headers, as a part of a regular expression. */
const secretFieldEnding = [...secretWords, `(?:${secretKeys.join('|')})[_-]?key`].join('|');

const secretField = new RegExp(`(?:^|_)(?:${secretFieldEnding})$`, 'i');

/**
 * Whether a field, a header or a parameter with the name holds a secret: `apiKey`, `x-api-key`, `access_token`,
 * `Authorization`, `set-cookie`. A `key` alone is an idempotency key here.
 */
export function isSecretField(name: string): boolean {
  return secretField.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_'));
}

const variable =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|AUTH|COOKIE)_?\d*$/i;
const publicVariable = /(?:PUBLIC|PRIMARY|CACHE|SORT)_KEY$/i;

/** Whether an environment variable with the name holds a secret. */
export function isSecretVariable(name: string): boolean {
  return variable.test(name) && !publicVariable.test(name);
}

/** Shorter strings are not protected: their letters occur everywhere. */
const shortest = 4;
/** A string from this length on is also recognised by its fragments. */
const shortestInFragments = 8;
const longestFragment = 8;

/** Secrets made of words, as in `secret-of-the-webhook`: ordinary texts have pieces of them too. */
const words = /^[a-z]+(?:[ _.-][a-z]+)*$/i;

/** Replaces a secret in texts. */
export const redacted = '[redacted]';

/**
 * Recognises secrets in a text: plain, URL-encoded, JSON-escaped, in base64 or in hexadecimal digits. Also recognises a piece of
 * a secret, because gateways and logs cut texts: any 8 consecutive characters of it, or half of a secret that is shorter than 16
 * or consists of words.
 */
class Fragments {
  /** By their length in UTF-16 units. */
  readonly #byLength = new Map<number, Set<string>>();
  /** The hashes of the first characters of all fragments, so that most positions of a text cost one look-up. */
  readonly #beginnings = new Uint8Array(65_536);

  add(secret: string): void {
    if (secret.length < shortest || isPlaceholder(secret)) return;
    const length = fragmentLength(secret);
    for (const form of plainForms(secret)) this.#addForm(form, length);
    if (secret.length < shortestInFragments) return;
    const bytes = new TextEncoder().encode(secret);
    for (const form of base64Forms(bytes)) this.#addForm(form, Math.ceil((length * 4) / 3));
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    for (const form of [hex, hex.toUpperCase()]) this.#addForm(form, length * 2);
  }

  /** Replaces every fragment; neighbours are replaced together. */
  replace(text: string): string {
    if (this.#byLength.size === 0) return text;
    let result = '';
    let end = 0;
    for (let at = 0; at < text.length; at += 1) {
      const length = this.#longestAt(text, at);
      if (length === 0) continue;
      if (at > end || end === 0) result += `${text.slice(end, at)}${redacted}`;
      end = Math.max(end, at + length);
    }
    return result + text.slice(end);
  }

  #addForm(form: string, length: number): void {
    if (form.length < length) return;
    const known = this.#byLength.get(length) ?? new Set();
    this.#byLength.set(length, known);
    for (let at = 0; at + length <= form.length; at += 1) {
      known.add(form.slice(at, at + length));
      this.#beginnings[hashAt(form, at)] = 1;
    }
  }

  #longestAt(text: string, at: number): number {
    if (this.#beginnings[hashAt(text, at)] === 0) return 0;
    let longest = 0;
    for (const [length, known] of this.#byLength)
      if (length > longest && known.has(text.slice(at, at + length))) longest = length;
    return longest;
  }
}

/** A short word, such as the `none` that a self-hosted server takes as its key. */
function isPlaceholder(secret: string): boolean {
  return secret.length < shortestInFragments && /^[a-z]+$/i.test(secret);
}

function fragmentLength(secret: string): number {
  if (secret.length < shortestInFragments) return secret.length;
  const half = Math.ceil(secret.length / 2);
  if (words.test(secret)) return Math.max(shortestInFragments, half);
  return Math.min(longestFragment, Math.max(6, half));
}

/** A hash of three characters, which every fragment has. */
function hashAt(text: string, at: number): number {
  const beginning = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  return (beginning * 31 + text.charCodeAt(at + 2)) & 0xffff;
}

function plainForms(secret: string): Set<string> {
  const encoded = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\u{FFFD}'));
  const escaped = JSON.stringify(secret).slice(1, -1);
  return new Set([
    secret,
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replace(/%../g, (code) => code.toLowerCase()),
    escaped,
    escaped.replaceAll('/', String.raw`\/`),
    JSON.stringify(escaped).slice(1, -1),
  ]);
}

/** The secret in base64, also where it follows one or two other bytes, as in `user:password`. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = btoa('\0'.repeat(before) + String.fromCodePoint(...bytes));
    // The first and the last character may also have bits of a neighbour.
    const own = text.slice(before === 0 ? 0 : before + 1).replace(/.?=+$/, '');
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

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

/**
 * Replaces secrets in a text by `[redacted]`: secrets that the process knows, and everything in the form of a secret, such as the
 * credentials of an `Authorization` header, `sk-…` and the password in a URL.
 */
export function withoutSecrets(text: string): string {
  return withoutFragments(text, knownFragments());
}

/** As `withoutSecrets`, for many texts: `knownFragments` reads the environment, which takes longer than most texts. */
export function withoutFragments(text: string, known: Fragments): string {
  // Forms first: replacing a known secret inside a longer one would leave the rest of the longer one.
  let result = text;
  for (const [shape, replacement] of shapes) result = result.replace(shape, replacement);
  result = result.replace(basic, (whole, scheme: string, credentials: string) =>
    hasPassword(credentials) ? `${scheme} ${redacted}` : whole,
  );
  return known.replace(result);
}

/** A value with a digit, or a long one: "Bearer authentication" and "password: required" are not secrets. */
const value = String.raw`(?=[^\s"'\\&,;<>]*\d|[^\s"'\\&,;<>]{20})[^\s"'\\&,;<>[\]]{6,}`;

/** `name=value`, `name: value`, `"name": "value"`, with or without the scheme of an authorization. */
const field = String.raw`((?:${secretFieldEnding})["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3}(?:(?:bearer|basic|token)\s{1,3})?)${value}`;

/** Each begins with fixed characters and repeats without alternatives, so that hostile texts take linear time. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}-----)?/g, redacted],
  // Printed commands contain the user of Postgres, which is public without a password.
  [
    /(?!(?<=postgres(?:ql)?):\/\/[^\s/?#@:"'<>]{1,512}@):\/\/[^\s/?#@"'<>]{1,512}@/g,
    `://${redacted}@`,
  ],
  [new RegExp(String.raw`\b(bearer)\s{1,3}${value}`, 'gi'), `$1 ${redacted}`],
  [new RegExp(field, 'gi'), `$1${redacted}`],
  [new RegExp(String.raw`([?&](?:key|sig|signature)=)${value}`, 'gi'), `$1${redacted}`],
  [
    /(?<![\w-])(?:(?:sk|pk|rk)[-_]|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|gsk_|hf_|npm_|lsv2_|dmt_|AKIA|ASIA|AIza|ya29\.)[\w*.…-]{8,}/g,
    redacted,
  ],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g, redacted],
];

const basic = /\b(basic)\s{1,3}([A-Za-z0-9+/]{8,}={0,2})/gi;

function hasPassword(credentials: string): boolean {
  try {
    return atob(credentials).includes(':');
  } catch {
    return false;
  }
}
