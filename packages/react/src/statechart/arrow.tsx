import { arrowSvg } from '@dramaturg/drawing';
import type { EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { ArrowFlowEdge } from './flow.ts';

/** An arrow with its words: the drawing that SVG files have too. */
export const Arrow = memo(function Arrow({ data }: EdgeProps<ArrowFlowEdge>) {
  if (!data) return null;
  const markup = arrowSvg(data.placed, data.light, data.reach);
  return (
    <g
      className="dg-arrow-box"
      data-highlighted={data.isHighlighted || undefined}
      aria-hidden
      // oxlint-disable-next-line react/no-danger -- `arrowSvg` escapes all text, for SVG files too.
      dangerouslySetInnerHTML={{ __html: markup }}
    />
  );
});
