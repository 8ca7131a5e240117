import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createToken, hashOf, readTokensText, type TokenEntry, TokensError } from './tokens.ts';
import { textOf } from './read-tokens.ts';
import { syncFolder } from './audit-file.ts';

/** Lists the entries of a token file. The tokens themselves are stored nowhere. */
export async function listTokens(file: string): Promise<readonly TokenEntry[]> {
  return readTokensText(await textOf(file), file);
}

/**
 * Adds a new token to a file, which is created if it does not exist.
 *
 * @returns the token, which is not stored
 * @throws TokensError `access/token-exists` for a name that the file has
 */
export async function addToken(file: string, entry: Omit<TokenEntry, 'sha256'>): Promise<string> {
  const token = createToken();
  await change(file, (tokens) => {
    if (tokens.some(({ name }) => name === entry.name)) {
      throw new TokensError(
        'access/token-exists',
        `The file "${file}" has a token "${entry.name}".`,
        { hint: 'Choose another name, or revoke that token first.' },
      );
    }
    return [...tokens, { ...entry, sha256: hashOf(token).toString('hex') }];
  });
  return token;
}

/**
 * Removes a token from a file. Running services refuse it within a second.
 *
 * @throws TokensError `access/token-unknown` for a name that the file does not have
 */
export async function revokeToken(file: string, name: string): Promise<void> {
  await change(file, (tokens) => {
    const rest = tokens.filter((each) => each.name !== name);
    if (rest.length < tokens.length) return rest;
    throw new TokensError('access/token-unknown', `The file "${file}" has no token "${name}".`, {
      hint: `"dramaturg token list --file ${file}" lists the tokens.`,
    });
  });
}

/**
 * Replaces a file in one step, so that a service never reads half of it. The new file is created under another name before the
 * old one is read, so that one of two simultaneous changes is refused.
 */
async function change(
  file: string,
  changed: (tokens: readonly TokenEntry[]) => readonly TokenEntry[],
): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EEXIST' ? busy(file, draft) : unwritable(file, cause);
  });
  let isComplete = false;
  try {
    const before = await entriesOf(file);
    const text = `${JSON.stringify({ tokens: changed(before) }, undefined, 2)}\n`;
    // A wrong name or scope is refused here, and not when the service reads the file.
    readTokensText(text, file);
    await handle.writeFile(text);
    await keepPermissions(file, handle);
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    isComplete = true;
    await syncFolder(dirname(file));
  } finally {
    if (!isComplete) {
      await handle.close();
      await rm(draft, { force: true });
    }
  }
}

async function entriesOf(file: string): Promise<readonly TokenEntry[]> {
  try {
    return await listTokens(file);
  } catch (error) {
    const { code } = Object((error as Error).cause) as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw error;
  }
}

/** A service of another user must be able to read the new file, or it would keep using the old tokens. */
async function keepPermissions(file: string, handle: FileHandle): Promise<void> {
  // Windows has no such permissions.
  if (process.platform === 'win32') return;
  const [before, now] = [await stat(file).catch(() => undefined), await handle.stat()];
  if (!before) return;
  if (before.uid !== now.uid || before.gid !== now.gid) {
    await handle.chown(before.uid, before.gid).catch((cause: NodeJS.ErrnoException) => {
      throw new TokensError(
        'access/tokens-unreadable',
        `The file "${file}" belongs to another user or group, and would not afterwards.`,
        { hint: 'Run the command as its owner.', cause },
      );
    });
  }
  await handle.chmod(before.mode & 0o777);
}

function busy(file: string, draft: string): TokensError {
  return new TokensError('access/tokens-busy', `Another command is changing "${file}".`, {
    hint: `Try again. If no command runs, one was killed: delete "${draft}".`,
  });
}

function unwritable(file: string, cause: NodeJS.ErrnoException): TokensError {
  return new TokensError(
    'access/tokens-unreadable',
    `The file "${file}" cannot be written: ${cause.message}`,
    { hint: 'Create its folder, or choose another file with --file.', cause },
  );
}
