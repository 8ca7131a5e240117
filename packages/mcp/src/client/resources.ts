import { McpError } from '../error.ts';
import type { McpOptions } from './options.ts';
import type { Connection } from './connection.ts';

export interface Found {
  readonly text: string;
  /** The share of the words of the query that the text has, from 0 to 1. */
  readonly score: number;
}

export type Search = (
  queries: readonly string[],
  limit: number,
  signal: AbortSignal,
) => Promise<readonly Found[]>;

/** Resources that one search reads at most, for each server. */
const resourcesMax = 100;
/** The texts of one search, as a multiple of the largest result. */
const resultsRead = 10;
/** The maximum length of a passage, in UTF-16 units. */
const passageLength = 2_000;

/** Searches the texts of resources by words. Servers that fail are an error: an empty answer would hide them. */
export function searchIn(
  connections: ReadonlyMap<string, Connection>,
  allowed: NonNullable<McpOptions['resources']>,
  { timeMs, resultSize }: { readonly timeMs: number; readonly resultSize: number },
): Search {
  return async (queries, limit, signal) => {
    const wanted = queries.map(wordsOf).filter(({ size }) => size > 0);
    if (wanted.length === 0) return [];
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeMs)]);
    const reading = Object.entries(allowed).map(([server, uris]) =>
      passagesOf(connections.get(server)!, uris, { resultSize, signal: deadline }),
    );
    const passages = await Promise.all(reading).catch((cause: unknown) => {
      signal.throwIfAborted();
      if (!deadline.aborted) throw cause;
      throw new McpError(
        'mcp/timed-out',
        `The resources were not read within ${timeMs} milliseconds. Allow fewer of them, or raise limits.timeMs.`,
        { cause },
      );
    });
    return [...new Set(passages.flat())]
      .map((text) => ({ text, score: scoreOf(wordsOf(text), wanted) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit);
  };
}

/** The passages of the allowed resources of a server. */
async function passagesOf(
  connection: Connection,
  uris: readonly string[] | '*',
  { resultSize, signal }: { readonly resultSize: number; readonly signal: AbortSignal },
): Promise<string[]> {
  const listed = (await connection.listResources(signal))
    .filter(({ uri }) => uris === '*' || uris.some((start) => uri.startsWith(start)))
    .slice(0, resourcesMax);
  const found: string[] = [];
  let size = 0;
  for (const { uri } of listed) {
    for (const text of await connection.readResource(uri, signal)) {
      size += text.length;
      found.push(...paragraphsOf(text));
    }
    if (size > resultSize * resultsRead) break;
  }
  return found;
}

/** Paragraphs, the long ones cut. */
function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim().slice(0, passageLength))
    .filter((part) => part !== '');
}

function scoreOf(words: ReadonlySet<string>, wanted: readonly ReadonlySet<string>[]): number {
  return Math.max(
    ...wanted.map((query) => [...query].filter((word) => words.has(word)).length / query.size),
  );
}

function wordsOf(text: string): Set<string> {
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(({ length }) => length > 2),
  );
}
