import { isRecord } from '@dramaturg/compiler';
import type { Problem, Report } from '@dramaturg/compiler/format';
import type { ContextGraphOptions, Graph, GraphReference } from '../definition.ts';

/** The state of resolving references: the graphs that were given, and those being resolved. */
export interface Resolving {
  readonly options: ContextGraphOptions;
  readonly normalise: (value: unknown, report: Report, resolving: Resolving) => Graph;
  /** Keys of the graphs on the path from the root to this one. */
  readonly open: readonly string[];
  /** Graphs by key: a graph that is referenced twice is resolved once. */
  readonly done: Map<string, Pick<GraphReference, 'graph' | 'problems'>>;
}

/** The most levels of references. A graph can only name versions that exist, so real graphs have few levels. */
export const deepestReference = 16;

/**
 * Resolves the references of a graph among the given graphs: by `id@version`, else by id, else by the reference's name.
 * Where two graphs use one name for different graphs, ids tell them apart. Spec: docs/formats/context-graph.md#references
 */
export function resolveReferences(value: unknown, resolving: Resolving): GraphReference[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([name, pinned]) => {
    const [id, version]: unknown[] = Array.isArray(pinned) ? pinned : [];
    return resolve(
      {
        name,
        id: typeof id === 'string' ? id : '',
        version: typeof version === 'number' ? version : 0,
        at: ['references', name],
      },
      resolving,
    );
  });
}

function resolve(
  pinned: Pick<GraphReference, 'name' | 'id' | 'version' | 'at'>,
  resolving: Resolving,
): GraphReference {
  const { open, done } = resolving;
  const { graphs } = resolving.options;
  const { name, id, version } = pinned;
  const otherVersions = Object.keys(graphs).filter((key) => key.startsWith(`${id}@`));
  const unresolved = {
    ...pinned,
    graph: undefined,
    problems: [],
    otherVersions,
    refused: undefined,
  };
  // A graph that is given by version must match the version.
  const keys = otherVersions.length > 0 ? [`${id}@${version}`] : [id, name];
  const key = keys.find((one) => Object.hasOwn(graphs, one));
  if (key === undefined) return unresolved;
  if (open.includes(key)) return { ...unresolved, refused: 'cycle' };
  if (open.length >= deepestReference) return { ...unresolved, refused: 'too deep' };
  let resolved = done.get(key);
  if (!resolved) {
    const problems: Problem[] = [];
    const report: Report = (problem) => problems.push(problem);
    const graph = resolving.normalise(graphs[key], report, { ...resolving, open: [...open, key] });
    resolved = { graph, problems };
    done.set(key, resolved);
  }
  return { ...unresolved, ...resolved };
}
