import type { Drawing } from '@dramaturg/compiler/chart';
import { useEffect, useState } from 'react';
import type { LayoutOptions, PlacedDrawing } from '@dramaturg/drawing';
import type { Canvas } from './canvas.tsx';
import type { Legend } from './legend.tsx';

export type Layout =
  | { readonly status: 'working' }
  | {
      readonly status: 'done';
      readonly drawing: Drawing;
      readonly placed: PlacedDrawing;
      readonly Canvas: typeof Canvas;
      readonly Legend: typeof Legend;
    }
  | { readonly status: 'failed'; readonly error: unknown };

type Direction = NonNullable<LayoutOptions['direction']>;

/** Loads what draws charts after mounting, and computes the layout of a drawing. The previous layout stays until the new one is ready. */
export function useLayout(drawing: Drawing | undefined, direction: Direction): Layout {
  const [layout, setLayout] = useState<Layout>({ status: 'working' });
  useEffect(() => {
    if (!drawing) return undefined;
    let isWanted = true;
    layOutDrawing(drawing, direction).then(
      (done) => isWanted && setLayout(done),
      (error: unknown) => isWanted && setLayout({ status: 'failed', error }),
    );
    return () => {
      isWanted = false;
    };
  }, [drawing, direction]);
  return layout;
}

async function layOutDrawing(drawing: Drawing, direction: Direction): Promise<Layout> {
  const { layOut, Canvas, Legend } = await import('./drawn.ts');
  return { status: 'done', drawing, placed: await layOut(drawing, { direction }), Canvas, Legend };
}
