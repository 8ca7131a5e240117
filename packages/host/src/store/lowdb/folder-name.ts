import { createHash } from 'node:crypto';

/**
 * The name of a record's folder. An id that is a modest name in every file system is its own folder, so that a person
 * finds it; any other is told by its hash, with what is left of it in front. The name has no slash, no dot and no letter
 * that some file system takes for another, so that no id leaves the store's folder (H8) and no two share one.
 */
export function folderNameOf(id: string): string {
  if (isPortableName(id)) return id;
  const readable = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  return `${readable}~${createHash('sha256').update(id).digest('hex').slice(0, 40)}`;
}

/** Has no `~`, so that it is nobody's hash. */
function isPortableName(id: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,99}$/.test(id) && !deviceName.test(id);
}

/** Windows opens the printer. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/;
