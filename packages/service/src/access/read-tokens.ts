import { timingSafeEqual } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Identity } from './principal.ts';
import { hashOf, readTokensText, type TokenEntry, TokensError } from './tokens.ts';

/** The identity of a valid token; undefined for an unknown, expired or revoked one. */
export type Authenticate = (
  token: string,
  request: Request,
) => Identity | undefined | Promise<Identity | undefined>;

export interface ReadTokensOptions {
  /** Receives the error of a file that has become unreadable or invalid, once for each different error. */
  readonly onError?: (error: TokensError) => void;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds for which the file is not read again: the longest time that a revoked token is still valid. */
  readonly rereadAfterMs?: number;
}

/**
 * Reads the file of the tokens, and reads it again when a request comes and the last read is older than `rereadAfterMs`. If the
 * file becomes unreadable or invalid, the tokens read before stay valid, and `onError` receives the error.
 *
 * @throws TokensError when the file cannot be read the first time
 *
 * @example
 * ```ts
 * const authenticate = await readTokens('tokens.json', { onError: console.error });
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * const service = await serveHost(host, { http: '127.0.0.1:0', tokens: authenticate });
 * console.log((await fetch(`${service.url}/instances`)).status); // → 401
 * service.close();
 * await host.stop();
 * await service.end();
 * ```
 */
export async function readTokens(
  file: string,
  { onError = warn, now = Date.now, rereadAfterMs = 1_000 }: ReadTokensOptions = {},
): Promise<Authenticate> {
  const tokens = new TokensFile(file, onError, now, rereadAfterMs);
  await tokens.read();
  return (token) => tokens.identityOf(token);
}

function warn({ message }: TokensError): void {
  process.emitWarning(message, 'TokensError');
}

interface KnownToken {
  readonly hash: Buffer;
  readonly entry: TokenEntry;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

class TokensFile {
  readonly #file: string;
  readonly #onError: (error: TokensError) => void;
  readonly #now: () => number;
  readonly #rereadAfterMs: number;
  #tokens: readonly KnownToken[] = [];
  #text: string | undefined;
  #readAt = 0;
  #reading: Promise<void> | undefined;
  /** The message of the last error given to `onError`. */
  #reported: string | undefined;

  constructor(
    file: string,
    onError: (error: TokensError) => void,
    now: () => number,
    rereadAfterMs: number,
  ) {
    this.#file = file;
    this.#onError = onError;
    this.#now = now;
    this.#rereadAfterMs = rereadAfterMs;
  }

  async identityOf(token: string): Promise<Identity | undefined> {
    if (performance.now() - this.#readAt >= this.#rereadAfterMs) await this.#readAgain();
    const found = this.#find(hashOf(token));
    if (!found || this.#now() >= found.expiresAt) return undefined;
    const { name, scopes, tenant, roles, requests_per_minute, streams } = found.entry;
    return {
      name,
      scopes,
      tenant,
      roles,
      limits: { requestsPerMinute: requests_per_minute, streams },
    };
  }

  async read(): Promise<void> {
    this.#readAt = performance.now();
    // The whole content is compared: two changes within one tick of the file system's clock have the same time.
    const text = await textOf(this.#file);
    if (text === this.#text) return;
    this.#tokens = readTokensText(text, this.#file).map((entry) => ({
      hash: Buffer.from(entry.sha256, 'hex'),
      entry,
      expiresAt: entry.expires_at === undefined ? Infinity : Date.parse(entry.expires_at),
    }));
    this.#text = text;
  }

  /** Simultaneous requests share one read. */
  #readAgain(): Promise<void> {
    this.#reading ??= this.read()
      .then(
        () => {
          this.#reported = undefined;
        },
        (error: unknown) => this.#report(error),
      )
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  #report(error: unknown): void {
    if (!(error instanceof TokensError)) throw error;
    if (error.message === this.#reported) return;
    this.#reported = error.message;
    this.#onError(error);
  }

  /** Compares all hashes in constant time, so that the duration reveals nothing about the tokens. */
  #find(hash: Buffer): KnownToken | undefined {
    let found: KnownToken | undefined;
    for (const each of this.#tokens) if (timingSafeEqual(each.hash, hash)) found = each;
    return found;
  }
}

/** The largest file, in bytes. */
const largestFile = 2_000_000;

/**
 * Reads a token file. It contains only hashes, so others may read it, but not write it.
 *
 * @throws TokensError `access/tokens-unreadable` or `access/tokens-writable`
 */
export async function textOf(file: string): Promise<string> {
  const { text, status } = await contentOf(file).catch((cause: NodeJS.ErrnoException) => {
    throw new TokensError(
      'access/tokens-unreadable',
      cause.code === 'ENOENT'
        ? `There is no file "${file}".`
        : `The file "${file}" cannot be read: ${cause.message}`,
      {
        hint: `Create it with: dramaturg token create --name desk --scope read --file ${file}`,
        cause,
      },
    );
  });
  if (text === undefined) {
    throw new TokensError('access/tokens-unreadable', `"${file}" is not a file of tokens.`);
  }
  if (process.platform !== 'win32' && (status.mode & 0o002) !== 0) {
    throw new TokensError(
      'access/tokens-writable',
      `Every user of this computer can write to "${file}", and so give themselves a token.`,
      { hint: `Run: chmod o-w ${file}` },
    );
  }
  return text;
}

async function contentOf(file: string): Promise<{ text: string | undefined; status: Stats }> {
  const handle = await open(file, 'r');
  try {
    const status = await handle.stat();
    const isReadable = status.isFile() && status.size <= largestFile;
    return { text: isReadable ? await handle.readFile('utf8') : undefined, status };
  } finally {
    await handle.close();
  }
}
