export type ElkOptions = Readonly<Record<string, string>>;

/** Nodes and arrows up to which a layout is tried four times, and twice. ELK takes seconds for larger drawings. */
const mediumSize = 80;
const largeSize = 300;

/**
 * The options to try, in this order: branches in the author's order, then any order, for a drawing in which the author's
 * order makes arrows cross.
 *
 * @param size the number of nodes and arrows
 */
export function elkAttempts(direction: 'TB' | 'LR', size: number): readonly ElkOptions[] {
  const options = elkOptions(direction);
  const order = 'elk.layered.considerModelOrder.strategy';
  const authored = { ...options, [order]: 'PREFER_EDGES' };
  if (size > largeSize)
    return [{ ...authored, 'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF' }];
  const free = { ...options, [order]: 'NONE' };
  if (size > mediumSize) return [authored, free];
  return [authored, free, { ...free, 'elk.randomSeed': '7' }, { ...free, 'elk.randomSeed': '11' }];
}

/** See https://eclipse.dev/elk/reference/options.html */
function elkOptions(direction: 'TB' | 'LR'): ElkOptions {
  return {
    ...elkDefaults(direction),
    'elk.edgeRouting': 'ORTHOGONAL',
    'elk.spacing.nodeNode': '32',
    'elk.spacing.edgeNode': '18',
    'elk.spacing.edgeEdge': '14',
    'elk.spacing.edgeLabel': '0',
    'elk.spacing.labelLabel': '6',
    'elk.spacing.labelNode': '8',
    'elk.layered.spacing.nodeNodeBetweenLayers': '30',
    'elk.layered.spacing.edgeNodeBetweenLayers': '16',
    'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
    'elk.layered.thoroughness': '10',
    'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
    'elk.padding': '[top=24,left=24,bottom=24,right=24]',
  };
}

/** The options without which ELK does not read our graphs; all others have its defaults. To compare with. */
export function elkDefaults(direction: 'TB' | 'LR'): ElkOptions {
  return {
    'elk.algorithm': 'layered',
    'elk.direction': direction === 'TB' ? 'DOWN' : 'RIGHT',
    'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
    'elk.json.edgeCoords': 'ROOT',
    'elk.json.shapeCoords': 'PARENT',
  };
}
