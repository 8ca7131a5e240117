/**
 * What a chart shows at a zoom, so that no text is smaller than 10 pixels on the screen: only shapes and icons, then names in
 * large letters, then names, then everything.
 */
export type ZoomLevel = 'shapes' | 'far' | 'names' | 'all';

/** The zoom from which each level is readable: 10 pixels divided by the size of its smallest text. */
const levels: readonly (readonly [from: number, level: ZoomLevel])[] = [
  [10 / 11, 'all'],
  [10 / 13, 'names'],
  [10 / 20, 'far'],
];

export function zoomLevel(zoom: number): ZoomLevel {
  // A zoom that was computed to be at a limit may be a little less.
  return levels.find(([from]) => zoom >= from - 0.005)?.[1] ?? 'shapes';
}
