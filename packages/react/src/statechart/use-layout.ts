import type { Drawing } from '@dramaturg/compiler';
import { useEffect, useState } from 'react';
import { layOut, type LayoutOptions } from '@dramaturg/drawing';
import type { PlacedDrawing } from '@dramaturg/drawing';

export type Layout =
  | { readonly status: 'working' }
  | { readonly status: 'done'; readonly placed: PlacedDrawing }
  | { readonly status: 'failed'; readonly error: unknown };

/** Computes the layout of a drawing after mounting. The previous layout stays until the new one is ready. */
export function useLayout(
  drawing: Drawing | undefined,
  direction: NonNullable<LayoutOptions['direction']>,
): Layout {
  const [layout, setLayout] = useState<Layout>({ status: 'working' });
  useEffect(() => {
    if (!drawing) return undefined;
    let isWanted = true;
    layOut(drawing, { direction }).then(
      (placed) => isWanted && setLayout({ status: 'done', placed }),
      (error: unknown) => isWanted && setLayout({ status: 'failed', error }),
    );
    return () => {
      isWanted = false;
    };
  }, [drawing, direction]);
  return layout;
}
