import type { ChartTransition, NodeMeta, Reference } from '../chart/chart.ts';
import type { GraphNode } from '../chart/graph.ts';
import { hiddenTag } from '../contract/tags.ts';
import { nodeName } from '../chart/node-name.ts';
import { isRecord } from '../json.ts';

/** Shared by all drawings of a chart: hidden nodes, and the texts of nodes and arrows. */

const longestGuard = 60;

/** The most characters of a name or a label. */
export const longestName = 80;

export function isDrawn({ node }: GraphNode): boolean {
  return !node.tags?.includes(hiddenTag);
}

/** The nodes that drawings leave out, including descendants. */
export function hiddenNodes(nodes: readonly GraphNode[]): Set<GraphNode> {
  const hidden = new Set<GraphNode>();
  for (const node of nodes)
    if (!isDrawn(node) || (node.parent && hidden.has(node.parent))) hidden.add(node);
  return hidden;
}

export function drawnName({ node, key, kind }: GraphNode): string {
  return kind === 'history' && !node.meta?.['title'] ? 'history' : nodeName(node, key);
}

/** The description of a transition without an authored condition. The arrow alone says the same. */
const unsaid = 'then';

/** The condition of a transition: the author's description if present, else `[guard]`; undefined without a guard. */
export function conditionWords({ description, guard }: ChartTransition): string | undefined {
  if (description === unsaid) return undefined;
  return description ? cut(description, longestName) : guard && `[${guardWords(guard)}]`;
}

/** `hasAll names:[name,age],min:2` */
function guardWords({ type, params = {} }: Reference): string {
  const details = JSON.stringify(params).slice(1, -1).replaceAll('"', '');
  return cut(details === '' ? type : `${type} ${details}`, longestGuard);
}

export function cut(text: string, longest: number): string {
  const characters = Array.from(text);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

/** The format's word for a kind of node. */
export function sortOf({ type, kind, state }: NodeMeta): string | undefined {
  const word = type ?? kind ?? (isRecord(state) ? state['Type'] : undefined);
  return typeof word === 'string' ? word : undefined;
}
