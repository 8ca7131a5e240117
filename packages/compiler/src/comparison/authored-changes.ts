import { isRecord, type Json } from '../json.ts';
import { type Path, printPath } from '../path.ts';
import type { Source } from '../read/source.ts';
import { type DefinitionChange, placeIn } from './definition-change.ts';

interface Authored {
  readonly source: Source;
  /** The definition as authored. */
  readonly filled?: unknown;
}

/** The differences between two definitions as authored, by path: for parts that no outline knows. */
export function authoredChanges(before: Authored, after: Authored): readonly DefinitionChange[] {
  const changes: DefinitionChange[] = [];
  const compare = (from: unknown, to: unknown, path: Path): void => {
    if (JSON.stringify(from) === JSON.stringify(to)) return;
    const areLists = Array.isArray(from) && Array.isArray(to);
    if (areLists || (isRecord(from) && isRecord(to))) {
      const [one, other] = [from, to] as [Record<string, unknown>, Record<string, unknown>];
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        compare(own(one, key), own(other, key), [...path, areLists ? Number(key) : key]);
      return;
    }
    changes.push({
      change: 'changed',
      part: [],
      field: printPath(path),
      ...(from !== undefined && { from: from as Json, old: placeIn(before.source, path) }),
      ...(to !== undefined && { to: to as Json, new: placeIn(after.source, path) }),
    });
  };
  compare(before.filled, after.filled, []);
  return changes;
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
