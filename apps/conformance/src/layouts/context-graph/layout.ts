import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@dramaturg/compiler';
import type { Case, Layout } from '../../layout.ts';
import { runBehaviour } from './behaviour.ts';
import type { CaseFile, GraphSource } from './case-file.ts';
import { runPersistence } from './persistence.ts';
import { runTopology } from './topology.ts';
import { runValidation } from './validation.ts';

/**
 * Context graphs: `cases.json` and the graphs that it names, in one folder. It lists cases of behaviour (turns with the
 * answers of the model, and the trace `[A] x -> [D] y -> [A] z !A1` of each), validation, topology and persistence (how long
 * the result of a tool is kept).
 */
export const contextGraphLayout: Layout = {
  name: 'context-graph',
  recognises: (folder) => {
    const file = join(folder, 'cases.json');
    if (!existsSync(file)) return false;
    const { behaviour, validation } = JSON.parse(readFileSync(file, 'utf8')) as Partial<CaseFile>;
    return Array.isArray(behaviour) && Array.isArray(validation);
  },
  cases: (folder) => {
    const read = (file: string) =>
      JSON.parse(readFileSync(join(folder, file), 'utf8')) as JsonObject;
    const file = read('cases.json') as unknown as CaseFile;
    /** Loads the graph of a case and the graphs that it references. */
    const loadGraphs = (one: GraphSource) => ({
      graph: one.graph_inline ?? read(one.graph!),
      graphs: {
        ...Object.fromEntries(
          Object.entries(one.references ?? {}).map(([name, other]) => [name, read(other)]),
        ),
        ...one.references_inline,
      },
    });
    const cases: Case[] = [
      ...file.behaviour.map((one) => ({
        area: 'behaviour',
        id: one.id,
        run: () => runBehaviour(loadGraphs(one), one),
      })),
      ...file.validation.map((one) => ({
        area: 'validation',
        id: one.id,
        run: () => runValidation(loadGraphs(one), one),
      })),
      ...(file.topology ?? []).map((one) => ({
        area: 'topology',
        id: one.graph ?? 'inline',
        run: () => runTopology(loadGraphs(one), one),
      })),
      ...(file.result_persistence ?? []).map((one) => ({
        area: 'persistence',
        id: `${one.result_persistence} ${one.result_chars}`,
        run: () => runPersistence(one),
      })),
    ];
    return cases;
  },
};
