import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import dagre from '@dagrejs/dagre';
import { type Drawing, drawingOf } from '@dramaturg/compiler/chart';
import {
  elkDefaults,
  layOut,
  measuresOf,
  type PlacedDrawing,
  type PlacedEdge,
  type Point,
} from '@dramaturg/drawing';
import { compile } from 'dramaturg';
import { type Benchmark, PeerError } from '../measure.ts';

const root = join(import.meta.dirname, '../../../..');
/** Definitions by other people, in a folder next to this repository. */
const corpus = join(root, '../shared/corpus');

/** The overviews of all fixtures and examples of this repository. */
function fixtureDrawings(): readonly Drawing[] {
  return drawingsOf([
    ...globSync('packages/formats/*/test/fixtures/*/*.{json,yaml}', { cwd: root }).map((path) =>
      join(root, path),
    ),
    ...globSync('docs/examples/*.{json,yaml}', { cwd: root }).map((path) => join(root, path)),
  ]);
}

/** Undefined if there is no corpus. */
function corpusDrawings(): readonly Drawing[] | undefined {
  if (!existsSync(corpus)) return undefined;
  const files = globSync('{asl,asl-real,context-graph,lifecycle,npc,plan}/**/*.{json,yaml,yml}', {
    cwd: corpus,
  });
  return drawingsOf(files.map((path) => join(corpus, path)));
}

function drawingsOf(files: readonly string[]): readonly Drawing[] {
  return files.toSorted().flatMap((file) => {
    const { chart } = compile(readFileSync(file, 'utf8'), { fileName: basename(file) });
    if (!chart) return [];
    const drawing = drawingOf(chart);
    return drawing.nodes.length < 3 ? [] : drawing;
  });
}

/** Measures of readability for the layouts of one engine, summed over all drawings. */
interface Sums {
  readonly crossings: number;
  readonly throughBoxes: number;
  readonly strayLabels: number;
  readonly backward: number;
  /** The factor by which the middle drawing differs from a square. */
  readonly stretch: number;
}

const engines = {
  ours: (drawing: Drawing) => layOut(drawing),
  Dagre: async (drawing: Drawing) => dagreLayout(await layOut(drawing)),
  "ELK's defaults": (drawing: Drawing) => layOut(drawing, { engine: elkDefaults('TB') }),
} satisfies Record<string, (drawing: Drawing) => Promise<PlacedDrawing>>;

const sets = { fixtures: fixtureDrawings, corpus: corpusDrawings };

const measures: readonly {
  readonly of: keyof Sums;
  readonly name: string;
  readonly unit: string;
  /** The upper limits for ours. */
  readonly atMost: Readonly<Record<keyof typeof sets, number>>;
}[] = [
  { of: 'crossings', name: 'crossings', unit: '', atMost: { fixtures: 0, corpus: 10 } },
  {
    of: 'throughBoxes',
    name: 'arrows through states or titles',
    unit: '',
    atMost: { fixtures: 0, corpus: 0 },
  },
  {
    of: 'strayLabels',
    name: 'labels at the wrong arrow',
    unit: '',
    atMost: { fixtures: 0, corpus: 0 },
  },
  {
    of: 'backward',
    name: 'arrows against the direction',
    unit: '',
    atMost: { fixtures: 25, corpus: 100 },
  },
  { of: 'stretch', name: 'side to side', unit: 'x', atMost: { fixtures: 3, corpus: 4 } },
];

/** Layouts of the same drawings with the same boxes and labels, by three engines. */
export const drawingMeasures: readonly Benchmark[] = Object.keys(sets).flatMap((set) =>
  measures.flatMap(({ of, name, unit, atMost }) =>
    Object.keys(engines).map((engine): Benchmark => ({
      name: `drawing of ${set}, ${name}: ${engine}`,
      unit,
      rounds: 1,
      ...(engine === 'ours' ? { atMost: atMost[set as keyof typeof sets] } : {}),
      prepare: async () => {
        const sums = await sumsOf(set as keyof typeof sets, engine as keyof typeof engines);
        return () => sums[of];
      },
    })),
  ),
);

const known = new Map<string, Promise<Sums>>();

function sumsOf(set: keyof typeof sets, engine: keyof typeof engines): Promise<Sums> {
  const key = `${set} ${engine}`;
  const sums = known.get(key) ?? measured(set, engine);
  known.set(key, sums);
  return sums;
}

async function measured(set: keyof typeof sets, engine: keyof typeof engines): Promise<Sums> {
  const drawings = sets[set]();
  if (!drawings) throw new PeerError('There is no folder ../shared/corpus with definitions.');
  const sums = { crossings: 0, throughBoxes: 0, strayLabels: 0, backward: 0 };
  const stretches: number[] = [];
  for (const drawing of drawings) {
    const found = measuresOf(await engines[engine](drawing));
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += found[name];
    stretches.push(Math.max(found.aspect, 1 / found.aspect));
  }
  stretches.sort((one, other) => one - other);
  return { ...sums, stretch: stretches[Math.floor(stretches.length / 2)] ?? 1 };
}

/**
 * Places the boxes and labels of a drawing again, with Dagre and its default distances. Dagre cannot connect an arrow to a
 * node that contains others, so such an arrow is connected to the first innermost node in it.
 */
function dagreLayout({ nodes, edges }: PlacedDrawing): PlacedDrawing {
  const graph = new dagre.graphlib.Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB' });
  const parents = new Set(nodes.map(({ parent }) => parent));
  const innermost = (id: string): string => {
    const child = nodes.find(({ parent }) => parent === id);
    return child ? innermost(child.id) : id;
  };
  for (const { id, box } of nodes)
    graph.setNode(id, parents.has(id) ? {} : { width: box.width, height: box.height });
  for (const { id, parent } of nodes) if (parent !== undefined) graph.setParent(id, parent);
  for (const { id, source, target, label } of edges) {
    const size = label ? { width: label.box.width, height: label.box.height } : {};
    graph.setEdge(innermost(source), innermost(target), { ...size, labelpos: 'c' }, id);
  }
  dagre.layout(graph);
  const placedNodes = nodes.map((node) => ({
    ...node,
    // Dagre leaves no room for titles: they are not counted.
    header: 0,
    box: centred(graph.node(node.id)),
  }));
  const placedEdges = edges.map((edge): PlacedEdge => {
    const placed = graph.edge(innermost(edge.source), innermost(edge.target), edge.id);
    const { label, ...rest } = edge;
    const points = (placed.points as readonly Point[]).map(({ x, y }) => ({ x, y }));
    return label
      ? { ...rest, points, label: { ...label, box: centred({ ...label.box, ...placed }) } }
      : { ...rest, points };
  });
  const { width = 0, height = 0 } = graph.graph();
  return { width, height, nodes: placedNodes, edges: placedEdges };
}

interface Centred {
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
}

function centred({ x = 0, y = 0, width = 0, height = 0 }: Centred) {
  return { x: x - width / 2, y: y - height / 2, width, height };
}
