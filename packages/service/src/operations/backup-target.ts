import { isAbsolute } from 'node:path';
import { StoreError } from '@dramaturg/host';
import { RequestError } from '../failure.ts';

/** Codes of system errors about the target. A full disk is a failure of the store. */
const codesOfTargets = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ENAMETOOLONG',
  'ELOOP',
  'EINVAL',
  'ERR_INVALID_ARG_VALUE',
  'EACCES',
  'EPERM',
  'EROFS',
  'EXDEV',
]);

/**
 * Copies a store to a target that a request names.
 *
 * @throws RequestError `request/invalid` when the target is relative, or cannot be a file
 */
export async function backUpTo(
  target: string,
  backup: (target: string) => Promise<void>,
): Promise<void> {
  if (!isAbsolute(target) || target.includes('\0')) throw wrongTarget('not an absolute path');
  try {
    await backup(target);
  } catch (error) {
    const code = error instanceof StoreError ? causeCode(error) : undefined;
    if (code === undefined || !codesOfTargets.has(code)) throw error;
    throw wrongTarget(`not a path where a file can be created (${code})`);
  }
}

function causeCode({ cause }: StoreError): string | undefined {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}

function wrongTarget(reason: string): RequestError {
  const detail = `The target is ${reason}`;
  return new RequestError('request/invalid', `${detail}.`, {
    hint: 'Give the absolute path of a file that does not exist.',
    errors: [{ path: '/target', detail }],
  });
}
