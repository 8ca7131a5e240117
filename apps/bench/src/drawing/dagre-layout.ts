import dagre from '@dagrejs/dagre';
import type { PlacedDrawing, PlacedEdge, Point } from '@dramaturg/drawing';

/**
 * Places the boxes and labels of a drawing again, with Dagre and its default distances. Dagre cannot connect an arrow to a
 * node that contains others, so such an arrow is connected to the first innermost node in it.
 */
export function dagreLayout({ nodes, edges }: PlacedDrawing): PlacedDrawing {
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
