/** The outline of a state. Each shape can be recognised without colour. */
export type Shape =
  | 'card'
  | 'pill'
  | 'end'
  | 'hexagon'
  | 'octagon'
  | 'note'
  | 'bars'
  | 'arrow'
  | 'drum'
  | 'slanted'
  | 'stack';

/** Pixels that a shape needs next to its text, on its left and its right. */
export const sideRoom: Readonly<Record<Shape, readonly [left: number, right: number]>> = {
  card: [0, 0],
  pill: [4, 6],
  end: [6, 8],
  hexagon: [8, 10],
  octagon: [2, 2],
  note: [0, 6],
  bars: [5, 5],
  arrow: [0, 10],
  drum: [0, 0],
  slanted: [2, 0],
  stack: [0, 6],
};

/** Pixels that a shape needs above its text. */
export const topRoom: Readonly<Record<Shape, number>> = {
  card: 0,
  pill: 0,
  end: 0,
  hexagon: 0,
  octagon: 0,
  note: 0,
  bars: 0,
  arrow: 0,
  drum: 8,
  slanted: 4,
  stack: 4,
};

/** The outline of a shape, and the lines inside it, as paths in a box from 0,0. */
export function outlineOf(
  shape: Shape,
  width: number,
  height: number,
): { readonly outline: string; readonly lines?: string } {
  const [w, h] = [width, height];
  const slope = Math.min(12, h / 2);
  switch (shape) {
    case 'card':
      return { outline: rounded(0, 0, w, h, 7) };
    case 'pill':
      return { outline: rounded(0, 0, w, h, h / 2) };
    case 'end':
      return {
        outline: rounded(0, 0, w, h, h / 2),
        lines: rounded(3, 3, w - 6, h - 6, h / 2 - 3),
      };
    case 'hexagon':
      return {
        outline: `M${slope} 0H${w - slope}L${w} ${h / 2}L${w - slope} ${h}H${slope}L0 ${h / 2}Z`,
      };
    case 'octagon':
      return { outline: `M9 0H${w - 9}L${w} 9V${h - 9}L${w - 9} ${h}H9L0 ${h - 9}V9Z` };
    case 'note':
      return { outline: `M0 0H${w - 12}L${w} 12V${h}H0Z`, lines: `M${w - 12} 0V12H${w}` };
    case 'bars':
      return { outline: rounded(0, 0, w, h, 3), lines: `M6 0V${h}M${w - 6} 0V${h}` };
    case 'arrow':
      return { outline: `M0 0H${w - slope}L${w} ${h / 2}L${w - slope} ${h}H0Z` };
    case 'drum':
      return {
        outline: `M0 6C0 -2 ${w} -2 ${w} 6V${h - 6}C${w} ${h + 2} 0 ${h + 2} 0 ${h - 6}Z`,
        lines: `M0 6C0 14 ${w} 14 ${w} 6`,
      };
    case 'slanted':
      return { outline: `M0 10L${w} 0V${h}H0Z` };
    case 'stack':
      return {
        outline: rounded(0, 6, w - 6, h - 6, 5),
        lines: `M3 6V3H${w - 3}V${h - 3}H${w - 6}M6 3V0H${w}V${h - 6}H${w - 3}`,
      };
  }
}

function rounded(x: number, y: number, width: number, height: number, radius: number): string {
  const r = Math.max(0, Math.min(radius, width / 2, height / 2));
  const [right, bottom] = [x + width, y + height];
  return (
    `M${x + r} ${y}H${right - r}A${r} ${r} 0 0 1 ${right} ${y + r}V${bottom - r}` +
    `A${r} ${r} 0 0 1 ${right - r} ${bottom}H${x + r}A${r} ${r} 0 0 1 ${x} ${bottom - r}V${y + r}` +
    `A${r} ${r} 0 0 1 ${x + r} ${y}Z`
  );
}
