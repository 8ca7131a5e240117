import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';

/** Finds hosts and files in the arguments of a tool, as leniently as tools do. Agent 4 §Domains, §Files */

/** Every string in the arguments, with the name of its field. */
export function textsIn(given: JsonObject): [key: string, text: string][] {
  const found: [string, string][] = [];
  const pending: [string, Json][] = Object.entries(given);
  for (const [key, value] of pending) {
    if (typeof value === 'string') found.push([key, value]);
    else if (Array.isArray(value)) for (const item of value) pending.push([key, item]);
    else if (isRecord(value)) pending.push(...Object.entries(value));
  }
  return found;
}

const hostKeys = /^(?:host|hostname|domain)s?$/i;

/** The host that a string addresses. */
export function hostOf(key: string, text: string): string | undefined {
  const plain = plainText(text);
  const authority = /^(?:(?:https?|wss?|ftp):\/*|(?:[a-z][a-z\d+.-]*:)?\/\/)([^/?#]*)/i.exec(
    plain,
  )?.[1];
  if (authority !== undefined) {
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  }
  return hostKeys.test(key) ? plain.toLowerCase() : undefined;
}

const pathKeys =
  /^(?:path|file|filename|filepath|file_path|file_name|directory|dir|folder|source|destination|target)s?$/i;

/** A path that leaves every folder. */
const outside = '..';

/**
 * All paths that a tool may read from a string: tools differ in how they treat blanks, escapes and URLs. A path that
 * leaves its folder is undefined. Web addresses are not paths; most tools take every other URL as an ordinary file
 * name.
 */
export function pathsOf(key: string, text: string): (string | undefined)[] {
  const plain = plainText(text);
  if (!pathKeys.test(key) && !/^file:\//i.test(plain)) return [];
  if (/^(?:https?|wss?|ftp):\/\//i.test(plain) && !plain.split('/').includes('..')) return [];
  const written = /^file:/i.test(plain) ? [fileOf(plain)] : [text, plain];
  const read = written.flatMap((path) => [path, decoded(path)]);
  return [...new Set(read)].map((path) => plainPath(path.replaceAll('\\', '/')));
}

/** `file:///a` is `/a`. A URL with a host or a query may be any file. */
function fileOf(address: string): string {
  return /^file:(?:\/\/(?:localhost)?|(?!\/\/))(\/[^?#]*)$/i.exec(address)?.[1] ?? outside;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    return outside;
  }
}

/** Resolves `.` and `..`; undefined when the path leaves its folder. */
export function plainPath(path: string): string | undefined {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') {
      if (steps.length === 0 || steps.at(-1) === '') return undefined;
      steps.pop();
    } else if (step !== '.' && (step !== '' || steps.length === 0)) steps.push(step);
  }
  return steps.join('/');
}

function plainText(text: string): string {
  return text
    .trim()
    .replaceAll(/[\t\n\r]/g, '')
    .replaceAll('\\', '/');
}
