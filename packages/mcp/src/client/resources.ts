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
    const passages = await Promise.all(
      Object.entries(allowed).map(async ([server, uris]) => {
        const connection = connections.get(server)!;
        const listed = (await connection.listResources())
          .filter(({ uri }) => uris === '*' || uris.some((start) => uri.startsWith(start)))
          .slice(0, resourcesMax);
        const found: string[] = [];
        let size = 0;
        for (const { uri } of listed) {
          for (const text of await connection.readResource(uri, deadline)) {
            size += text.length;
            found.push(...passagesOf(text));
          }
          if (size > resultSize * 10) break;
        }
        return found;
      }),
    );
    return [...new Set(passages.flat())]
      .map((text) => ({ text, score: scoreOf(wordsOf(text), wanted) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit);
  };
}

/** Paragraphs, the long ones cut. */
function passagesOf(text: string): string[] {
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
