import type { Drawing } from '@dramaturg/compiler/chart';
import { useEffect, useState } from 'react';
import { layOut, type LayoutOptions } from '@dramaturg/drawing';
import type { PlacedDrawing } from '@dramaturg/drawing';
import type { Canvas } from './canvas.tsx';

export type Layout =
  | { readonly status: 'working' }
  | {
      readonly status: 'done';
      readonly placed: PlacedDrawing;
      readonly Canvas: typeof Canvas;
    }
  | { readonly status: 'failed'; readonly error: unknown };

/** Computes the layout of a drawing after mounting, and loads the canvas that shows it. The previous layout stays until the new one is ready. */
export function useLayout(
  drawing: Drawing | undefined,
  direction: NonNullable<LayoutOptions['direction']>,
): Layout {
  const [layout, setLayout] = useState<Layout>({ status: 'working' });
  useEffect(() => {
    if (!drawing) return undefined;
    let isWanted = true;
    Promise.all([layOut(drawing, { direction }), import('./canvas.tsx')]).then(
      ([placed, module]) =>
        isWanted && setLayout({ status: 'done', placed, Canvas: module.Canvas }),
      (error: unknown) => isWanted && setLayout({ status: 'failed', error }),
    );
    return () => {
      isWanted = false;
    };
  }, [drawing, direction]);
  return layout;
}
