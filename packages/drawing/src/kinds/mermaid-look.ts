import type { DrawnNode, MermaidLook } from '@dramaturg/compiler/chart';
import { light } from '../svg/style.ts';
import { lookOf } from './kinds.ts';

/** The same tints and dashed borders in a Mermaid diagram, for `toMermaid(chart, { lookOf: mermaidLookOf })`. */
export function mermaidLookOf({
  kind,
  name,
  sort,
}: Pick<DrawnNode, 'kind' | 'name' | 'sort'>): MermaidLook | undefined {
  if (sort === undefined && kind !== 'final') return undefined;
  const look = lookOf({ kind, name, ...(sort === undefined ? {} : { sort }) });
  const isFailure = look.tint === 'bad';
  const ink = isFailure
    ? '--dg-failed'
    : look.tint === 'plain'
      ? '--dg-muted'
      : `--dg-${look.tint}`;
  const fill = light[`${ink}-soft`] ?? light['--dg-background']!;
  // Nodes with the same name have the same look in Mermaid, so the name contains everything that the look depends on.
  const words = [
    'kind',
    sort?.replace(/[^A-Za-z0-9]+/g, '_'),
    kind === 'final' ? 'end' : undefined,
    isFailure ? 'failed' : undefined,
  ];
  return {
    name: words.filter((word) => word !== undefined).join('_'),
    style: [
      `fill:${fill}`,
      `stroke:${light[ink]}`,
      `color:${light['--dg-text']}`,
      ...(look.isHidden ? ['stroke-dasharray:5 4'] : []),
      ...(look.shape === 'end' ? ['stroke-width:3px'] : []),
    ].join(','),
    isOrdered: look.isOrdered,
  };
}
