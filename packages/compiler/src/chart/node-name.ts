import type { ChartNode } from './chart.ts';

/** What people call a node: its title, else the author's id that its key was made from. */
export function nodeName(node: ChartNode, key: string): string {
  const title = node.meta?.['title'];
  if (typeof title === 'string' && title.trim() !== '') return title;
  if (key === '') return node.id ?? '';
  // The inverse of `nodeKey`, which encodes every percent sign of the author's own.
  return key.replace(/%([0-9A-F]{2})/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}
