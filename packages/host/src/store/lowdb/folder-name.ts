import { createHash } from 'node:crypto';

/**
 * The folder name of a record. An id that is a valid name in every file system is used unchanged, so that people find
 * it. Any other id becomes its allowed characters and its hash. The name has no slash, no dot and no capital letters,
 * so no id leaves the store's folder (H8) and no two ids share a folder.
 */
export function folderNameOf(id: string): string {
  if (isPortableName(id)) return id;
  const readable = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  return `${readable}~${createHash('sha256').update(id).digest('hex').slice(0, 40)}`;
}

/** Excludes `~`, so that no portable name looks like a hashed one. */
function isPortableName(id: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,99}$/.test(id) && !deviceName.test(id);
}

/** On Windows these names open devices, such as a printer. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/;
